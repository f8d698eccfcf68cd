"""Users who follow a user."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT
from fakeplat.domain.people import follows
from fakeplat.model.people import Follow, User
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import FURTHER


def _create(entry: Entry) -> Follow:
    followee, follower, table = entry.owner, entry.user("username"), entry.world.follows
    found = table.find("pair", (follower.id, followee.id))
    follow = follows.follow(entry.ctx, follower, followee) if found is None else found
    since = entry.since if found is None else follow.created_at
    return table.change(follow, created_at=entry.values.get("created_at", since))


def _list_followers(world: World, user: User) -> Sequence[Follow]:
    return world.follows.where("followee", user.id)


SECTION: Final = derive_section(
    "followers",
    Follow,
    within=("user",),
    rank=FURTHER,
    keys={"username": TEXT, "created_at": DATE_TIME},
    references={"username": "follower_id"},
    required=("username",),
    create=_create,
    rows=_list_followers,
    parts=lambda _, follow: {"created_at": follow.created_at},
    name_key="username",
    value_key="created_at",
)
