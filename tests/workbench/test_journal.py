from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest

from fakeplat.core.release import LATEST
from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.criteria import Criteria
from fakeplat.workbench.journal_entries import JournalEntry
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.operation_names import NoSuchOperation
from tests.api.requests import form

SITE = "projects/acme%2Fsite"


@pytest.fixture
def journal(fakeplat: Fakeplat) -> Any:
    """Four requests: a list, a refused and a done update, and a hidden project."""
    dev, gus = fakeplat.as_user("dev"), fakeplat.as_user("gus")
    dev.get(f"{SITE}/issues?state=opened")
    gus.put(f"{SITE}/issues/2", json={"title": "x"})
    dev.put(f"{SITE}/issues/2", json={"title": "x"})
    fakeplat.as_user("eve").get(SITE)
    return fakeplat.requests


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ({}, [1, 2, 3, 4]),
        ({"operation": "update_issue"}, [2, 3]),
        ({"operation": "update_issue", "user": "dev"}, [3]),
        ({"status": 403}, [2]),
        ({"status": "4xx"}, [2, 4]),
        ({"method": "put"}, [2, 3]),
        ({"path": "projects/*/issues"}, [1]),
        ({"path": "projects/acme/site/issues/*"}, [2, 3]),
        ({"path": "/api/v4/*", "user": "eve"}, [4]),
        ({"credential": "personal"}, [1, 2, 3, 4]),
        ({"credential": "job"}, []),
    ],
)
def test_requests_are_found(journal: Any, wanted: dict[str, Any], numbers: list[int]) -> None:
    """`find` and `count` select the requests that fit all given criteria."""
    assert numbers == [entry.number for entry in journal.find(**wanted)]
    assert len(numbers) == journal.count(**wanted)


def test_an_operation_that_does_not_exist_is_refused(journal: Any) -> None:
    """Searching the journal for an unknown operation or criterion is refused with the nearest name."""
    with pytest.raises(NoSuchOperation, match=r"did you mean update_issue\?"):
        journal.count(operation="update_isue")
    assert 0 == journal.count(operation="create_epic")
    with pytest.raises(InvalidOption, match=r"^requests: unknown key 'operatoin'; did you mean operation\?$"):
        journal.count(operatoin="update_issue")


def test_a_status_that_is_none_is_refused(fakeplat: Fakeplat) -> None:
    """A status criterion that is neither a number nor a class such as 4xx is refused."""
    for status in ("4x", "9xx", "", [404]):
        with pytest.raises(InvalidOption, match="status must be a number or a class such as 4xx"):
            fakeplat.requests.find(status=status)  # type: ignore[arg-type]  # what a typing slip gives


def test_near_misses_stand_in_the_message(journal: Any) -> None:
    """A failed assertion lists the nearest requests with their status, their reason and the mismatch."""
    with pytest.raises(AssertionError) as short:
        journal.assert_called(operation="update_issue", user="gus", status=200)
    lines = str(short.value).splitlines()
    assert "no request update_issue by gus with status 200; nearest:" == lines[0]
    assert lines[1].startswith(
        "  403 PUT /api/v4/projects/acme%2Fsite/issues/2 by gus  (update_issue needs Reporter (20)"
    )
    assert lines[1].endswith(", but not the status")
    assert "  200 PUT /api/v4/projects/acme%2Fsite/issues/2 by dev, but not the user" == lines[2]


def test_too_many_matches_are_listed(journal: Any) -> None:
    """`journal.one` refuses several matches with their number, and `assert_called` returns them."""
    with pytest.raises(AssertionError) as many:
        journal.one(operation="update_issue")
    assert "expected 1, got 2 of request update_issue:" == str(many.value).splitlines()[0]
    assert [2, 3] == [entry.number for entry in journal.assert_called(2, operation="update_issue")]


def test_what_was_never_near(fakeplat: Fakeplat) -> None:
    """A failed assertion on an empty journal says that there were no requests."""
    with pytest.raises(AssertionError, match=r"^no request create_issue; there were no requests$"):
        fakeplat.requests.assert_called(operation="create_issue")


def test_an_order_is_kept_whatever_comes_between(journal: Any) -> None:
    """`in_order` allows other requests in between and names the first missing operation."""
    journal.in_order("list_project_issues", "get_project")
    with pytest.raises(
        AssertionError, match="no request list_project_issues after get_project; the requests were list_"
    ):
        journal.in_order("get_project", "list_project_issues")
    with pytest.raises(NoSuchOperation):
        journal.in_order("get_projekt")


def test_a_request_of_another_thread_is_waited_for(fakeplat: Fakeplat) -> None:
    """`wait_for` waits for requests of another thread and counts earlier ones."""
    fakeplat.as_user("ada").get("version")
    other = Thread(target=lambda: fakeplat.as_user("dev").get("version"))
    other.start()
    assert ["ada", "dev"] == [
        entry.user for entry in fakeplat.requests.wait_for(2, operation="get_version", timeout=30)
    ]
    other.join()


