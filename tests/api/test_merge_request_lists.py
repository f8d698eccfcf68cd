"""The lists of merge requests, held against a naive filter of the answers' own rows.

Source: docs/platform/merge-requests.md, docs/decisions/rulings.md (1, 7, 20).
"""

from datetime import date
from typing import Any
from urllib.parse import urlencode

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.issues import Award
from fakeplat.model.merge_requests import Approval
from tests.api.merge_requests import BASIC, DOCS, MRS, OPEN, SITE, get_json
from tests.api.naive_issues import SideData
from tests.api.naive_merge_requests import list_ids
from tests.api.requests import FORBIDDEN, invalid, names, outcome, person, refusal

WORLD: dict[str, Any] = {
    "extends": "starter",
    "projects": [
        {"path_with_namespace": "acme/old", "visibility": "private", "archived": True},
    ],
    "generate": [
        {"into": "acme/site", "commits": 60, "branches": 14, "merge_requests": 30},
        {"into": "acme/tools/kit", "commits": 20, "branches": 5, "merge_requests": 8},
        {"into": "acme/old", "commits": 12, "branches": 3, "merge_requests": 4},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=WORLD)
VIEWERS = ("root", "mia", "dev", "gus", "eve", "ext")
SIMPLE = {"id", "iid", "project_id", "title", "description", "state", "created_at", "updated_at", "web_url"}
QUERIES: list[dict[str, Any]] = [
    {},
    {"scope": "all"},
    {"scope": "assigned-to-me"},
    {"scope": "created_by_me", "state": "merged"},
    {"scope": "all", "state": "opened"},
    {"scope": "all", "state": "closed", "sort": "asc"},
    {"scope": "all", "state": "locked"},
    {"scope": "all", "order_by": "updated_at"},
    {"scope": "all", "order_by": "updated_at", "sort": "asc"},
    {"scope": "all", "order_by": "created_at", "sort": "asc"},
    {"scope": "all", "labels": "bug"},
    {"scope": "all", "labels": "bug,feature"},
    {"scope": "all", "labels": "None"},
    {"scope": "all", "labels": "Any"},
    {"scope": "all", "milestone": "v1.1"},
    {"scope": "all", "milestone": "None"},
    {"scope": "all", "milestone": "any"},
    {"scope": "all", "author_username": "mia"},
    {"scope": "all", "assignee_username": "dev"},
    {"scope": "all", "assignee_id": "None"},
    {"scope": "all", "assignee_id": "Any"},
    {"scope": "all", "iids[]": ["1", "3"]},
    {"scope": "all", "wip": "yes"},
    {"scope": "all", "wip": "no", "state": "opened"},
    {"scope": "all", "source_branch": "feature"},
    {"scope": "all", "target_branch": "master", "state": "merged"},
    {"scope": "all", "target_branch": "nothing"},
    {"scope": "all", "search": "check"},
    {"scope": "all", "search": "search name", "in": "title"},
    {"scope": "all", "search": "the", "in": "description"},
    {"scope": "all", "created_after": "2020-09-01T00:00:00.000Z", "created_before": "2020-11-01T00:00:00.000Z"},
    {"scope": "all", "updated_before": "2020-10-01T00:00:00.000Z"},
    {"scope": "all", "updated_after": "2020-11-01T00:00:00.000Z", "labels": "docs"},
    {"scope": "all", "my_reaction_emoji": "tada"},
    {"scope": "all", "my_reaction_emoji": "None"},
    {"scope": "all", "my_reaction_emoji": "Any"},
    {"scope": "all", "not[labels]": "bug,docs"},
    {"scope": "all", "not[author_username]": "mia", "state": "merged"},
    {"scope": "all", "not[assignee_username]": "dev"},
    {"scope": "all", "not[milestone]": "v1.1"},
    {"scope": "all", "not[my_reaction_emoji]": "tada"},
    {"scope": "all", "environment": "production"},
    {"scope": "all", "deployed_after": "2020-01-01T00:00:00.000Z"},
]


@pytest.fixture
def world(fakeplat: Fakeplat) -> tuple[Fakeplat, list[Any], SideData]:
    """All rows as the administrator sees them, and what rows do not say."""
    with fakeplat.bench.platform.acting() as ctx:
        table, mia = ctx.world.awards, person(fakeplat, "mia")
        ids = [row.id for row in ctx.world.merge_requests.all()][::7]
        for id_ in ids:
            table.add(Award(table.next_id(), ("merge_request", id_), mia, "tada", ctx.now_iso, ctx.now_iso))
    rows = get_json(fakeplat, "merge_requests?scope=all&per_page=100")
    projects = {row["path_with_namespace"]: row["id"] for row in get_json(fakeplat, "projects?per_page=100")}
    members = frozenset({"root", "ada", "mia", "dev", "rep"})
    internal = members | {"gus", "eve"}
    side = SideData(
        today=date(2020, 11, 20),
        readers={
            projects["acme/site"]: members,
            projects["acme/old"]: members,
            projects["acme/tools/kit"]: internal,
            projects["acme/docs"]: internal | {"ext"},
        },
        archived=frozenset({projects["acme/old"]}),
        reactions=frozenset((id_, "mia", "tada") for id_ in ids),
    )
    return fakeplat, rows, side


def list_ids_of(fake: Fakeplat, viewer: str, path: str, query: dict[str, Any]) -> list[int]:
    text = urlencode({**query, "per_page": 100}, doseq=True)
    return names(get_json(fake, f"{path}?{text}", by=viewer), "id")


def test_every_filter_chooses_as_the_naive_one_does(world: tuple[Fakeplat, list[Any], SideData]) -> None:
    """Every filter selects what the naive model does, for each kind of viewer."""
    fake, rows, side = world
    assert 44 == len(rows)
    ids = {row["path_with_namespace"]: row["id"] for row in get_json(fake, "projects?per_page=100")}
    site, kit = ids["acme/site"], ids["acme/tools/kit"]
    met = 0
    for query in QUERIES:
        for viewer in VIEWERS:
            own = {"scope": "created_by_me", **query}
            listed_rows = list_ids_of(fake, viewer, "merge_requests", query)
            assert list_ids(rows, own, viewer, side) == listed_rows, (viewer, query)
            group = list_ids(rows, {"non_archived": "true", **query}, viewer, side)
            assert group == list_ids_of(fake, viewer, "groups/acme/merge_requests", query), (viewer, query)
            met += len(listed_rows)
        assert list_ids(rows, query, "dev", side, [site]) == list_ids_of(fake, "dev", MRS, query), query
        path = "projects/acme%2Ftools%2Fkit/merge_requests"
        assert list_ids(rows, query, "eve", side, [kit]) == list_ids_of(fake, "eve", path, query), query
    assert met > 1_000
    archived = {"non_archived": "false"}
    assert list_ids(rows, archived, "mia", side) == list_ids_of(fake, "mia", "groups/acme/merge_requests", archived)


def test_ties_go_with_the_direction(fakeplat: Fakeplat) -> None:
    """Merge requests with equal times are ordered by id in the direction of the sort."""
    for sort in ("asc", "desc"):
        rows = get_json(fakeplat, f"{MRS}?sort={sort}&per_page=100")
        same = [row["id"] for row in rows if row["iid"] in (1, 2)]
        assert sorted(same, reverse=sort == "desc") == same


def test_views_and_details(fakeplat: Fakeplat) -> None:
    """`view=simple` reduces the fields and `with_labels_details` shows labels as objects."""
    assert {frozenset(SIMPLE)} == {frozenset(row) for row in get_json(fakeplat, f"{MRS}?view=simple")}
    (row,) = get_json(fakeplat, f"{MRS}?iids[]=1&with_labels_details=true")
    assert set(row) == BASIC
    assert ["feature"] == [label["name"] for label in row["labels"]]


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("state=open", "state does not have a valid value"),
        ("view=full", "view does not have a valid value"),
        ("wip=maybe", "wip does not have a valid value"),
        ("order_by=popularity", "order_by does not have a valid value"),
        ("scope=mine", "scope does not have a valid value"),
        ("assignee_id=x", "assignee_id should be an integer, 'None' or 'Any'"),
        ("approved_by_ids=x", "approved_by_ids should be an array, 'None' or 'Any'"),
        ("approver_ids=x", "approver_ids should be an array, 'None' or 'Any'"),
        ("author_id=1&author_username=x", "author_id, author_username are mutually exclusive"),
        ("created_after=soon", "created_after is invalid"),
        ("assignee_username[]=a&assignee_username[]=b", "assignee_username allows one value, but found 2: a, b"),
    ],
)
@pytest.mark.parametrize("path", ["merge_requests", "groups/acme/merge_requests", MRS])
def test_bad_filters_are_refused(fakeplat: Fakeplat, path: str, query: str, error: str) -> None:
    """Invalid filters of merge requests are refused with the platform's texts."""
    assert invalid(error) == outcome(fakeplat.as_user("dev").get(f"{path}?{query}"))


