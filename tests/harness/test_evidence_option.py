"""Evidence for a user's suite: what its clients have exercised."""

import json

import pytest

from tests.harness.test_plugin import run, session

__all__ = ["session"]

SUITE = """
    import pytest
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    def send(fakeplat, method, path, user, body=None):
        headers = {"PRIVATE-TOKEN": f"{user}-token", "Content-Type": "application/json"}
        try:
            with urlopen(Request(f"{fakeplat.api_url}/{path}", body, headers, method=method)) as response:
                return response.status
        except HTTPError as error:
            return error.code

    def test_one(fakeplat):
        assert send(fakeplat, "POST", "projects/acme%2Fsite/issues", "ada", b'{"title": "x"}') == 201
        assert send(fakeplat, "PUT", "projects/acme%2Fsite", "dev", b'{"description": "<x>"}') == 403
        fakeplat.as_user("ada").get("user")

    def test_two(fakeplat):
        assert send(fakeplat, "POST", "projects/acme%2Fsite/issues", "ada", b'{"title": "x", "labels": "bug"}') == 201
        fakeplat.faults.add(operation="get_project", status=500)
        assert send(fakeplat, "GET", "projects/acme%2Fsite", "ada") == 500
"""


@pytest.mark.parametrize("options", [(), ("-n2",)], ids=["one process", "workers"])
def test_operations_statuses_roles_and_what_is_missing(session: pytest.Pytester, options: tuple[str, ...]) -> None:
    """The evidence counts requests of clients by operation, status and role, without those of the test or of faults."""
    result = run(session, SUITE, "--fakeplat-evidence=out/evidence.json", *options)
    result.assert_outcomes(passed=2)
    rows = json.loads((session.path / "out/evidence.json").read_text("utf-8"))
    issue, project = rows["create_issue"], rows["update_project"]

    assert ["create_issue", "update_project"] == [*rows]
    assert (2, {"201": 2}, ["labels", "title"]) == (issue["calls"], issue["statuses"], issue["parameters"])
    assert {"maintainer": 2} == issue["roles"] or {"owner": 2} == issue["roles"]
    assert {400, 401, 404} <= set(issue["never"]["statuses"])
    assert "confidential" in issue["never"]["parameters"]
    assert "labels" not in issue["never"]["parameters"]
    (refusal,) = project["refusals"]
    assert (403, "developer") == (refusal["status"], refusal["role"])
    assert "dev has Developer (30)" in refusal["reason"]
    result.stdout.fnmatch_lines(["*= fakeplat evidence =*", "create_issue: 2 × (201) by *; never met 400, 401,*"])


def test_a_page(session: pytest.Pytester) -> None:
    """The HTML page of the evidence has the same facts, escaped."""
    run(session, SUITE, "--fakeplat-evidence=evidence.html").assert_outcomes(passed=2)
    page = (session.path / "evidence.html").read_text("utf-8")
    assert "<td>create_issue</td><td>2</td><td>201 (2)</td>" in page
    assert "403 developer: " in page


def test_a_folder_is_refused(session: pytest.Pytester) -> None:
    """An evidence path that is a folder is refused before the tests run."""
    result = run(session, SUITE, "--fakeplat-evidence=.")
    assert 4 == result.ret
    result.stderr.fnmatch_lines(["ERROR: --fakeplat-evidence: * is a folder, not a file"])


def test_a_response_that_is_reused_counts_for_its_caller(session: pytest.Pytester) -> None:
    """A response from the cache counts for the role of its caller in the project."""
    run(
        session,
        """
        import httpx
        PATHS = ("issues", "issues/1", "merge_requests", "releases")
        def test_it(fakeplat):
            with httpx.Client(base_url=f"{fakeplat.api_url}/projects/acme%2Fsite/") as client:
                for user in ("dev", "mia", "dev", "mia"):
                    for path in PATHS:
                        headers = {"PRIVATE-TOKEN": f"{user}-token"}
                        assert client.get(path, headers=headers).status_code == 200
                        assert client.get(path, headers={}).is_client_error
        def test_other(fakeplat):
            for _ in range(2):
                httpx.get(f"{fakeplat.api_url}/version", headers={"PRIVATE-TOKEN": "eve-token"})
        """,
        "--fakeplat-evidence=evidence.json",
    ).assert_outcomes(passed=2)
    rows = json.loads((session.path / "evidence.json").read_text("utf-8"))
    roles = {"anonymous": 4, "developer": 2, "maintainer": 2}
    expected = dict.fromkeys(
        ("list_project_issues", "get_issue", "list_project_merge_requests", "list_releases"), roles
    )
    assert {**expected, "get_version": {"signed in": 2}} == {name: row["roles"] for name, row in rows.items()}
