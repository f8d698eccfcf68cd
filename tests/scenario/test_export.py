"""What a world holds can be said as a scenario, and loading that makes the same world again, ids apart."""

from typing import Any

import orjson
import pytest

from fakeplat import scenario
from fakeplat.platform import Platform
from tests.scenario.answers import ANONYMOUS, collect_responses, compare_values
from tests.scenario.rich import RICH, VIEWERS
from tests.scenario.worlds import create_platform, reload_export, write


def list_changes(platform: Platform, viewers: tuple[str, ...] = VIEWERS) -> list[str]:
    """What answers otherwise after a round trip."""
    return list(
        compare_values(collect_responses(platform, viewers), collect_responses(reload_export(platform), viewers))
    )


def test_the_starter_answers_the_same_after_a_round_trip() -> None:
    """Every GET of every viewer answers the same after the starter scenario is exported and loaded."""
    viewers = ("root", "ada", "mia", "dev", "rep", "gus", "eve", "ext", "bob", ANONYMOUS)

    assert [] == list_changes(create_platform("starter"), viewers)


@pytest.mark.parametrize("tier", ["free", "premium", "ultimate"])
def test_a_rich_world_answers_the_same_after_a_round_trip(tier: str) -> None:
    """Every GET answers the same after a world with every scenario key is exported and loaded."""
    assert [] == list_changes(create_platform({**RICH, "instance": {"tier": tier}}))


def test_a_changed_world_answers_the_same_after_a_round_trip() -> None:
    """Records that were created through the API are exported in the order of their creation."""
    platform = create_platform(RICH)
    zoe = create_user(platform, "zoe")
    group = write(platform, "POST", "groups", "ada-token", path="fresh", name="Fresh", visibility="internal")
    create_user(platform, "yan")
    newest = write(platform, "POST", "projects", "ada-token", name="Newest", namespace_id=group["id"])
    write(platform, "POST", f"projects/{newest['id']}/members", "ada-token", user_id=zoe["id"], access_level=20)
    write(platform, "POST", f"groups/{group['id']}/members", "ada-token", user_id=zoe["id"], access_level=30)
    write(platform, "POST", "projects/acme%2Fdocs/star", "eve-token")
    write(platform, "PUT", "projects/acme%2Fdocs/transfer", "root-token", namespace="fresh")
    write(platform, "POST", f"users/{zoe['id']}/block", "root-token")
    scenario.load(platform, {"users": [{"username": "zoe", "tokens": ["zoe-token"]}]})

    assert [] == list_changes(platform, (*VIEWERS, "zoe"))


def create_user(platform: Platform, username: str) -> dict[str, Any]:
    rest = {"name": username.title(), "email": f"{username}@x.test", "password": f"a-long-password-of-{username}"}
    return write(platform, "POST", "users", "root-token", username=username, **rest)


def test_what_was_loaded_with_an_older_date_keeps_its_place() -> None:
    """Users, groups and projects are exported in the order of their ids, whatever their dates are."""
    platform = create_platform("starter")
    scenario.load(platform, {"groups": [{"path": "old", "created_at": "2001-01-01T00:00:00Z"}]})
    scenario.load(platform, {"users": [{"username": "older", "created_at": "2000-01-01T00:00:00Z"}]})
    scenario.load(platform, {"groups": [{"path": "newer", "created_at": "2020-11-20T09:00:00Z"}]})
    scenario.load(platform, {"projects": [{"path_with_namespace": "old/first", "created_at": "1999-01-01T00:00:00Z"}]})

    assert [] == list_changes(platform, ("root", "older"))


def test_files_come_back_as_they_were() -> None:
    """Avatars and uploads keep their name, type, secret and content after a round trip."""
    platform = create_platform(RICH)

    def files(of: Platform) -> list[tuple[str, ...]]:
        return sorted((f.owner[0], f.secret, f.filename, f.content_type, f.data.hex()) for f in of.view.files.all())

    assert 5 == len(files(platform))
    assert files(platform) == files(reload_export(platform))


