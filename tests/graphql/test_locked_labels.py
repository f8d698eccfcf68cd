"""Labels that merged merge requests keep. Source: docs/platform/labels.md ('Locked labels')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import list_messages, query_project, query_refused

FEATURE = "features/enforce_locked_labels_on_merge"
PROJECT: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "labels": [
        {"name": "shipped", "lock_on_merge": True, "color": "#fff"},
        {"name": "idea", "color": "#fff"},
    ],
    "merge_requests": [
        {"title": "Done", "author": "dev", "source_branch": "a", "state": "merged", "labels": ["shipped", "idea"]},
        {"title": "Open", "author": "dev", "source_branch": "b", "labels": ["shipped", "idea"]},
    ],
}
pytestmark = pytest.mark.fakeplat(version="latest", scenario={"extends": "starter", "projects": [PROJECT]})


def list_left(fake: Fakeplat, title: str) -> list[str]:
    """Return the labels of a merge request after all were removed."""
    client = fake.as_user("mia")
    rows = client.get("projects/acme%2Fsite/merge_requests", params={"search": title, "in": "title"}).json()
    (iid,) = (row["iid"] for row in rows if row["title"] == title)
    changed = client.put(f"projects/acme%2Fsite/merge_requests/{iid}", json={"labels": ""}).json()
    labels: list[str] = changed["labels"]
    return labels


def test_a_label_tells_whether_it_is_locked(fakeplat: Fakeplat) -> None:
    """Scenarios lock labels, which GraphQL shows."""
    shown = query_project(
        fakeplat, "mia", 'a: label(title: "shipped") { lockOnMerge } b: label(title: "idea") { lockOnMerge }'
    )

    assert {"a": {"lockOnMerge": True}, "b": {"lockOnMerge": False}} == shown


def test_merged_merge_requests_keep_locked_labels(fakeplat: Fakeplat) -> None:
    """Once the feature is on, a locked label stays on what was merged, and only there."""
    assert 201 == fakeplat.as_user("root").post(FEATURE, json={"value": "true"}).status

    assert ["shipped"] == list_left(fakeplat, "Done")
    assert [] == list_left(fakeplat, "Open")


def test_locked_labels_are_removed_without_the_feature(fakeplat: Fakeplat) -> None:
    """The feature is off by default."""
    assert [] == list_left(fakeplat, "Done")


@pytest.mark.fakeplat(version="16.2")
def test_older_releases_lock_no_labels(fakeplat: Fakeplat) -> None:
    """Labels could not be locked before 16.3."""
    query = '{ project(fullPath: "acme/site") { label(title: "idea") { lockOnMerge } } }'

    assert ["Field 'lockOnMerge' doesn't exist on type 'Label'"] == list_messages(query_refused(fakeplat, "mia", query))
