"""Filters of lists of pipelines, and how many of their jobs failed.

Source: app/graphql/resolvers/concerns/resolves_pipelines.rb and app/models/ci/pipeline.rb of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.pipelines import load_project
from tests.graphql.queries import list_messages, query_project, query_refused

pytestmark = pytest.mark.fakeplat(version="latest")
FAILED: dict[str, Any] = {"status": "failed"}
COMMITS = [{"message": "first", "branch": "main", "files": {"a": "a"}, "tags": ["v1"]}]
PIPELINES: list[dict[str, Any]] = [
    {"ref": "main", "status": "failed", "jobs": [{"name": "old", **FAILED}]},
    {
        "ref": "main",
        "status": "failed",
        "source": "web",
        "jobs": [
            {"name": "one", **FAILED},
            {"name": "two", **FAILED, "allow_failure": True},
            {"name": "three", "status": "success"},
        ],
    },
    {"ref": "v1", "tag": True, "status": "success"},
]


@pytest.fixture(autouse=True)
def _pipelines(fakeplat: Fakeplat) -> None:
    load_project(fakeplat, repository={"commits": COMMITS}, pipelines=PIPELINES)


def list_iids(fake: Fakeplat, arguments: str = "") -> list[str]:
    nodes = query_project(fake, "dev", f"pipelines{arguments} {{ nodes {{ iid }} }}")["pipelines"]["nodes"]
    return [node["iid"] for node in nodes]


def list_iids_of_commit(fake: Fakeplat, arguments: str) -> list[str]:
    selection = f'repository {{ commit(ref: "main") {{ pipelines{arguments} {{ nodes {{ iid }} }} }} }}'
    nodes = query_project(fake, "dev", selection)["repository"]["commit"]["pipelines"]["nodes"]
    return [node["iid"] for node in nodes]


def list_ids(fake: Fakeplat) -> list[str]:
    nodes = query_project(fake, "dev", "pipelines { nodes { id } }")["pipelines"]["nodes"]
    return [node["id"] for node in nodes]


def test_pipelines_by_id(fakeplat: Fakeplat) -> None:
    """Pipelines are found by their IDs; no IDs are no filter, and those of other records find nothing."""
    newest, _, oldest = list_ids(fakeplat)

    assert ["3", "1"] == list_iids(fakeplat, f'(ids: ["{oldest}", "{newest}", "gid://gitlab/Project/1", "x"])')
    assert [] == list_iids(fakeplat, '(ids: ["gid://gitlab/Ci::Pipeline/1"])')
    assert ["3", "2", "1"] == list_iids(fakeplat, "(ids: [])")


def test_too_many_ids_are_refused(fakeplat: Fakeplat) -> None:
    """A query asks for at most 20 pipelines by ID."""
    ids = ", ".join(f'"gid://gitlab/Ci::Pipeline/{number}"' for number in range(21))
    query = f'{{ project(fullPath: "acme/site") {{ pipelines(ids: [{ids}]) {{ nodes {{ iid }} }} }} }}'

    assert ["Cannot query more than 20 pipelines by ID at once."] == list_messages(
        query_refused(fakeplat, "dev", query)
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("(refType: HEADS)", ["2"]),
        ("(refType: TAGS)", ["3"]),
        ("(scope: FINISHED, refType: TAGS)", ["3", "2", "1"]),
    ],
)
def test_pipelines_by_kind_of_ref(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """The kind of a ref gives the newest pipeline of each branch or tag, unless there is a scope."""
    assert expected == list_iids(fakeplat, arguments)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["3", "2", "1"]),
        ('(sha: "1234567890")', ["3", "2", "1"]),
        ('(source: "web")', ["2"]),
        ("(scope: TAGS)", ["3"]),
        ("(refType: HEADS)", ["2"]),
        ('(ref: "main")', ["2", "1"]),
        ('(username: "nobody")', []),
        ('(updatedBefore: "2000-01-01")', []),
    ],
)
def test_pipelines_of_a_commit(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """The pipelines of a commit have the filters of those of a project, but always its SHA."""
    assert expected == list_iids_of_commit(fakeplat, arguments)


def test_failed_jobs_are_counted(fakeplat: Fakeplat) -> None:
    """All failed jobs count, also those that may fail."""
    nodes = query_project(fakeplat, "dev", "pipelines { nodes { failedJobsCount } }")["pipelines"]["nodes"]

    assert [0, 2, 1] == [node["failedJobsCount"] for node in nodes]


@pytest.mark.fakeplat(version="18.8")
def test_earlier_releases_count_no_failed_jobs(fakeplat: Fakeplat) -> None:
    """Failed jobs are counted since 18.9."""
    query = '{ project(fullPath: "acme/site") { pipelines { nodes { failedJobsCount } } } }'

    assert "Field 'failedJobsCount' doesn't exist on type 'Pipeline'" in list_messages(
        query_refused(fakeplat, "dev", query)
    )
