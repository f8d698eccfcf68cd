"""Runner controllers, their tokens and their scopes. Source: docs/platform/runners.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import CONTROLLERS_OF_SINGLE_RUNNERS
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, NO_ROUTE, STALE, UNAUTHORIZED, invalid, names, outcome, refusal
from tests.by_release import by_release

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest", tier="ultimate")]
NOT_FOUND = (404, {"message": "404 Not Found"})
NINE = "2020-11-20T09:00:00.000Z"
TOO_LONG = (400, {"message": "400 Bad request - Description is too long (maximum is 1024 characters)"})


def create(fake: Fakeplat, **values: Any) -> str:
    """Create a runner controller, and return its path."""
    return f"runner_controllers/{fake.as_user('root').post('runner_controllers', json=values).json()['id']}"


def create_token(fake: Fakeplat, path: str, **values: Any) -> dict[str, Any]:
    """Create a token of a runner controller."""
    return dict(fake.as_user("root").post(f"{path}/tokens", json=values).json())


def create_runner(fake: Fakeplat, **values: Any) -> int:
    """Create a runner of the instance, or another one."""
    body = {"runner_type": "instance_type", **values}
    return int(fake.as_user("root").post("user/runners", json=body).json()["id"])


def test_a_runner_controller_is_disabled_at_first(fakeplat: Fakeplat) -> None:
    """A new runner controller is disabled; a list does not say whether it is connected, a single one does."""
    root = fakeplat.as_user("root")
    status, created = outcome(root.post("runner_controllers", json={"description": "Gate"}))
    expected = {
        "id": created["id"],
        "description": "Gate",
        "state": "disabled",
        "created_at": NINE,
        "updated_at": NINE,
    }
    assert (201, expected) == (status, created)

    assert [expected] == root.get("runner_controllers").json()
    assert {**expected, "connected": False} == root.get(f"runner_controllers/{created['id']}").json()


def test_a_runner_controller_is_changed_in_part(fakeplat: Fakeplat) -> None:
    """A change of the state keeps the description."""
    path, root = create(fakeplat, description="Gate"), fakeplat.as_user("root")

    changed = root.put(path, json={"state": "dry_run"}).json()
    assert ("Gate", "dry_run") == (changed["description"], changed["state"])
    assert invalid("state does not have a valid value") == refusal(fakeplat, "root", "PUT", path, json={"state": "on"})
    assert TOO_LONG == refusal(fakeplat, "root", "PUT", path, json={"description": "x" * 1025})
    assert TOO_LONG == refusal(fakeplat, "root", "POST", "runner_controllers", json={"description": "x" * 1025})


def test_a_runner_controller_is_deleted_with_its_tokens(fakeplat: Fakeplat) -> None:
    """The deletion is conditional; afterwards nothing below the controller is found."""
    path, root = create(fakeplat), fakeplat.as_user("root")
    create_token(fakeplat, path)
    early = {"If-Unmodified-Since": "Wed, 01 Jan 2020 00:00:00 GMT"}

    assert STALE == refusal(fakeplat, "root", "DELETE", path, headers=early)
    assert 204 == root.delete(path).status
    assert NOT_FOUND == refusal(fakeplat, "root", "GET", path)
    assert NOT_FOUND == refusal(fakeplat, "root", "GET", f"{path}/tokens")
    assert [] == list(fakeplat.bench.platform.view.runner_controller_tokens.all())


def test_only_administrators_have_runner_controllers(fakeplat: Fakeplat) -> None:
    """The administrator is checked before the record is looked up."""
    for path in ("runner_controllers", "runner_controllers/1/tokens/1", "runner_controllers/1/scopes"):
        assert FORBIDDEN == refusal(fakeplat, "mia", "GET", path)
        assert UNAUTHORIZED == refusal(fakeplat, None, "GET", path)


@pytest.mark.fakeplat(tier="premium")
def test_runner_controllers_need_the_highest_tier(fakeplat: Fakeplat) -> None:
    """Below ultimate there are no runner controllers."""
    assert NOT_FOUND == refusal(fakeplat, "root", "GET", "runner_controllers")


@pytest.mark.fakeplat(version="18.8")
def test_runner_controllers_came_with_18_9(fakeplat: Fakeplat) -> None:
    """Earlier releases do not know the path."""
    assert NO_ROUTE == refusal(fakeplat, "root", "GET", "runner_controllers")


def test_a_token_is_shown_once(fakeplat: Fakeplat) -> None:
    """Only the answer to its creation contains the token, which has a prefix of its own."""
    path, root = create(fakeplat), fakeplat.as_user("root")
    token = create_token(fakeplat, path, description="production")
    secret = token.pop("token")

    assert secret.startswith("glrct-")
    assert {
        "id": token["id"],
        "runner_controller_id": int(path.rpartition("/")[2]),
        "description": "production",
        "last_used_at": None,
        "created_at": token["created_at"],
        "updated_at": token["created_at"],
    } == token
    assert [token] == root.get(f"{path}/tokens").json()
    assert token == root.get(f"{path}/tokens/{token['id']}").json()
    assert TOO_LONG == refusal(fakeplat, "root", "POST", f"{path}/tokens", json={"description": "x" * 1025})


def test_a_revoked_token_is_not_found(fakeplat: Fakeplat) -> None:
    """Revoking a token hides it from all further requests."""
    path, root = create(fakeplat), fakeplat.as_user("root")
    token = create_token(fakeplat, path)
    own = f"{path}/tokens/{token['id']}"

    assert 204 == root.delete(own).status
    assert [] == root.get(f"{path}/tokens").json()
    for method, rest in (("GET", ""), ("DELETE", ""), ("POST", "/rotate")):
        assert NOT_FOUND == refusal(fakeplat, "root", method, own + rest)


def test_a_token_belongs_to_its_controller(fakeplat: Fakeplat) -> None:
    """The token of another controller is not found."""
    path, other = create(fakeplat), create(fakeplat)
    token = create_token(fakeplat, path)

    assert NOT_FOUND == refusal(fakeplat, "root", "GET", f"{other}/tokens/{token['id']}")


def test_rotation_replaces_a_token(fakeplat: Fakeplat) -> None:
    """Rotation revokes a token and answers with a new one of the same description."""
    path, root = create(fakeplat), fakeplat.as_user("root")
    token = create_token(fakeplat, path, description="production")

    status, rotated = outcome(root.post(f"{path}/tokens/{token['id']}/rotate"))
    assert (200, "production") == (status, rotated["description"])
    assert token["token"] != rotated["token"]
    assert [rotated["id"]] == names(root.get(f"{path}/tokens").json(), "id")


def test_a_controller_whose_token_was_used_is_connected(fakeplat_factory: Any) -> None:
    """A controller is connected for an hour after the last use of one of its tokens."""
    controllers = [
        {"description": "new", "controller_tokens": [{"last_used_at": "2020-11-20T08:30:00Z"}]},
        {"description": "old", "controller_tokens": [{"last_used_at": "2020-11-20T07:30:00Z"}]},
        {"controller_tokens": [{"last_used_at": "2020-11-20T08:30:00Z", "revoked": True}]},
    ]
    clock = {"kind": "virtual", "start": NINE}
    scenario = {"runner_controllers": controllers, "clock": clock}
    fake = fakeplat_factory(scenario=scenario, version="latest", tier="ultimate")
    root = fake.as_user("root")
    ids = names(root.get("runner_controllers").json(), "id")

    assert [True, False, False] == [root.get(f"runner_controllers/{id_}").json()["connected"] for id_ in ids]


def test_a_controller_decides_about_all_runners_or_about_some(fakeplat: Fakeplat) -> None:
    """While a controller covers all runners, single ones cannot be added; each scope is there once."""
    path, root, runner = create(fakeplat), fakeplat.as_user("root"), create_runner(fakeplat)
    own = f"{path}/scopes/runners/{runner}"

    status, scope = outcome(root.post(own))
    assert (201, ["runner_id", "created_at", "updated_at"], runner) == (status, list(scope), scope["runner_id"])
    expected = {"instance_level_scopings": [], "runner_level_scopings": [scope]}
    assert expected == root.get(f"{path}/scopes").json()
    text = "Runner scope already exists for this runner controller"
    assert (409, {"message": text}) == refusal(fakeplat, "root", "POST", own)

    assert ["created_at", "updated_at"] == list(root.post(f"{path}/scopes/instance").json())
    text = "Instance-level scope already exists for this runner controller"
    assert (409, {"message": text}) == refusal(fakeplat, "root", "POST", f"{path}/scopes/instance")
    text = "Runner controller already has instance-level scope. Remove it before adding runner scopes."
    assert (409, {"message": text}) == refusal(fakeplat, "root", "POST", own)

    assert [204, 204] == [root.delete(f"{path}/scopes/instance").status for _ in range(2)]
    assert [204, 204] == [root.delete(own).status for _ in range(2)]
    assert {"instance_level_scopings": [], "runner_level_scopings": []} == root.get(f"{path}/scopes").json()


@by_release(
    CONTROLLERS_OF_SINGLE_RUNNERS,
    "expected",
    {"18.9": ["instance_level_scopings"], "18.10": ["instance_level_scopings", "runner_level_scopings"]},
)
def test_single_runners_were_scoped_later(fakeplat: Fakeplat, expected: list[str]) -> None:
    """The first release of runner controllers knows only the scope of all runners."""
    assert expected == list(fakeplat.as_user("root").get(f"{create(fakeplat)}/scopes").json())


def test_only_runners_of_the_instance_are_scoped(fakeplat: Fakeplat) -> None:
    """A runner of a project is refused with 422, an unknown one with 404."""
    path = create(fakeplat)
    project = fakeplat.as_user("root").get("projects/acme%2Fsite").json()["id"]
    runner = create_runner(fakeplat, runner_type="project_type", project_id=project)
    own = f"{path}/scopes/runners/{runner}"

    text = "Only instance-type runners can be scoped"
    assert (422, {"message": text}) == refusal(fakeplat, "root", "POST", own)
    assert NOT_FOUND == refusal(fakeplat, "root", "POST", f"{path}/scopes/runners/1")
    assert NOT_FOUND == refusal(fakeplat, "root", "DELETE", f"{path}/scopes/runners/1")


def test_there_is_no_job_router(fakeplat: Fakeplat) -> None:
    """A runner learns that the instance runs no job router; others are refused."""
    token = fakeplat.as_user("root").post("user/runners", json={"runner_type": "instance_type"}).json()["token"]
    path = "runners/router/discovery"

    text = "Job Router is not available. Please contact your administrator."
    assert (501, {"message": text}) == refusal(fakeplat, None, "GET", path, headers={"Runner-Token": token})
    assert FORBIDDEN == refusal(fakeplat, None, "GET", path, headers={"Runner-Token": "unknown"})
    assert FORBIDDEN == refusal(fakeplat, "root", "GET", path)
