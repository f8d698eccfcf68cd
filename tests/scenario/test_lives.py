"""Whatever happens in a world, it can be told, and loading what is told makes it again."""

from collections.abc import Callable
from random import Random
from typing import Any

import orjson
import pytest

from fakeplat import scenario
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.model.people import Group
from fakeplat.platform import Platform
from tests.examples import examples
from tests.scenario.answers import ANONYMOUS, collect_responses, compare_values
from tests.scenario.rich import RICH
from tests.scenario.worlds import create_platform, reload_export

DAY = 86_400_000
BEGINNINGS: list[Any] = [
    "empty",
    RICH,
    {**RICH, "instance": {"tier": "ultimate"}},
    {"extends": "starter", "instance": {"tier": "premium"}},
]


class Life:
    """A world in which things happen by chance; what is refused does not happen."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.platform = create_platform(self.chance.choice(BEGINNINGS))
        self.made = 0

    def go_on(self) -> None:
        self.chance.choice(ACTS)(self)

    def ask(self, method: str, target: str, **body: Any) -> None:
        tokens = [token.value for token in self.platform.view.tokens.all() if token.kind == "personal"]
        headers = {"private-token": self.chance.choice([*tokens, *["root-token"] * len(tokens)]), "content-type": JSON}
        request = Request(method, f"/api/v4/{target}", headers=headers, body=orjson.dumps(body))
        assert self.platform.handle(request).status < 500, (method, target, body)

    def name(self) -> str:
        self.made += 1
        return f"n{self.made}"

    def visibility(self) -> str:
        return self.chance.choice(["private", "internal", "public"])

    def level(self) -> int:
        return self.chance.choice([10, 20, 30, 40, 50])

    def user(self) -> int:
        """Somebody who is neither root nor a bot, if there is anybody."""
        users = self.platform.view.users.all()
        return self.chance.choice([user.id for user in users if user.kind == "human" and user.id != 1] or [0])

    def group(self) -> int:
        groups = [space.id for space in self.platform.view.namespaces.all() if isinstance(space, Group)]
        return self.chance.choice(groups or [0])

    def project(self) -> int:
        return self.chance.choice([project.id for project in self.platform.view.projects.all()] or [0])

    def place(self) -> str:
        return self.chance.choice([f"groups/{self.group()}", f"projects/{self.project()}"])


def create_user(life: Life) -> None:
    name = life.name()
    rest = {"name": life.chance.choice([name, "Same Name"]), "email": f"{name}@x.test", "password": "p" * 24}
    life.ask("POST", "users", username=name, **rest, skip_confirmation=life.chance.random() < 0.5)


def change_user(life: Life) -> None:
    name = life.name()
    life.ask("PUT", f"users/{life.user()}", username=name, email=f"{name}@x.test", bio="x", password="q" * 30)


def create_group(life: Life) -> None:
    name, parent = life.name(), life.chance.choice([None, life.group()])
    life.ask("POST", "groups", path=name, name=name, visibility=life.visibility(), parent_id=parent)


def change_group(life: Life) -> None:
    name = life.name()
    life.ask("PUT", f"groups/{life.group()}", name=name, path=name, visibility=life.visibility())


def create_project(life: Life) -> None:
    name, space = life.name(), life.chance.choice([None, life.group()])
    life.ask("POST", "projects", name=name, visibility=life.visibility(), namespace_id=space, wiki_enabled=False)


def change_project(life: Life) -> None:
    policy = {"container_expiration_policy_attributes": {"cadence": "7d"}}
    life.ask("PUT", f"projects/{life.project()}", path=life.name(), visibility=life.visibility(), **policy)


def add_member(life: Life) -> None:
    last_day = life.chance.choice([None, "2020-12-20", "2030-01-01"])
    life.ask("POST", f"{life.place()}/members", user_id=life.user(), access_level=life.level(), expires_at=last_day)


def share_project(life: Life) -> None:
    life.ask("POST", f"{life.place()}/share", group_id=life.group(), group_access=30)


def set_custom_attribute(life: Life) -> None:
    path = life.chance.choice([life.place(), f"users/{life.user()}"])
    life.ask("PUT", f"{path}/custom_attributes/{life.chance.choice('ab')}", value="x")


def load_fragment(life: Life) -> None:
    """People and places that are older than they should be, with a bot among the members."""
    name, old = life.name(), life.chance.choice(["2001-01-01T00:00:00Z", "2021-01-01T00:00:00Z"])
    inside = {"path": "x", "visibility": "private", "created_at": old, "access_tokens": [{"name": "robot"}]}
    group = {"path": f"{name}s", "created_at": old, "members": {name: "owner"}, "projects": [inside]}
    scenario.load(life.platform, {"users": [{"username": name, "created_at": old}], "groups": [group]})


ACTS: list[Callable[[Life], None]] = [
    create_user,
    change_user,
    lambda life: life.ask("POST", f"users/{life.user()}/{life.chance.choice(['block', 'deactivate', 'unblock'])}"),
    lambda life: life.ask("DELETE", f"users/{life.user()}", hard_delete=life.chance.random() < 0.5),
    create_group,
    change_group,
    create_project,
    create_project,
    change_project,
    lambda life: life.ask("DELETE", f"projects/{life.project()}"),
    lambda life: life.ask(
        "POST", f"projects/{life.project()}/{life.chance.choice(['star', 'unstar', 'archive', 'unarchive', 'restore'])}"
    ),
    add_member,
    add_member,
    lambda life: life.ask("DELETE", f"{life.place()}/members/{life.user()}"),
    share_project,
    set_custom_attribute,
    load_fragment,
    lambda life: life.platform.advance(life.chance.choice([1, DAY, 9 * DAY])),
]


def list_viewers(platform: Platform) -> tuple[str, ...]:
    """root, nobody, and some people who have a token."""
    world = platform.view
    people = [user for user in world.users.all() if user.kind == "human" and len(world.tokens.ids("user", user.id))]
    return ("root", ANONYMOUS, *[user.username for user in people[1::4]])


@pytest.mark.hypothesis  # a property, too
@pytest.mark.parametrize("seed", range(examples(4)))
def test_any_sequence_of_changes_survives_a_round_trip(seed: int) -> None:
    """After random changes every GET but avatars answers the same in a world loaded from the export."""
    life = Life(seed)
    for _ in range(30):
        life.go_on()
    usernames = list_viewers(life.platform)

    changed = compare_values(
        collect_responses(life.platform, usernames), collect_responses(reload_export(life.platform), usernames)
    )
    assert [] == [change for change in changed if "/avatar/" not in change]
