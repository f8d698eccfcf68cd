"""Moving epics and issues below epics by GraphQL. Source: the platform's specs of epic_tree/reorder."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import query_data, write_mutation

ACME: dict[str, Any] = COMPANY["groups"][0]
EPICS = [{"iid": number, "title": f"Epic {number}", "author": "ada"} for number in (1, 2, 3, 4)]
ISSUES = [{"iid": number, "title": f"Issue {number}", "author": "dev"} for number in (1, 2)]
GROUP = {**ACME, "projects": [{**ACME["projects"][0], "issues": ISSUES}], "epics": EPICS}
pytestmark = pytest.mark.fakeplat(scenario={**COMPANY, "groups": [GROUP]}, version="latest", tier="ultimate")
MOVE = write_mutation("epicTreeReorder", "")
NOT_PERMITTED = "You don't have permissions to move the objects."


def ids(fake: Fakeplat) -> dict[str, str]:
    """Return the global IDs of epics (E1) and of the places of issues in epics (I1)."""
    view = fake.bench.platform.view
    epics = {f"E{epic.iid}": f"gid://gitlab/Epic/{epic.id}" for epic in view.epics.all()}
    links = view.epic_issues.all()
    return {**epics, **{f"I{view.issues[link.issue_id].iid}": f"gid://gitlab/EpicIssue/{link.id}" for link in links}}


def plant(fake: Fakeplat) -> None:
    """Put two epics and two issues below the first epic."""
    view = fake.bench.platform.view
    numbers = {epic.iid: epic.id for epic in view.epics.all()}
    for iid in (3, 2):
        assert 201 == fake.as_user("ada").post(f"groups/acme/epics/1/epics/{numbers[iid]}").status
    issues = {issue.iid: issue.id for issue in view.issues.all()}
    for iid in (2, 1):
        assert 201 == fake.as_user("ada").post(f"groups/acme/epics/1/issues/{issues[iid]}").status


def move(fake: Fakeplat, name: str, adjacent: str = "", place: str = "", parent: str = "", by: str = "ada") -> Any:
    """Move a node; return the errors."""
    known = ids(fake)
    moved: dict[str, Any] = {"id": known[name]}
    moved |= {"adjacentReferenceId": known[adjacent]} if adjacent else {}
    moved |= {"relativePosition": place} if place else {}
    moved |= {"newParentId": known[parent]} if parent else {}
    sent = {"baseEpicId": known["E1"], "moved": moved}
    return query_data(fake, by, MOVE, input=sent)["epicTreeReorder"]["errors"]


def list_tree(fake: Fakeplat, iid: int = 1) -> list[str]:
    """Return the nodes below an epic, in order."""
    view = fake.bench.platform.view
    epic = next(each for each in view.epics.all() if each.iid == iid)
    nodes = [(each.relative_position or 0, f"E{each.iid}") for each in view.epics.where("parent", epic.id)]
    links = view.epic_issues.where("epic", epic.id)
    nodes += [(link.relative_position, f"I{view.issues[link.issue_id].iid}") for link in links]
    return [name for _, name in sorted(nodes)]


def test_nodes_are_moved_next_to_others(fakeplat: Fakeplat) -> None:
    """An epic or issue is moved before or behind another one of both kinds, or to the start."""
    plant(fakeplat)
    before = list_tree(fakeplat)
    assert {"E2", "E3", "I1", "I2"} == set(before)
    for name, adjacent, place in (
        ("I1", "E3", "after"),
        ("E2", "I1", "before"),
        ("I2", "E2", "before"),
        ("E3", "", ""),
        ("I2", "E3", "before"),
        ("E2", "E3", "before"),
    ):
        assert [] == move(fakeplat, name, adjacent, place)
        tree = list_tree(fakeplat)
        if not adjacent:
            assert name == tree[0]
        else:
            offset = 1 if place == "before" else -1
            assert name == tree[tree.index(adjacent) + offset]


def test_nodes_get_another_parent(fakeplat: Fakeplat) -> None:
    """A node is moved below another epic, and next to a node that is there."""
    plant(fakeplat)
    assert [] == move(fakeplat, "E3", parent="E2")
    assert [] == move(fakeplat, "I1", "E3", "before", "E2")
    assert (["E3", "I1"], {"E2", "I2"}) == (list_tree(fakeplat, 2), set(list_tree(fakeplat)))


@pytest.mark.parametrize(
    ("name", "adjacent", "place", "parent", "by", "error"),
    [
        ("E2", "E4", "before", "", "ada", "The sibling object's parent must match the current parent epic."),
        ("E2", "E3", "before", "E4", "ada", "The sibling object's parent must match the new parent epic."),
        ("E2", "E3", "", "", "ada", "Relative position is not valid."),
        ("E2", "E3", "before", "", "eve", NOT_PERMITTED),
        ("I1", "E3", "before", "", "eve", NOT_PERMITTED),
        ("E4", "", "", "E2", "ada", NOT_PERMITTED),
    ],
)
def test_moves_are_refused(
    fakeplat: Fakeplat, name: str, adjacent: str, place: str, parent: str, by: str, error: str
) -> None:
    """Moves need permissions and a place, an adjacent node has the same parent, and only nodes of trees are moved."""
    plant(fakeplat)
    fakeplat.as_user(by).get("version")
    state = fakeplat.bench.platform.state
    assert [error] == move(fakeplat, name, adjacent, place, parent, by)
    assert state is fakeplat.bench.platform.state


@pytest.mark.fakeplat(tier="premium")
def test_epics_below_epics_are_ultimate(fakeplat: Fakeplat) -> None:
    """Without epics below epics, issues are moved, and epics are not."""
    view = fakeplat.bench.platform.view
    for issue in view.issues.all():
        assert 201 == fakeplat.as_user("ada").post(f"groups/acme/epics/1/issues/{issue.id}").status
    assert [] == move(fakeplat, "I2", "I1", "before")
    assert ["I1", "I2"] == list_tree(fakeplat)
    assert [NOT_PERMITTED] == move(fakeplat, "E2")