def test_credentials_come_back_as_they_were() -> None:
    """Tokens keep all their fields, and users keep their passwords, after a round trip."""
    platform = create_platform(RICH)

    def tokens(of: Platform) -> list[Any]:
        return sorted(
            (t.value, t.kind, t.name, t.scopes, t.expires_at, t.revoked, t.created_at) for t in of.view.tokens
        )

    assert tokens(platform) == tokens(reload_export(platform))
    assert [u.password for u in platform.view.users.all()] == [
        u.password for u in reload_export(platform).view.users.all()
    ]


def test_work_on_the_agenda_comes_back() -> None:
    """Expiring memberships and shares and the deletion of marked projects are scheduled again after a round trip."""
    platform = create_platform({**RICH, "instance": {"tier": "premium"}})
    twin = reload_export(platform)
    kinds = sorted(due.kind for due in platform.view.scheduled_tasks.all())

    assert ["delete_project", "expire_membership", "expire_share"] == kinds
    assert kinds == sorted(due.kind for due in twin.view.scheduled_tasks.all())
    for each in (platform, twin):
        each.settle()
    assert [] == list_changes(platform)


def test_a_second_export_says_the_same() -> None:
    """The export of a world that was loaded from an export is equal to it, except for the draws of randomness."""
    first = scenario.export_world(create_platform(RICH))
    second = scenario.export_world(create_platform(first))
    for exported in (first, second):
        del exported["chance"]

    assert [] == list(compare_values(first, second))
    assert orjson.dumps(first) == orjson.dumps(second)


def test_time_and_chance_go_on_where_they_stood() -> None:
    """In a loaded export the clock and the random numbers continue where they were."""
    platform = create_platform(RICH)
    platform.advance(3_600_000)
    twin = reload_export(platform)

    assert platform.clock.now() == twin.clock.now()
    assert platform.clock.tick == twin.clock.tick
    assert draw_values(platform) == draw_values(twin)


def draw_values(platform: Platform) -> list[str]:
    with platform.acting() as ctx:
        return [ctx.random_hex(purpose) for purpose in ("upload", "token", "password", "runners token")]


def test_a_world_is_exported_without_a_clock() -> None:
    """The export of a view has no clock unless the time is passed."""
    platform = create_platform("starter")

    assert "clock" not in scenario.export_world(platform.view)
    assert {"start": "2020-11-20T09:00:00.000Z"} == scenario.export_world(platform.view, platform.clock.now())["clock"]
    assert scenario.export_world(platform.view)["users"] == scenario.export_world(platform)["users"]


def test_an_export_says_no_more_than_it_must() -> None:
    """An export leaves out what loading adds by default."""
    exported = scenario.export_world(
        create_platform({"users": ["ada"], "groups": [{"path": "acme", "members": {"ada": "owner"}}]})
    )

    assert ["root", "ada"] == [user["username"] for user in exported["users"]]
    assert {"username": "ada", "created_at": "2020-11-20T09:00:00.000Z"} == exported["users"][1]
    assert {"ada": "owner"} == exported["groups"][0]["members"]
    assert {"full_path", "name", "created_at", "visibility", "runners_token", "members"} == exported["groups"][0].keys()


def test_no_record_is_exported_by_its_id() -> None:
    """An export refers to records by natural keys; the only ids in it are UI numbers and a credential."""
    keys = {
        key for key in collect_keys(scenario.export_world(create_platform(RICH))) if key == "id" or key.endswith("_id")
    }

    assert {"theme_id", "color_scheme_id", "unleash_instance_id"} == keys


def collect_keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(collect_keys, value.values()))
    return set().union(*map(collect_keys, value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("owner", ["issues/1", "merge_requests/1"])
def test_a_negative_estimate_survives_the_round_trip(owner: str) -> None:
    """A negative time estimate, which the platform accepts, survives a round trip."""
    platform = create_platform("starter")
    write(platform, "POST", f"projects/acme%2Fsite/{owner}/time_estimate", "root-token", duration="-1h")
    table = owner.partition("/")[0]

    assert -3600 in [record.time_estimate for record in getattr(reload_export(platform).view, table).all()]
