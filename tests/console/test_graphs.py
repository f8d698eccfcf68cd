"""The graphs of the console: the jobs of a pipeline, and the commits of branches."""

from typing import Any

import pytest

from fakeplat.ci_config.jobs import Need
from fakeplat.console.graphs import draw_commits, draw_pipeline
from fakeplat.git.records import Commit, Person
from fakeplat.harness.caller import UserClient
from fakeplat.model.ci import Job
from tests.console.conftest import Console

CONFIGURATION = """
stages: [build, test, deploy]
compile: {stage: build, script: [make]}
unit: {stage: test, script: [make], needs: [compile]}
lint: {stage: test, script: [make], needs: []}
release: {stage: deploy, script: [make]}
"""
ADA = Person("Ada Example", "ada@example.test", 0)


def ask(console: Console, method: str, path: str, **body: Any) -> Any:
    ada = UserClient(console.bench.platform, "http://localhost", "ada-token")
    answer = ada.request(method, f"projects/acme%2Fsite/{path}", json=body or None)
    assert answer.status < 300, answer
    return answer.json()


def commit(sha: str, *parents: str) -> Commit:
    return Commit(sha=sha, tree="0" * 40, parents=parents, author=ADA, committer=ADA, message=sha)


def test_a_pipeline_shows_its_jobs_by_stage_with_their_needs(console: Console) -> None:
    """Each job has a box with a link; an edge leads from each needed job, an arrow to each stage that waits."""
    change = {"branch": "master", "content": CONFIGURATION, "commit_message": "Add stages"}
    ask(console, "PUT", "repository/files/.gitlab-ci.yml", **change)
    newest, *_ = ask(console, "GET", "pipelines")
    document = console.get(f"at/acme/site/-/pipelines/{newest['id']}")
    assert ["build", "test", "deploy"] == [text for text in document.texts if text in ("build", "test", "deploy")][:3]
    assert "unit: created, needs compile" in document.text
    assert {"lint: created", "release: created"} - set(document.texts) == {"lint: created"}
    assert 2 == document.all("path", "class").count("edge")
    jobs = [link for link in document.links if "/-/jobs/" in link]
    assert {200} == {console.get(link.removeprefix("/_fakeplat/")).status for link in jobs}


def test_edges_lead_from_the_right_side_of_a_job_to_the_left_side_of_the_one_that_needs_it() -> None:
    """A curve joins the middles of both sides; a need of a job that the pipeline lacks has none."""
    common: Any = {"pipeline_id": 1, "project_id": 1, "created_at": "", "updated_at": ""}
    first = Job(id=1, name="first", stage="build", stage_index=0, **common)
    needs = (Need("first"), Need("optional", optional=True))
    second = Job(id=2, name="second", stage="test", stage_index=1, needs=needs, **common)
    graph = draw_pipeline([first, second], {1: "/page"})
    build, test = graph.stages
    (start,), (end,) = build.nodes, test.nodes
    (edge,) = graph.edges
    middle = graph.node_height // 2
    assert edge.startswith(f"M{start.x + graph.node_width} {start.y + middle} C")
    assert edge.endswith(f" {end.x} {end.y + middle}")
    assert ("/page", None) == (start.url, end.url)
    assert ((), ("first", "optional")) == (start.waits_for, end.waits_for)
    assert graph.width >= end.x + graph.node_width
    assert graph.height >= end.y + graph.node_height


def test_an_arrow_leads_to_the_stages_that_wait_for_the_one_before() -> None:
    """A stage all of whose jobs have needs waits for none, nor does the first one."""
    common: Any = {"pipeline_id": 1, "project_id": 1, "created_at": "", "updated_at": ""}
    rows = [
        Job(id=1, name="a", stage="build", stage_index=0, **common),
        Job(id=2, name="b", stage="test", stage_index=1, needs=(), **common),
        Job(id=3, name="c", stage="deploy", stage_index=2, **common),
    ]
    assert [False, False, True] == [stage.follows for stage in draw_pipeline(rows, {}).stages]


def test_a_pipeline_without_jobs_has_an_empty_graph() -> None:
    """Nothing is drawn, and the size is not negative."""
    graph = draw_pipeline([], {})
    assert ([], 0) == (graph.stages, graph.width)


def test_branches_have_lanes_of_their_own() -> None:
    """The first parent continues the lane of a commit; what was merged stands beside it until their common parent."""
    history = [commit("d", "c", "b"), commit("b", "a"), commit("c", "a"), commit("a")]
    graph = draw_commits(history, {"d": ["master"], "b": ["topic"]}, is_cut=False)
    assert {"d": 0, "b": 1, "c": 0, "a": 0} == {node.commit.sha: node.lane for node in graph.nodes}
    assert [["master"], ["topic"], (), ()] == [node.refs for node in graph.nodes]
    assert (2, 4) == (graph.lanes, len(graph.edges))


def test_a_lane_is_used_again_after_its_branch_began() -> None:
    """A lane that ended serves the next branch, so the graph is as wide as the lines that are open at once."""
    history = [commit("e", "d"), commit("t2", "d"), commit("d", "c"), commit("t1", "c"), commit("c")]
    graph = draw_commits(history, {}, is_cut=False)
    assert {"e": 0, "t2": 1, "d": 0, "t1": 1, "c": 0} == {node.commit.sha: node.lane for node in graph.nodes}
    assert 2 == graph.lanes


def test_commits_whose_parents_are_not_shown_lead_out_of_the_graph() -> None:
    """The line of a cut history goes on below its last row."""
    graph = draw_commits([commit("b", "a")], {}, is_cut=True)
    assert ([f"M8 16 V{graph.row_height * 1.5:g}"], True) == (graph.edges, graph.is_cut)


@pytest.mark.parametrize("ref", ["master", "v1.0"])
def test_the_network_of_a_project_shows_the_commits_of_all_branches(console: Console, ref: str) -> None:
    """Each commit is once in the list, with links to it and to the branches and tags at it."""
    document = console.get(f"at/acme/site/-/network/{ref}")
    assert 200 == document.status
    shas = [link.rpartition("/")[2] for link in document.links if "/-/commit/" in link]
    assert len(shas) == len(set(shas)) == len(document.all("circle", "cx"))
    listed = ask(console, "GET", "repository/commits?all=true&per_page=100")
    assert {row["id"] for row in listed} == set(shas)
    trees = {link.rpartition("/")[2] for link in document.links if "/-/tree/" in link}
    assert {"master", "feature", "readme", "v1.0"} <= trees


def test_the_network_of_an_unknown_ref_is_refused(console: Console) -> None:
    """As on the platform, the address names a ref, which has to exist."""
    assert 404 == console.get("at/acme/site/-/network/none").status


def test_the_page_of_a_ref_links_its_graph(console: Console) -> None:
    """Folders lead to the graph beside the list of commits."""
    assert "/_fakeplat/at/acme/site/-/network/master" in console.get("at/acme/site/-/tree/master").links
