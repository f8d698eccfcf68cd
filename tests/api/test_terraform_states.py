"""States of Terraform, as its HTTP backend reads and writes them. Source: docs/platform/terraform-states.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import LOCKED_TERRAFORM_STATES_STAY
from tests.api.company import COMPANY
from tests.api.package_files import SITE, basic, finish_jobs, job_token, list_statuses
from tests.by_release import by_release
from tests.graphql.queries import query_data

pytestmark = [
    pytest.mark.every_release,
    pytest.mark.fakeplat(clock="virtual", scenario=COMPANY, default_branch="master"),
]
STATE = f"{SITE}/terraform/state/production"
LOCK = {
    "ID": "0c1d-22",
    "Operation": "OperationTypeApply",
    "Info": "",
    "Who": "mia@laptop",
    "Version": "1.9.0",
    "Created": "2020-11-20T09:00:00.123456Z",
    "Path": "",
}


def upload(fake: Fakeplat, serial: int, lock_id: str = "") -> Any:
    return fake.as_user("mia").post(f"{STATE}{f'?ID={lock_id}' if lock_id else ''}", json={"serial": serial})


def list_serials(fake: Fakeplat) -> list[int]:
    return sorted(version.serial for version in fake.bench.platform.view.terraform_state_versions.all())


def test_a_missing_state_is_not_found(fakeplat: Fakeplat) -> None:
    """A state that nobody has uploaded is 404, from which Terraform starts anew."""
    reply = fakeplat.as_user("mia").get(STATE)
    assert (404, {"message": "404 Not found"}) == (reply.status, reply.json())


def test_a_state_is_uploaded_and_downloaded(fakeplat: Fakeplat) -> None:
    """The latest version is downloaded as it was uploaded; its number is the serial in it."""
    caller = fakeplat.as_user("mia")
    content = b'{\n  "version": 4,\n  "serial": 7\n}'
    first = caller.post(STATE, data=content, headers={"Content-Type": "application/json"})
    assert (200, '""') == (first.status, first.text)
    upload(fakeplat, 8)
    latest = caller.get(STATE)
    assert (200, "application/octet-stream", b'{"serial":8}') == (
        latest.status,
        latest.headers["Content-Type"],
        latest.content,
    )
    assert content == caller.get(f"{STATE}/versions/7").content
    assert [7, 8] == list_serials(fakeplat)


def test_an_empty_upload_creates_nothing(fakeplat: Fakeplat) -> None:
    """An upload without a body is 204 and creates no state."""
    assert 204 == fakeplat.as_user("mia").post(STATE, data=b"").status
    assert [] == [*fakeplat.bench.platform.view.terraform_states.all()]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"no json", "invalid JSON"), (b"[" * 5_000, "invalid JSON"), (b"{}", "No serial in payload")],
    ids=["text", "too deep", "no serial"],
)
def test_files_that_are_no_states_are_refused(fakeplat: Fakeplat, content: bytes, message: str) -> None:
    """A state has to be JSON with a serial."""
    reply = fakeplat.as_user("mia").post(STATE, data=content)
    assert (422, {"message": message}) == (reply.status, reply.json())
    assert [] == [*fakeplat.bench.platform.view.terraform_states.all()]


def test_a_serial_is_taken_once(fakeplat: Fakeplat) -> None:
    """A second version with the serial of another is 422 and changes nothing."""
    upload(fakeplat, 1)
    assert 422 == upload(fakeplat, 1).status
    assert [1] == list_serials(fakeplat)


@pytest.mark.fakeplat(version="16.11", scenario=COMPANY)
def test_the_size_of_states_is_limited(fakeplat: Fakeplat) -> None:
    """A state above max_terraform_state_size_bytes is 413; 0 is no limit."""
    root, size = fakeplat.as_user("root"), len(b'{"serial":1}')
    root.put("application/settings", json={"max_terraform_state_size_bytes": size - 1})
    refused = upload(fakeplat, 1)
    assert (413, {"message": "413 Request Entity Too Large"}) == (refused.status, refused.json())
    root.put("application/settings", json={"max_terraform_state_size_bytes": size})
    assert 200 == upload(fakeplat, 1).status


def test_a_lock_keeps_others_out(fakeplat: Fakeplat) -> None:
    """Who locks a state gets the lock back; another one gets 409 with the lock that there is."""
    mine = fakeplat.as_user("mia").post(f"{STATE}/lock", json=LOCK)
    held = {
        "Operation": "OperationTypeApply",
        "Info": "",
        "Version": "1.9.0",
        "Path": "",
        "ID": "0c1d-22",
        "Who": "mia",
        "Created": "2020-11-20T09:00:00.000Z",
    }
    other = fakeplat.as_user("ada").post(f"{STATE}/lock", json={**LOCK, "ID": "other", "Version": "1.8.0"})
    assert [(200, held), (409, {**held, "Version": "1.8.0"})] == [
        (reply.status, reply.json()) for reply in (mine, other)
    ]
    # A locked state without a version has no content yet.
    assert 204 == fakeplat.as_user("mia").get(STATE).status


def test_a_locked_state_is_changed_with_its_lock_only(fakeplat: Fakeplat) -> None:
    """An upload has to name the lock; its version was created by who holds it."""
    fakeplat.as_user("ada").post(f"{STATE}/lock", json=LOCK)
    assert [409, 409, 200] == [upload(fakeplat, 1, lock).status for lock in ("", "other", LOCK["ID"])]
    (version,) = fakeplat.bench.platform.view.terraform_state_versions.all()
    assert version.creator_id == fakeplat.world.user("ada").id


def test_a_lock_is_removed_with_its_id_or_by_force(fakeplat: Fakeplat) -> None:
    """A wrong id is 409 and leaves the lock; the right one and none at all remove it."""
    caller, path = fakeplat.as_user("mia"), f"{STATE}/lock"
    for body, expected in (({"ID": "other"}, (409, 409)), (LOCK, (200, 200)), (None, (200, 200))):
        caller.post(path, json=LOCK)
        reply = caller.delete(path, json=body) if body else caller.delete(path)
        assert expected == (reply.status, reply.json())
        (state,) = fakeplat.bench.platform.view.terraform_states.all()
        assert (LOCK["ID"] if reply.status == 409 else None) == state.lock_id


def test_a_lock_needs_all_that_terraform_sends(fakeplat: Fakeplat) -> None:
    """Each part of a lock is required, and its id is not too long."""
    path = f"{STATE}/lock"
    empty, long = (fakeplat.as_user("mia").post(path, json=body) for body in ({}, {**LOCK, "ID": "x" * 256}))
    texts = ", ".join(f"{name} is missing" for name in LOCK)
    assert [(400, {"error": texts}), (400, {"error": "ID must be less than 255 characters"})] == [
        (empty.status, empty.json()),
        (long.status, long.json()),
    ]


@by_release(LOCKED_TERRAFORM_STATES_STAY, "expected", {"15.2": [409, 200, 200], "15.3": [200, 200, 404]})
def test_a_locked_state_is_deleted_with_its_lock_or_not_at_all(fakeplat: Fakeplat, expected: list[int]) -> None:
    """First a locked state is deleted by who names its lock, later it stays although the answer is 200."""
    caller = fakeplat.as_user("mia")
    caller.post(f"{STATE}/lock", json=LOCK)
    replies = [caller.delete(STATE), caller.delete(f"{STATE}?ID={LOCK['ID']}")]
    kept = [state.name for state in fakeplat.bench.platform.view.terraform_states.all()]
    assert (["production"] if expected[0] == 200 else []) == kept
    caller.delete(f"{STATE}/lock")
    upload(fakeplat, 1)
    assert 200 == caller.delete(STATE).status
    assert expected == [*(reply.status for reply in replies), caller.delete(STATE).status]
    assert [] == list_serials(fakeplat)


@pytest.mark.fakeplat(version="latest", scenario=COMPANY)
def test_versions_are_deleted_one_by_one(fakeplat: Fakeplat) -> None:
    """Without its latest version, a state is what the version before says; an unknown serial is 404."""
    caller = fakeplat.as_user("mia")
    assert [200, 200] == [upload(fakeplat, serial).status for serial in (1, 2)]
    assert 204 == caller.delete(f"{STATE}/versions/2").status
    assert b'{"serial":1}' == caller.get(STATE).content
    missing = [caller.request(method, f"{STATE}/versions/2") for method in ("GET", "DELETE")]
    assert [(404, {"message": "404 Not Found"})] * 2 == [(reply.status, reply.json()) for reply in missing]


def test_names_have_dots_and_slashes(fakeplat: Fakeplat) -> None:
    """A name may have a dot and an encoded slash."""
    caller = fakeplat.as_user("mia")
    paths = [f"{SITE}/terraform/state/{name}" for name in ("prod.eu", "prod%2Feu")]
    assert [200, 200] == [caller.post(path, json={"serial": 1}).status for path in paths]
    assert ["prod.eu", "prod/eu"] == sorted(state.name for state in fakeplat.bench.platform.view.terraform_states.all())


def test_roles_that_read_and_change_states(fakeplat: Fakeplat) -> None:
    """Developers read states, maintainers change them; archived projects keep theirs open."""
    upload(fakeplat, 1)
    assert "401 404 404 403 403 200 200 200 200" == list_statuses(fakeplat, "GET", STATE)
    assert "401 404 404 403 403 403 200 200 200" == list_statuses(fakeplat, "POST", STATE, json={"serial": 2})
    fakeplat.as_user("root").post(f"{SITE}/archive")
    assert 200 == upload(fakeplat, 2).status


def test_terraform_sends_a_token_as_password(fakeplat: Fakeplat) -> None:
    """HTTP Basic with a personal access token as the password is accepted; a wrong one is 401."""
    caller, token = fakeplat.as_user(None), fakeplat.token("mia")
    replies = [
        caller.post(STATE, json={"serial": serial}, headers=basic("anybody", password))
        for serial, password in ((1, token), (2, "wrong"))
    ]
    assert [200, 401] == [reply.status for reply in replies]
    assert [1] == list_serials(fakeplat)


def test_jobs_upload_states(fakeplat: Fakeplat) -> None:
    """A running job of a maintainer's uploads with its token, which the version names; an ended one is 401."""
    member = {"user_id": fakeplat.world.user("dev").id, "access_level": 40}
    fakeplat.as_user("root").post(f"{SITE}/members", json=member)
    headers = basic("gitlab-ci-token", job_token(fakeplat))
    caller = fakeplat.as_user(None)
    assert 200 == caller.post(STATE, json={"serial": 1}, headers=headers).status
    (version,) = fakeplat.bench.platform.view.terraform_state_versions.all()
    assert version.job_id is not None
    finish_jobs(fakeplat)
    assert 401 == caller.get(STATE, headers=headers).status


