"""What is kept is never stale: the property, then the single reasons why an answer changes or stays."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from fakeplat.core.body import Upload
from fakeplat.core.errors import Refusal
from fakeplat.core.kept import Kept, Made
from fakeplat.core.reads import Reads
from fakeplat.core.stamps import DAY, HOUR, MINUTE
from fakeplat.domain import custom_attributes, members, projects, shares, users
from fakeplat.domain import groups as group_verbs
from fakeplat.model.levels import Level
from fakeplat.model.projects import FEATURES
from fakeplat.policy.context import Doing
from tests.worlds import Answered, Site, town

PEOPLE = ("ada", "dev", "eve")
VIEWERS = (None, "root", "dev")
PROJECTS = (5001, 5002, 5003)
GROUPS = (205, 206)
SINGLE = "?statistics=true&license=true&with_custom_attributes=true"
TARGETS = (
    *(f"projects/{id_}{more}" for id_ in PROJECTS for more in ("", SINGLE, "/members/all", "/starrers", "/groups?with_shared=true")),
    *(f"users/{id_}{more}" for id_ in (2, 3, 4) for more in ("", "/projects", "/starred_projects")),
    *(f"namespaces/{id_}" for id_ in (*GROUPS, 202)),
    *(f"groups/{id_}/members" for id_ in GROUPS),
    "projects",
    "projects?simple=true&search=p",
    "projects?membership=true&with_custom_attributes=true",
    "projects?starred=true&order_by=name&per_page=2",
    "users",
    "users?search=ada",
    "user",
    "namespaces",
    "users/2/custom_attributes",
)

levels = st.sampled_from([10, 20, 30, 40, 50])
dates = st.one_of(st.none(), st.sampled_from(["2020-11-21", "2020-11-23"]))
visibilities = st.sampled_from(["private", "internal", "public"])
words = st.sampled_from(["one", "two", "Three", ""])
spots = st.sampled_from([("projects", id_) for id_ in PROJECTS] + [("namespaces", id_) for id_ in GROUPS])


def same(kept: Answered, fresh: Answered) -> bool:
    return (kept.status, kept.body, kept.lasting) == (fresh.status, fresh.body, fresh.lasting)


class Life(RuleBasedStateMachine):
    """A platform to which anything may happen; after each event its answers are compared with a fresh one's."""

    @initialize()
    def begin(self) -> None:
        self.site = town()
        self.site.group("tools", owner="eve", visibility="private")
        self.site.project("ada/notes", creator="ada", visibility="internal")
        self.site.project("tools/kit", creator="eve", visibility="private")
        self.moment = self.site.platform.now()

    @invariant()
    def kept_answers_are_those_of_a_fresh_platform(self) -> None:
        fresh = self.site.twin()
        stale = [
            (target, by)
            for by in VIEWERS
            for target in TARGETS
            if not same(self.site.get(target, by), fresh.get(target, by))
        ]
        assert [] == stale

    def _do(self, act: Callable[[Doing], object]) -> None:
        """Let it happen, where the platform does not refuse it."""
        try:
            with self.site.platform.acting(self.site.world.users.get(1)) as cx:
                act(cx)
        except Refusal:
            pass

    def _with(self, table: str, id_: int, act: Callable[[Doing, Any], object]) -> None:
        """Let something happen to a record, if it is still there."""

        def found(cx: Doing) -> None:
            record = getattr(cx.world, table).get(id_)
            if record is not None:
                act(cx, record)

        self._do(found)

    @rule(id_=st.sampled_from(PROJECTS), by=st.sampled_from([2, 3, 4]))
    def star(self, id_: int, by: int) -> None:
        self._with("projects", id_, lambda cx, project: projects.star(cx, project, cx.world.users[by]))

    @rule(id_=st.sampled_from(PROJECTS), by=st.sampled_from([2, 3, 4]))
    def unstar(self, id_: int, by: int) -> None:
        self._with("projects", id_, lambda cx, project: projects.unstar(cx, project, cx.world.users[by]))

    @rule(
        id_=st.sampled_from([2, 3, 4]),
        changes=st.one_of(
            st.fixed_dictionaries({"name": st.sampled_from(["Ada", "Somebody"])}),
            st.fixed_dictionaries({"username": st.sampled_from(["ada", "dev", "eve", "other"])}),
            st.fixed_dictionaries({"email": st.sampled_from(["a@example.test", "b@example.test"]), "skip_reconfirmation": st.just(True)}),
            st.fixed_dictionaries({"private_profile": st.booleans(), "bio": words, "location": words}),
            st.fixed_dictionaries({"admin": st.booleans()}),
            st.fixed_dictionaries({"external": st.booleans()}),
            st.fixed_dictionaries({"provider": st.just("ldapmain"), "extern_uid": words}),
            st.fixed_dictionaries({"avatar": st.sampled_from([Upload("a.png", "image/png", b"a"), None])}),
        ),
    )
    def update_user(self, id_: int, changes: dict[str, Any]) -> None:
        self._with("users", id_, lambda cx, user: users.update(cx, user, **changes))

    @rule(id_=st.sampled_from([2, 3, 4]), state=st.sampled_from(["active", "blocked", "deactivated"]))
    def set_state(self, id_: int, state: str) -> None:
        self._with("users", id_, lambda cx, user: users.set_state(cx, user, state))

    @rule(hard=st.booleans())
    def delete_user(self, hard: bool) -> None:
        self._with("users", 4, lambda cx, user: users.delete(cx, user, hard=hard))

    @rule(
        id_=st.sampled_from(GROUPS),
        changes=st.one_of(
            st.fixed_dictionaries({"name": st.sampled_from(["Acme", "Other"])}),
            st.fixed_dictionaries({"path": st.sampled_from(["acme", "tools", "elsewhere"])}),
            st.fixed_dictionaries({"visibility": visibilities}),
            st.fixed_dictionaries({"description": words}),
        ),
    )
    def change_group(self, id_: int, changes: dict[str, Any]) -> None:
        if "path" in changes and self.site.world.namespaces.find("place", (None, changes["path"])):
            return
        self._with("namespaces", id_, lambda cx, group: cx.world.namespaces.change(group, **changes))

    @rule(
        id_=st.sampled_from(PROJECTS),
        changes=st.one_of(
            st.fixed_dictionaries({"visibility": visibilities}),
            st.fixed_dictionaries({"name": st.sampled_from(["Site", "p"]), "description": words}),
            st.fixed_dictionaries({"path": st.sampled_from(["site", "kit", "notes"])}),
            st.tuples(st.sampled_from(FEATURES), st.sampled_from(["disabled", "private", "enabled"])).map(
                lambda found: {f"{found[0]}_access_level": found[1]}
            ),
            st.fixed_dictionaries({"avatar": st.sampled_from([Upload("a.png", "image/png", b"a"), None])}),
        ),
    )
    def update_project(self, id_: int, changes: dict[str, Any]) -> None:
        self._with("projects", id_, lambda cx, project: projects.update(cx, project, **changes))

    @rule(id_=st.sampled_from(PROJECTS), archived=st.booleans())
    def archive(self, id_: int, archived: bool) -> None:
        self._with("projects", id_, lambda cx, project: projects.set_archived(cx, project, archived))

    @rule(id_=st.sampled_from(PROJECTS), to=st.sampled_from([202, *GROUPS]))
    def transfer(self, id_: int, to: int) -> None:
        self._with("projects", id_, lambda cx, project: projects.transfer(cx, project, cx.world.namespaces[to]))

    @rule()
    def delete_project(self) -> None:
        self._with("projects", 5003, projects.delete)

    @rule()
    def delete_group(self) -> None:
        self._with("namespaces", GROUPS[1], group_verbs.remove)

    @rule(name=st.sampled_from(["new", "p"]), visibility=visibilities)
    def create_project(self, name: str, visibility: str) -> None:
        self._with(
            "namespaces", 202, lambda cx, home: projects.create(cx, home, cx.world.users[2], name=name, visibility=visibility)
        )

    @rule(spot=spots, who=st.sampled_from([2, 3, 4]), level=levels, until=dates)
    def add_member(self, spot: tuple[str, int], who: int, level: int, until: str | None) -> None:
        self._with(*spot, lambda cx, place: members.add(cx, place, cx.world.users[who], level, until))

    @rule(spot=spots, who=st.sampled_from([2, 3, 4]), level=levels, until=dates)
    def change_member(self, spot: tuple[str, int], who: int, level: int, until: str | None) -> None:
        def act(cx: Doing, place: Any) -> None:
            member = members.get(cx.world, place, who)
            members.change(cx, place, member, access_level=level, expires_at=until)

        self._with(*spot, act)

    @rule(spot=spots, who=st.sampled_from([2, 3, 4]))
    def remove_member(self, spot: tuple[str, int], who: int) -> None:
        self._with(*spot, lambda cx, place: members.remove(cx, place, members.get(cx.world, place, who)))

    @rule(id_=st.sampled_from(PROJECTS), group=st.sampled_from(GROUPS), level=levels, until=dates)
    def share(self, id_: int, group: int, level: int, until: str | None) -> None:
        def act(cx: Doing, project: Any) -> None:
            found: Any = cx.world.namespaces.get(group)
            if found is not None:
                shares.add(cx, project, found, level, until)

        self._with("projects", id_, act)

    @rule(id_=st.sampled_from(PROJECTS), group=st.sampled_from(GROUPS))
    def unshare(self, id_: int, group: int) -> None:
        self._with("projects", id_, lambda cx, project: shares.remove(cx, project, group))

    @rule(subject=st.sampled_from([("user", 2), ("project", 5001)]), value=words)
    def put_custom_attribute(self, subject: tuple[str, int], value: str) -> None:
        self._do(lambda cx: custom_attributes.put(cx, subject, "place", value))

    @rule(subject=st.sampled_from([("user", 2), ("project", 5001)]))
    def remove_custom_attribute(self, subject: tuple[str, int]) -> None:
        self._do(lambda cx: custom_attributes.remove(cx, subject, "place"))

    @rule(
        changes=st.one_of(
            st.fixed_dictionaries({"gravatar_enabled": st.booleans()}),
            st.fixed_dictionaries({"restricted_visibility_levels": st.sampled_from([(), ("public",)])}),
        )
    )
    def change_settings(self, changes: dict[str, Any]) -> None:
        self.site.change_settings(**changes)

    @rule(
        changes=st.one_of(
            st.fixed_dictionaries({"revoked": st.booleans()}),
            st.fixed_dictionaries({"scopes": st.sampled_from([("api",), ("read_user",), ()])}),
            st.fixed_dictionaries({"expires_at": dates}),
        )
    )
    def change_token(self, changes: dict[str, Any]) -> None:
        token = self.site.world.tokens.find("value", ("token", "dev-token"))
        if token is not None:
            self._do(lambda cx: cx.world.tokens.change(token, **changes))

    @rule(span=st.sampled_from([1, MINUTE, DAY, 3 * DAY]))
    def advance(self, span: int) -> None:
        self.site.platform.advance(span)

    @rule()
    def remember(self) -> None:
        self.moment = self.site.platform.now()

    @rule()
    def restore(self) -> None:
        self.site.platform.restore(self.moment)


class TestLife(Life.TestCase):
    """Kept rendering equals fresh rendering after every random write, for three viewers: bodies, tags and headers."""

    settings = settings(
        max_examples=20,
        stateful_step_count=25,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
