"""What later releases do differently about merge requests. Source: docs/platform/later-releases.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import HIDDEN_MERGE_REQUESTS_ARE_FORBIDDEN, MEMBERS_CONTRIBUTE_FIRST
from tests.api.requests import FORBIDDEN, Outcome, invalid, refusal, resource_not_found
from tests.api.review_company import MR, PUBLIC, REVIEW_COMPANY, SITE
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=REVIEW_COMPANY, default_branch="master")
HIDDEN = resource_not_found("Merge Request")


@by_release(HIDDEN_MERGE_REQUESTS_ARE_FORBIDDEN, "expected", {"18.8": HIDDEN, "18.9": FORBIDDEN})
@pytest.mark.parametrize("part", ["", "/participants", "/changes", "/commits", "/approvals"])
def test_hidden_merge_requests(fakeplat: Fakeplat, expected: Outcome, part: str) -> None:
    """Members who may not read the merge requests of a private project get 404, in 18.9 at the latest 403."""
    assert expected == refusal(fakeplat, "gus", "GET", f"{MR}{part}")


@pytest.mark.fakeplat(version="18.9")
@pytest.mark.parametrize(("method", "part"), [("GET", "/merge_ref"), ("PUT", "/rebase"), ("PUT", "/merge")])
def test_hidden_merge_requests_are_not_found(fakeplat: Fakeplat, method: str, part: str) -> None:
    """Merging, rebasing and the merged commit stay 404 for those who may not read the merge request."""
    assert 404 == refusal(fakeplat, "gus", method, f"{MR}{part}")[0]


@by_release(MEMBERS_CONTRIBUTE_FIRST, "expected", {"18.8": False, "18.9": True})
def test_first_contributions_of_members(fakeplat: Fakeplat, expected: bool) -> None:
    """The first merge request of a member is a first contribution in 18.9 at the latest."""
    assert expected == fakeplat.as_user("dev").get(MR).json()["first_contribution"]


@pytest.mark.fakeplat(version="18.9")
def test_a_merged_first_contribution_stays_the_first(fakeplat: Fakeplat) -> None:
    """A merged merge request stays the first contribution of its author, and the next one is none."""
    assert 200 == fakeplat.as_user("mia").put(f"{PUBLIC}/merge").status
    mia = fakeplat.as_user("mia")
    assert mia.get(PUBLIC).json()["first_contribution"]


@pytest.mark.fakeplat(version="18.9")
@pytest.mark.parametrize("order_by", ["label_priority", "milestone_due", "popularity", "priority"])
def test_orders_of_merge_requests(fakeplat: Fakeplat, order_by: str) -> None:
    """Merge requests are listed in the orders of issues that depend on labels, milestones and awards."""
    dev = fakeplat.as_user("dev")
    files = {"branch": "more", "start_branch": "master", "commit_message": "x", "content": "x"}
    dev.post(f"{SITE}/repository/files/x.txt", json=files)
    dev.post(f"{SITE}/merge_requests", json={"title": "More", "source_branch": "more", "target_branch": "master"})
    mia = fakeplat.as_user("mia")
    mia.post(f"{SITE}/labels", json={"name": "soon", "color": "#ff0000", "priority": 1})
    milestone = mia.post(f"{SITE}/milestones", json={"title": "Next", "due_date": "2020-12-01"}).json()["id"]
    mia.put(MR, json={"labels": "soon", "milestone_id": milestone})
    mia.post(f"{MR}/award_emoji", json={"name": "thumbsup"})

    descending = order_by == "popularity"
    listed = dev.get(f"{SITE}/merge_requests?order_by={order_by}&sort={'desc' if descending else 'asc'}").json()
    assert 1 == listed[0]["iid"]


@pytest.mark.fakeplat(version="18.9")
@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_no_context_commits(fakeplat: Fakeplat, method: str) -> None:
    """An empty list of context commits is refused."""
    assert invalid("commits is empty") == refusal(
        fakeplat, "dev", method, f"{MR}/context_commits", json={"commits": []}
    )
