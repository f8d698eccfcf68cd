"""Ruling 1: who reads merge requests without a login, by the specification and by the platform.

Source: the platform's merge request API, which asks for a login where something is written, for ``scope`` other than
``all`` and for the versions.
"""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import BASIC, DOCS, MRS, SINGLE, commit, create_merge_request, get_json
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, names, refusal, resource_not_found

platform = pytest.mark.fakeplat(documented=False)
PUBLIC = f"{DOCS}/merge_requests"
READS = [
    "",
    "/1",
    "/1/commits",
    "/1/changes",
    "/1/participants",
    "/1/closes_issues",
    "/1/approvals",
    "/1/pipelines",
    "/1/time_stats",
]


@pytest.fixture
def docs(fakeplat: Fakeplat) -> Fakeplat:
    """A merge request of a public project."""
    commit(fakeplat, "work", by="ada", project=DOCS)
    create_merge_request(fakeplat, "work", by="ada", project=DOCS)
    return fakeplat


@platform
@pytest.mark.parametrize("below", READS)
def test_anonymous_callers_read_merge_requests_of_public_projects(docs: Fakeplat, below: str) -> None:
    """On the platform anonymous callers read merge requests of public projects."""
    assert 200 == docs.as_user(None).get(f"{PUBLIC}{below}").status


@pytest.mark.parametrize("below", READS)
def test_by_default_reading_requires_a_login(docs: Fakeplat, below: str) -> None:
    """By default reading merge requests of public projects requires a login."""
    assert UNAUTHORIZED == refusal(docs, None, "GET", f"{PUBLIC}{below}")


@platform
def test_anonymous_callers_are_shown_the_fields_that_need_no_user(docs: Fakeplat) -> None:
    """Anonymous callers are shown as not subscribed and unable to merge."""
    merge_request = docs.as_user(None).get(f"{PUBLIC}/1").json()
    assert (SINGLE, False, {"can_merge": False}) == (
        set(merge_request),
        merge_request["subscribed"],
        merge_request["user"],
    )
    assert BASIC == set(docs.as_user(None).get(PUBLIC).json()[0])


@platform
def test_anonymous_callers_list_what_is_public(docs: Fakeplat) -> None:
    """Anonymous callers list public merge requests; filters by the caller are empty or 401."""
    nobody = docs.as_user(None)
    project = get_json(docs, DOCS)["id"]
    for path in ("merge_requests?scope=all", "groups/acme/merge_requests", f"{PUBLIC}?scope=all"):
        assert {project} == set(names(nobody.get(path).json(), "project_id"))
    for path in ("groups/acme/merge_requests?scope=assigned_to_me", f"{PUBLIC}?scope=created_by_me"):
        assert [] == nobody.get(path).json()
    for path in ("merge_requests", "merge_requests?scope=assigned_to_me"):
        assert UNAUTHORIZED == refusal(docs, None, "GET", path)


@platform
def test_operations_that_require_a_login_on_the_platform(docs: Fakeplat) -> None:
    """Diff versions and all writes require a login on the platform too."""
    version = docs.as_user("ada").get(f"{PUBLIC}/1/versions").json()[0]["id"]
    for path in (f"{PUBLIC}/1/versions", f"{PUBLIC}/1/versions/{version}"):
        assert UNAUTHORIZED == refusal(docs, None, "GET", path)
    for method, path in (("POST", ""), ("PUT", "/1"), ("DELETE", "/1"), ("PUT", "/1/merge"), ("POST", "/1/subscribe")):
        assert UNAUTHORIZED == refusal(docs, None, method, f"{PUBLIC}{path}", json={"title": "x"})


@platform
def test_merge_requests_of_private_projects_stay_hidden(docs: Fakeplat) -> None:
    """Anonymous callers do not read merge requests that are private."""
    for path in (MRS, f"{MRS}/1", f"{MRS}/1/pipelines"):
        assert resource_not_found("Project") == refusal(docs, None, "GET", path)
    docs.as_user("ada").put(DOCS, json={"merge_requests_access_level": "private"})
    assert FORBIDDEN == refusal(docs, None, "GET", PUBLIC)
    assert resource_not_found("Merge Request") == refusal(docs, None, "GET", f"{PUBLIC}/1")
    assert FORBIDDEN == refusal(docs, None, "GET", f"{PUBLIC}/1/pipelines")


@platform
def test_anonymous_callers_read_the_merge_requests_of_a_commit(docs: Fakeplat) -> None:
    """On the platform anonymous callers list merge requests of a commit."""
    path = f"{DOCS}/repository/commits/work/merge_requests"
    assert [1] == names(docs.as_user(None).get(path).json(), "iid")
    docs.as_user("ada").put(DOCS, json={"merge_requests_access_level": "private"})
    for user in (None, "eve"):
        assert FORBIDDEN == refusal(docs, user, "GET", path)