QUERY = """{ project(fullPath: "acme/site") { terraformStates { count nodes {
    id name lockedAt lockedByUser { username } latestVersion { createdByUser { username } job { name } } } } } }"""


@pytest.mark.fakeplat(version="16.11", scenario=COMPANY)
def test_graphql_shows_states_to_developers(fakeplat: Fakeplat) -> None:
    """GraphQL lists states with their locks and latest versions; below developers there are none."""
    fakeplat.as_user("mia").post(f"{STATE}/lock", json=LOCK)
    upload(fakeplat, 3, LOCK["ID"])
    query = QUERY.replace("createdByUser", "serial downloadPath createdByUser")
    states = query_data(fakeplat, "dev", query)["project"]["terraformStates"]
    (state,) = states["nodes"]
    project_id = fakeplat.world.project("acme/site").id
    assert (1, "production", {"username": "mia"}) == (states["count"], state["name"], state["lockedByUser"])
    assert {
        "serial": 3,
        "downloadPath": f"/api/v4/projects/{project_id}/terraform/state/production/versions/3",
        "createdByUser": {"username": "mia"},
        "job": None,
    } == state["latestVersion"]
    hidden = query_data(fakeplat, "rep", QUERY)["project"]["terraformStates"]
    assert {"count": 0, "nodes": []} == hidden


@pytest.mark.fakeplat(version="16.11", scenario=COMPANY)
def test_graphql_locks_unlocks_and_deletes_states(fakeplat: Fakeplat) -> None:
    """Maintainers lock a state once, cannot delete it while it is locked, and unlock it."""
    upload(fakeplat, 1)
    (node,) = query_data(fakeplat, "dev", QUERY)["project"]["terraformStates"]["nodes"]
    mutation = "mutation($id: TerraformStateID!) { %s(input: {id: $id}) { errors } }"

    def run(name: str) -> list[str]:
        errors: list[str] = query_data(fakeplat, "mia", mutation % name, id=node["id"])[name]["errors"]
        return errors

    assert [[], ["state is already locked"]] == [run("terraformStateLock") for _ in range(2)]
    text = "You cannot remove the State file because it's locked. Unlock the State file first before removing it."
    assert [[text], [], []] == [
        run(name) for name in ("terraformStateDelete", "terraformStateUnlock", "terraformStateDelete")
    ]
    assert 404 == fakeplat.as_user("mia").get(STATE).status