async def test_a_request_can_be_awaited(fakeplat: Fakeplat) -> None:
    """`until` awaits a request in an asynchronous test."""
    fakeplat.as_user("ada").get("version")
    (entry,) = await fakeplat.requests.until(operation="get_version", user="ada")
    assert 200 == entry.status


async def test_a_request_that_does_not_come_is_reported(journal: Any) -> None:
    """`wait_for` and `until` fail after their timeout with the nearest requests."""
    with pytest.raises(AssertionError, match="after 0 s no request get_version"):
        journal.wait_for(timeout=0, operation="get_version")
    with pytest.raises(AssertionError, match="nearest:\n  403 PUT"):
        await journal.until(operation="update_issue", user="gus", status=200, timeout=0)


WARNINGS: list[tuple[str, str, Any, list[str]]] = [
    ("POST", "issues", {"title": "x", "colour": "red"}, ["create_issue has no parameter colour"]),
    ("POST", "issues", {"title": "x", "label": "bug"}, ["create_issue has no parameter label; did you mean labels?"]),
    ("POST", "issues", {"title": "x", "assignee_id": 3}, ["create_issue: assignee_id is deprecated; use assignee_ids"]),
    (
        "GET",
        "issues?scope=created-by-me",
        None,
        ["list_project_issues: scope=created-by-me is deprecated; use created_by_me"],
    ),
    (
        "GET",
        "issues?labels=bug,No+Label",
        None,
        ["list_project_issues: labels=No Label is deprecated; use None"],
    ),
    ("PUT", "", {"wiki_enabled": False}, ["update_project: wiki_enabled is deprecated; use wiki_access_level"]),
    ("GET", "issues?state=opened&private_token=ada-token", None, []),
    ("POST", "issues", {"title": "x", "id": 1, "description": "reference"}, []),
]


def test_bodies_of_package_managers_are_not_checked(fakeplat: Fakeplat) -> None:
    """Bodies of package uploads cause no warning about unknown parameters."""
    dev = fakeplat.as_user("dev")
    generic = f"{SITE}/packages/generic/p/1.0.0/f"
    assert 201 == dev.put(generic, data=b"hello=1&x").status
    manifest = {"name": "@acme/a", "version": "1.0.0"}
    document = {
        "_id": "@acme/a",
        "name": "@acme/a",
        "access": None,
        "versions": {"1.0.0": manifest},
        "_attachments": {"@acme/a-1.0.0.tgz": {"data": "dGFyYmFsbA==", "length": 7}},
    }
    assert 200 == dev.put(f"{SITE}/packages/npm/@acme%2fa", json=document).status
    fields = {":action": "file_upload", "protocol_version": "1", "name": "p", "version": "1.0"}
    body = form(content=("p-1.0.tar.gz", "application/octet-stream", b"x"), **fields)
    assert 201 == dev.request("POST", f"{SITE}/packages/pypi", **body).status
    assert [] == fakeplat.requests.warnings

    assert 201 == dev.put(f"{generic}?stats=1", data=b"x").status
    assert ["upload_generic_package_file has no parameter stats; did you mean status?"] == fakeplat.requests.warnings


@pytest.mark.parametrize(("method", "path", "json", "messages"), WARNINGS)
def test_deprecated_and_unknown_parameters_are_reported(
    fakeplat: Fakeplat, method: str, path: str, json: Any, messages: list[str]
) -> None:
    """Deprecated and unknown parameters of a successful request are warnings, each reported once."""
    for _ in range(2):
        assert fakeplat.as_user("ada").request(method, f"{SITE}/{path}".rstrip("/"), json=json).status < 300
    assert messages == fakeplat.requests.warnings
    assert messages == fakeplat.requests[0].as_dict()["warnings"]


@pytest.mark.parametrize(
    ("version", "method", "path", "expected"),
    [
        (
            "18.9",
            "PUT",
            "groups/acme?duo_availability=never_on",
            "update_group: duo_availability exists since 17.9 at the latest and is not built: it had no effect",
        ),
        (
            "13.7",
            "GET",
            f"{SITE}/merge_requests?reviewer_id=2",
            "list_project_merge_requests has the parameter reviewer_id since 13.8; this world is 13.7",
        ),
        (
            LATEST,
            "GET",
            f"{SITE}/merge_requests?reviewer_ix=2",
            "list_project_merge_requests has no parameter reviewer_ix; did you mean reviewer_id?",
        ),
    ],
)
def test_parameters_that_are_not_built_are_reported(
    fakeplat_factory: Callable[..., Fakeplat], version: str, method: str, path: str, expected: str
) -> None:
    """A parameter that the release has and fakeplat has not is a warning, since the answer may be wrong without it."""
    with fakeplat_factory(version=version) as world:
        assert 200 == world.as_user("root").request(method, path).status
        assert [expected] == world.requests.warnings


