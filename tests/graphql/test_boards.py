"""Issue boards, by GraphQL. Source: docs/platform/boards.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import query_data, query_project

SITE: dict[str, Any] = {"path_with_namespace": "acme/site", "boards": [{"name": "Work"}, {"name": "Bugs"}]}
SCENARIO: dict[str, Any] = {"extends": "starter", "projects": [SITE]}
pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=SCENARIO)


def test_a_project_shows_its_boards_by_name(fakeplat: Fakeplat) -> None:
    """A project lists its boards by name, and the one with a global ID."""
    rows = query_project(fakeplat, "gus", "boards { nodes { id name webPath hideBacklogList createdAt } }")
    bugs, work = rows["boards"]["nodes"]
    (rest, _) = fakeplat.as_user("gus").get("projects/acme%2Fsite/boards").json()

    assert (["Bugs", "Work"], False) == ([bugs["name"], work["name"]], bugs["hideBacklogList"])
    assert f"gid://gitlab/Board/{rest['id']}" == bugs["id"]
    assert f"/acme/site/-/boards/{rest['id']}" == bugs["webPath"]
    project = query_project(fakeplat, "gus", f'boards(id: "{work["id"]}") {{ nodes {{ name }} }}')
    assert {"nodes": [{"name": "Work"}]} == project["boards"]


def test_a_group_shows_its_boards(fakeplat: Fakeplat) -> None:
    """The boards of a group are its own, not those of its projects."""
    fakeplat.as_user("rep").post("groups/acme/boards", json={"name": "All"})
    query = '{ group(fullPath: "acme") { boards { nodes { name webUrl } } } }'
    (board,) = query_data(fakeplat, "gus", query)["group"]["boards"]["nodes"]

    assert ("All", True) == (board["name"], board["webUrl"].startswith(f"{fakeplat.url}/groups/acme/-/boards/"))


@pytest.mark.fakeplat(version="13.6", tier="premium")
def test_a_board_shows_the_labels_to_which_it_is_limited(fakeplat: Fakeplat) -> None:
    """A board shows the labels of its scope."""
    reporter = fakeplat.as_user("rep")
    reporter.post("projects/acme%2Fsite/labels", json={"name": "bug", "color": "#ff0000"})
    (board, other) = reporter.get("projects/acme%2Fsite/boards").json()
    reporter.put(f"projects/acme%2Fsite/boards/{board['id']}", json={"labels": "bug"})
    rows = query_project(fakeplat, "gus", "boards { nodes { name labels { nodes { title } } } }")["boards"]["nodes"]
    labels = {row["name"]: row["labels"]["nodes"] for row in rows}
    assert {board["name"]: [{"title": "bug"}], other["name"]: []} == labels
