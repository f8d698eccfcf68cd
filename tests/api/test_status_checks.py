"""External status checks of merge requests, and places on merge trains. Source: docs/platform/merge-requests.md."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import SECRETS_OF_CHECKS_ARE_BOUNDED
from tests.api.merge_requests import OPEN, get_json
from tests.api.pipelines import load_project
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, refusal
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", tier="ultimate")
CHECKS = "projects/acme%2Fsite/external_status_checks"
MISSING = (404, {"message": "404 Not found"})


def create_check(fake: Fakeplat, name: str = "QA") -> Any:
    answer = fake.as_user("mia").post(CHECKS, json={"name": name, "external_url": f"https://{name}.example.com"})
    assert 201 == answer.status, answer.text
    return answer.json()


def respond(fake: Fakeplat, check: dict[str, Any], status: str, **more: Any) -> Any:
    body = {"external_status_check_id": check["id"], "sha": get_json(fake)["sha"], "status": status, **more}
    return fake.as_user("dev").post(f"{OPEN}/status_check_responses", json=body)


def list_statuses(fake: Fakeplat) -> list[tuple[str, str]]:
    return [(row["name"], row["status"]) for row in get_json(fake, f"{OPEN}/status_checks", by="dev")]


def test_a_service_responds(fakeplat: Fakeplat) -> None:
    """A check is pending until a service says whether the head passed; the last word counts."""
    check = create_check(fakeplat)
    seen = [list_statuses(fakeplat)]
    respond(fakeplat, check, "failed")
    seen.append(list_statuses(fakeplat))
    answer = respond(fakeplat, check, "passed")
    seen.append(list_statuses(fakeplat))

    assert [[("QA", "pending")], [("QA", "failed")], [("QA", "passed")]] == seen
    assert (201, {"id", "merge_request", "external_status_check"}) == (answer.status, set(answer.json()))
    assert (check["id"], 1) == (answer.json()["external_status_check"]["id"], answer.json()["merge_request"]["iid"])


def test_a_response_names_the_head(fakeplat: Fakeplat) -> None:
    """A response to another commit is refused, as is one to an unknown check, or with an unknown status."""
    check, sha = create_check(fakeplat), get_json(fakeplat)["sha"]
    body = {"external_status_check_id": check["id"], "sha": sha, "status": "passed"}
    path = f"{OPEN}/status_check_responses"

    assert (409, {"message": f"SHA does not match HEAD of source branch: {sha}"}) == refusal(
        fakeplat, "dev", "POST", path, json={**body, "sha": "0" * 40}
    )
    assert MISSING == refusal(fakeplat, "dev", "POST", path, json={**body, "external_status_check_id": 1})
    assert (400, {"error": "status does not have a valid value"}) == refusal(
        fakeplat, "dev", "POST", path, json={**body, "status": "good"}
    )
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", path, json=body)


def test_retrying(fakeplat: Fakeplat) -> None:
    """Only a failed check is retried; it is pending again."""
    check = create_check(fakeplat)
    path = f"{OPEN}/status_checks/{check['id']}/retry"
    assert (422, {"message": "External status check must be failed"}) == refusal(fakeplat, "dev", "POST", path)
    respond(fakeplat, check, "failed")
    answer = fakeplat.as_user("dev").post(path)

    assert (202, {"message": "202 Accepted"}) == (answer.status, answer.json())
    assert [("QA", "pending")] == list_statuses(fakeplat)
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", path)


def test_changing_and_deleting_checks(fakeplat: Fakeplat) -> None:
    """Maintainers change and delete checks; the others get 401."""
    create_check(fakeplat, "other")
    path = f"{CHECKS}/{create_check(fakeplat)['id']}"
    changed = fakeplat.as_user("mia").put(path, json={"name": "Quality", "shared_secret": "s"}).json()

    assert ("Quality", True) == (changed["name"], changed["hmac"])
    assert (422, {"message": ["Name has already been taken"]}) == refusal(
        fakeplat, "mia", "PUT", path, json={"name": "other"}
    )
    for method in ("PUT", "DELETE"):
        assert UNAUTHORIZED == refusal(fakeplat, "dev", method, path)
        assert MISSING == refusal(fakeplat, "mia", method, f"{CHECKS}/1")
    assert 204 == fakeplat.as_user("mia").delete(path).status
    assert [("other", "pending")] == list_statuses(fakeplat)


@by_release(SECRETS_OF_CHECKS_ARE_BOUNDED, "status", {"18.8": 201, "18.9": 422})
def test_a_long_secret(fakeplat: Fakeplat, status: int) -> None:
    """Later releases refuse a secret of more than 255 characters."""
    body = {"name": "QA", "external_url": "https://qa.example.com", "shared_secret": "a" * 256}
    answer = fakeplat.as_user("mia").post(CHECKS, json=body)

    assert status == answer.status
    if status == 422:
        assert ["Shared secret is too long (maximum is 255 characters)"] == answer.json()["message"]


def test_a_place_on_a_merge_train(fakeplat: Fakeplat) -> None:
    """The train of a branch has the merge requests into it; one that is on none is a 404."""
    load_project(fakeplat, merge_requests=[{"iid": 1, "merge_train": {"user": "dev"}}])
    branch = get_json(fakeplat)["target_branch"]
    trains = "projects/acme%2Fsite/merge_trains"
    rows = [[row["merge_request"]["iid"] for row in get_json(fakeplat, f"{trains}/{name}")] for name in (branch, "x")]

    assert [[1], []] == rows
    assert 1 == get_json(fakeplat, f"{trains}/merge_requests/1")["merge_request"]["iid"]
    assert (404, {"message": "404 Merge Train Merge Request Not Found"}) == refusal(
        fakeplat, "dev", "GET", f"{trains}/merge_requests/2"
    )


@pytest.mark.parametrize(
    ("version", "expected"), [("16.0", "external_status_checks"), ("latest", "status_checks_must_pass")]
)
def test_required_checks(fakeplat_factory: Callable[..., Fakeplat], version: str, expected: str) -> None:
    """A project may require all checks to pass before a merge."""
    with fakeplat_factory(version=version, tier="ultimate") as fake:
        check = create_check(fake)
        load_project(fake, only_allow_merge_if_all_status_checks_passed=True)
        statuses = [get_json(fake)["detailed_merge_status"]]
        refused = fake.as_user("mia").put(f"{OPEN}/merge").status
        respond(fake, check, "passed")

        assert [expected, 405, "mergeable"] == [*statuses, refused, get_json(fake)["detailed_merge_status"]]