def test_a_refusal_names_the_parameters_that_are_not_built(fakeplat_factory: Callable[..., Fakeplat]) -> None:
    """The reason of a 400 names a parameter that is not built."""
    with fakeplat_factory(version="18.9") as world:
        assert 400 == world.as_user("root").put("groups/acme?duo_availability=x&visibility=some").status
        unbuilt = "update_group: duo_availability exists since 17.9 at the latest and is not built: "
        assert str(world.requests[-1].reason).startswith(unbuilt)


def test_documents_of_other_standards_warn_of_nothing(fakeplat: Fakeplat) -> None:
    """The body of a SCIM request causes no warning."""
    fakeplat.as_user(None).post("/api/scim/v2/groups/acme/Users", json={"userName": "x"})
    assert [] == fakeplat.requests.warnings


def test_requests_that_lead_nowhere_warn_of_nothing(fakeplat: Fakeplat) -> None:
    """A broken body, an unknown route and a page outside the API cause no warning."""
    ada = fakeplat.as_user("ada")
    ada.request("POST", f"{SITE}/issues", data=b"{", headers={"Content-Type": "application/json"})
    ada.get("nothing?x=1")
    ada.get("/-/nothing?x=1")
    assert [] == fakeplat.requests.warnings


def test_an_entry_has_what_was_sent_and_what_was_answered(fakeplat: Fakeplat) -> None:
    """An entry has the parsed parameters, headers in any case and the response with its body."""
    ada = fakeplat.as_user("ada")
    ada.post(f"{SITE}/issues?x[a]=1", json={"title": "One", "labels": ["bug"]}, headers={"X-Trace": "7"})
    ada.post(f"{SITE}/issues", data={"title": "Two", "assignee_ids[]": "3"})
    json, form = fakeplat.requests[0], fakeplat.requests[1]

    assert ({"title": "One", "labels": ["bug"]}, {"x": {"a": "1"}}) == (json.json, json.query)
    assert ("7", {}) == (json.headers["x-trace"], json.form)
    assert (201, "One") == (json.response.status, json.response.json()["title"])
    assert "application/json" == json.response.headers["content-type"]
    assert (None, {"title": "Two", "assignee_ids": ["3"]}) == (form.json, form.form)
    assert b"title=Two&assignee_ids%5B%5D=3" == form.body


def test_files_of_a_form(fakeplat: Fakeplat) -> None:
    """A file in a form has its name and content in the journal."""
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n--b--\r\n'
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    fakeplat.as_user("ada").request("POST", f"{SITE}/uploads", data=body, headers=headers)
    file = fakeplat.requests[0].form["file"]
    assert ("a.txt", b"hello") == (file.filename, file.data)


def test_requests_are_matched_by_what_they_contain(fakeplat: Fakeplat) -> None:
    """A mapping criterion matches values with further keys, and a mismatch is explained."""
    ada = fakeplat.as_user("ada")
    ada.post(f"{SITE}/issues", json={"title": "One", "labels": ["bug"]})
    ada.get(f"{SITE}/issues?state=opened&page=2", headers={"X-Trace": "7"})

    fakeplat.requests.assert_called(1, operation="create_issue", json={"title": "One"})
    fakeplat.requests.assert_called(query={"state": "opened"}, headers={"x-trace": "7"})
    fakeplat.requests.assert_not_called(operation="create_issue", json={"title": "Two"})
    with pytest.raises(AssertionError, match=r"no request create_issue with json.*nearest:\n  201 POST .*not the json"):
        fakeplat.requests.assert_called(operation="create_issue", json={"title": "Two"})
    with pytest.raises(AssertionError, match="expected 0, got 1 of request create_issue"):
        fakeplat.requests.assert_not_called(operation="create_issue")


def test_the_requests_since_one_are_those_with_greater_numbers(journal: Any, fakeplat: Fakeplat) -> None:
    """`since` gives the requests after a number, oldest first."""
    last = journal[-1].number
    assert [] == journal.since(last)
    for path in ("version", "user"):
        fakeplat.as_user("dev").get(path)
    assert ["get_version", "get_current_user"] == [entry.operation for entry in journal.since(last)]
    assert [last, last + 1, last + 2] == [entry.number for entry in journal.since(last - 1)]


def test_a_watch_looks_at_each_request_once(journal: Any, fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for a request looks only at those that are new, also after the journal was cleared."""
    numbers: list[int] = []
    matches = Criteria.matches

    def note(criteria: Criteria, entry: JournalEntry) -> bool:
        numbers.append(entry.number)
        return matches(criteria, entry)

    monkeypatch.setattr(Criteria, "matches", note)
    has_match = journal.watch(0, operation="get_version")
    assert not has_match()
    assert [1, 2, 3, 4] == numbers
    fakeplat.as_user("dev").get("version")
    assert has_match()
    assert not has_match()
    assert [5] == numbers[4:]
    journal.clear()
    assert not has_match()
    fakeplat.as_user("dev").get("version")
    assert has_match()
