"""Users of a scenario: what they have unless something else is said, and their credentials."""

import pytest

from fakeplat import scenario
from tests.scenario.worlds import (
    create_platform,
    create_world,
    get_group,
    get_status,
    get_user,
    list_levels,
    list_tokens,
    project,
)

START = "2020-11-20T09:00:00.000Z"


def test_a_named_user_has_name_address_password_and_token() -> None:
    """A user declared by name only has a name, an address, a password, a token and a confirmed account."""
    seen = create_world({"users": ["zoe"]})
    zoe = get_user(seen, "zoe")

    assert ("zoe", "zoe@example.test", "zoe-password") == (zoe.name, zoe.email, zoe.password)
    assert (START, START, START) == (zoe.created_at, zoe.updated_at, zoe.confirmed_at)
    assert ["zoe-token"] == [token.value for token in list_tokens(seen, "zoe")]


@pytest.mark.parametrize(("key", "sudo"), [("admin", True), ("is_admin", True), ("external", False)])
def test_the_token_has_all_scopes_and_sudo_only_for_administrators(key: str, sudo: bool) -> None:
    """The default token of a user has every scope; `sudo` is only for administrators."""
    (token,) = list_tokens(create_world({"users": [{"username": "zoe", key: True}]}), "zoe")

    assert ("personal", sudo) == (token.kind, "sudo" in token.scopes)
    assert {"api", "read_user", "read_api", "read_repository", "write_repository"} <= set(token.scopes)


def test_who_lists_tokens_has_those_and_no_other() -> None:
    """A user with a list of tokens, even an empty one, has no default token."""
    listed = [{"kind": "oauth", "value": "a", "scopes": ["read_user"]}, {"value": "b", "revoked": True}, "c"]
    seen = create_world({"users": [{"username": "zoe", "tokens": listed}, {"username": "yan", "tokens": []}]})

    assert [("oauth", "a", False), ("personal", "b", True), ("personal", "c", False)] == [
        (token.kind, token.value, token.revoked) for token in list_tokens(seen, "zoe")
    ]
    assert [] == list_tokens(seen, "yan")


def test_tokens_expire_on_the_worlds_clock() -> None:
    """A token is refused from the first moment of its expiry date on the world's clock."""
    platform = create_platform(
        {"users": [{"username": "zoe", "tokens": [{"value": "brief", "expires_at": "2020-11-21"}]}]}
    )

    assert 200 == get_status(platform, "user", "brief")
    platform.advance(15 * 3_600_000)
    assert 401 == get_status(platform, "user", "brief")


def test_root_can_be_changed_but_is_always_there() -> None:
    """An entry for root changes the built-in administrator, who keeps root-token."""
    seen = create_world({"users": [{"username": "root", "name": "Boss", "tokens": ["other"]}]})

    assert (1, "Boss", True) == (get_user(seen, "root").id, get_user(seen, "root").name, get_user(seen, "root").admin)
    assert {"root-token", "other"} == {token.value for token in list_tokens(seen, "root")}


def test_a_user_can_be_in_any_state() -> None:
    """A user can be declared in any state, even in states that only an administrator can set."""
    states = ["active", "blocked", "ldap_blocked", "deactivated", "blocked_pending_approval"]
    seen = create_world({"users": [{"username": f"u{n}", "state": state} for n, state in enumerate(states)]})

    assert states == [get_user(seen, f"u{n}").state for n in range(len(states))]


def test_projects_stand_under_their_user() -> None:
    """A project declared under a user is created by that user, who is its Maintainer."""
    seen = create_world({"users": [{"username": "zoe", "projects": [{"path": "notes"}]}]})
    notes = project(seen, "zoe/notes")

    assert (get_user(seen, "zoe").id, {"zoe": 40}) == (notes.creator_id, list_levels(seen, notes))


def test_a_limit_holds_from_the_end_on() -> None:
    """A declared user may have more projects than their own limit allows."""
    seen = create_world(
        {"users": [{"username": "zoe", "projects_limit": 0, "projects": [{"path": "a"}, {"path": "b"}]}]}
    )

    assert 0 == get_user(seen, "zoe").projects_limit
    assert {"a", "b"} == {project.path for project in seen.projects.all()}


def test_a_project_token_is_that_of_a_bot() -> None:
    """A project access token belongs to a bot of the project with the level of a Maintainer."""
    document = {
        "groups": [
            {"path": "acme", "projects": [{"path": "site", "access_tokens": [{"name": "ci", "value": "ci-token"}]}]}
        ]
    }
    platform = create_platform(document)
    site = project(platform.view, "acme/site")
    name = f"project_{site.id}_bot"
    (token,) = list_tokens(platform.view, name)

    assert {"root": 40, name: 40} == list_levels(platform.view, site)
    assert ("ci-token", "project", site.id) == (token.value, token.kind, token.project_id)
    assert ("ci", "project_bot") == (get_user(platform.view, name).name, get_user(platform.view, name).kind)
    assert 200 == get_status(platform, f"projects/{site.id}", "ci-token")


def test_two_project_tokens_are_two_bots() -> None:
    """The second token of a project has a bot of its own, and deleting the project deletes both bots."""
    tokens_ = [{"name": "a", "value": "a-token"}, {"name": "b", "value": "b-token"}]
    platform = create_platform({"users": [{"username": "zoe", "projects": [{"path": "p", "access_tokens": tokens_}]}]})
    record = project(platform.view, "zoe/p")

    names = [u.username for u in platform.view.users.all() if u.kind == "project_bot"]
    assert [f"project_{record.id}_bot", f"project_{record.id}_bot1"] == names
    scenario.load(platform, {"users": ["other"]})
    with platform.acting() as ctx:
        from fakeplat.domain.purging import purge

        purge(ctx, ctx.world.projects[record.id])
    assert ["root", "zoe", "other"] == [u.username for u in platform.view.users.all()]


def test_a_bot_has_a_handle_inside_the_scenario() -> None:
    """A user with bot_of is referred to by its declared name and is named after its project in the world."""
    document = {
        "users": [
            {
                "username": "robot",
                "bot_of": "acme/site",
                "tokens": [{"kind": "project", "value": "t", "project": "acme/site"}],
            }
        ],
        "groups": [{"path": "acme", "projects": [{"path": "site", "members": {"robot": "reporter"}}]}],
    }
    seen = create_world(document)
    site = project(seen, "acme/site")

    assert {f"project_{site.id}_bot": 20} == list_levels(seen, site)


def test_the_platforms_own_users_can_be_declared() -> None:
    """The ghost user can be declared before any user is deleted."""
    ghost = get_user(create_world({"users": [{"username": "ghost", "kind": "ghost"}]}), "ghost")

    assert ("ghost", "Ghost User") == (ghost.kind, ghost.name)


def test_group_of_a_user_is_found() -> None:
    """Members of a group are declared by username."""
    seen = create_world({"users": ["zoe"], "groups": [{"path": "acme", "members": {"zoe": 30}}]})

    assert {"zoe": 30} == list_levels(seen, get_group(seen, "acme"))