def test_who_may_not_read_them_gets_403_of_a_project(fakeplat: Fakeplat) -> None:
    """Those who may not read merge requests get a 403 from the project's list."""
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", MRS)
    fakeplat.as_user("ada").put(DOCS, json={"merge_requests_access_level": "disabled"})
    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", f"{DOCS}/merge_requests")


@pytest.mark.fakeplat(tier="premium")
def test_only_the_first_five_approvers_count(fakeplat: Fakeplat) -> None:
    """Only the first five ids of `approved_by_ids` count; further ones are ignored."""
    fakeplat.as_user("mia").post(f"{OPEN}/approve")
    ids = [person(fakeplat, "mia")] * 6 + [person(fakeplat, "ada")]
    query = "&".join(f"approved_by_ids[]={id_}" for id_ in [ids[0], *ids[:5]])
    assert [1] == names(get_json(fakeplat, f"{MRS}?{query}"), "iid")
    five = "&".join(f"approved_by_ids[]={id_}" for id_ in (ids[0], ids[-1]))
    assert [] == names(get_json(fakeplat, f"{MRS}?{five}"), "iid")
    assert 32 == len(get_json(fakeplat, f"{MRS}?approver_ids=None&per_page=100"))
    assert [] == get_json(fakeplat, f"{MRS}?approver_ids=Any")


SIX = ("mia", "ada", "dev", "rep", "gus", "eve")


@pytest.fixture
def approved(fakeplat: Fakeplat) -> Fakeplat:
    """The first merge request has the approvals of five people, and a rule that names them."""
    ids = [person(fakeplat, user) for user in SIX[:5]]
    body = {"name": "R", "approvals_required": 1, "user_ids": ids}
    assert 201 == fakeplat.as_user("ada").post(f"{OPEN}/approval_rules", json=body).status
    with fakeplat.bench.platform.acting() as ctx:
        merge_request = ctx.world.merge_requests.find("iid", (fakeplat.world.project("acme/site").id, 1))
        assert merge_request is not None
        table = ctx.world.approvals
        for id_ in ids:
            table.add(Approval(table.next_id(), merge_request.id, id_, ctx.now_iso))
    return fakeplat


def chosen_by(fake: Fakeplat, parameter: str) -> list[int]:
    """The merge requests that a list with the ids of six people holds."""
    query = "&".join(f"{parameter}[]={person(fake, user)}" for user in SIX)
    return names(get_json(fake, f"{MRS}?{query}&per_page=100"), "iid")


@pytest.mark.fakeplat(tier="premium")
def test_the_specification_cuts_both_lists_of_approvers_to_five(approved: Fakeplat) -> None:
    """By default both lists of approvers are cut to five ids (ruling 20)."""
    assert ([1], [1]) == (chosen_by(approved, "approved_by_ids"), chosen_by(approved, "approver_ids"))


@pytest.mark.fakeplat(tier="premium", documented=False)
def test_the_platform_cuts_only_the_list_of_those_who_approved(approved: Fakeplat) -> None:
    """On the platform only `approved_by_ids` is cut to five ids (ruling 20)."""
    assert ([1], []) == (chosen_by(approved, "approved_by_ids"), chosen_by(approved, "approver_ids"))


@pytest.mark.parametrize("path", [f"{SITE}/milestones", "groups/acme/milestones"])
def test_a_milestone_has_its_merge_requests(fakeplat: Fakeplat, path: str) -> None:
    """A milestone lists its merge requests as far as the caller sees them."""
    for milestone in get_json(fakeplat, path):
        rows = get_json(fakeplat, f"{path}/{milestone['id']}/merge_requests?per_page=100")
        expected = {
            row["id"] for row in get_json(fakeplat, "merge_requests?scope=all&per_page=100") if row["milestone"]
        }
        assert {row["id"] for row in rows} <= expected
        assert {milestone["title"]} >= {row["milestone"]["title"] for row in rows}
        if path == "groups/acme/milestones":
            assert [] == get_json(fakeplat, f"{path}/{milestone['id']}/merge_requests", by="ext")


def test_labels_count_open_ones(fakeplat: Fakeplat) -> None:
    """The `open_merge_requests_count` of a label counts the open merge requests with it."""
    own = get_json(fakeplat, f"{MRS}?state=opened&per_page=100")
    every = get_json(fakeplat, "merge_requests?scope=all&state=opened&per_page=100")
    for label in get_json(fakeplat, f"{SITE}/labels?with_counts=true"):
        rows = own if label["is_project_label"] else every
        expected = sum(label["name"] in row["labels"] for row in rows)
        assert expected == label["open_merge_requests_count"]
