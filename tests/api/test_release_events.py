"""Releases, packages, images and clusters have no events and search results of their own.

The targets of events at this release are issues, milestones, merge requests, notes, projects, snippets, users, wiki
pages and designs. Source: docs/platform/hooks-and-events.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import invalid, names, refusal

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", start="2020-11-20T09:00:00.000Z", tick=0)

SITE = "projects/acme%2Fsite"
RELEASES = f"{SITE}/releases"


def list_session_events(fake: Fakeplat) -> list[dict[str, Any]]:
    """The events that the session created, the newest first."""
    rows = fake.as_user("root").get(f"{SITE}/events?after=2020-11-19&per_page=100").json()
    return list(rows)


def test_a_release_of_a_tag_is_no_event(fakeplat: Fakeplat) -> None:
    """Creating, changing and deleting a release create no event."""
    before, mia = list_session_events(fakeplat), fakeplat.as_user("mia")
    replies = [
        mia.post(RELEASES, json={"tag_name": "v1.0", "description": "First"}),
        mia.put(f"{RELEASES}/v1.0", json={"name": "Changed"}),
        mia.post(f"{RELEASES}/v1.0/assets/links", json={"name": "Binary", "url": "https://files.example.com/a"}),
        mia.delete(f"{RELEASES}/v1.0"),
    ]

    assert [201, 200, 201, 200] == [reply.status for reply in replies]
    assert before == list_session_events(fakeplat)


def test_only_the_push_of_a_new_tag_is_an_event(fakeplat: Fakeplat) -> None:
    """A release that creates its tag creates one push event."""
    before = len(list_session_events(fakeplat))
    fakeplat.as_user("mia").post(RELEASES, json={"tag_name": "v9", "ref": "master"})
    new = list_session_events(fakeplat)[: len(list_session_events(fakeplat)) - before]

    assert [("pushed new", "v9", "mia")] == [
        (event["action_name"], event["push_data"]["ref"], event["author_username"]) for event in new
    ]


def test_packages_and_clusters_are_no_events(fakeplat: Fakeplat) -> None:
    """Packages and clusters create no events."""
    before, mia = list_session_events(fakeplat), fakeplat.as_user("mia")
    platform_kubernetes = {"api_url": "https://k8s.example.com", "token": "x"}
    replies = [
        mia.put(f"{SITE}/packages/generic/app/1.0.0/a.txt", data=b"A"),
        mia.post(f"{SITE}/clusters/user", json={"name": "main", "platform_kubernetes_attributes": platform_kubernetes}),
    ]

    assert [201, 201] == [reply.status for reply in replies]
    assert before == list_session_events(fakeplat)


@pytest.mark.parametrize("target", ["release", "package", "cluster"])
def test_events_cannot_be_filtered_by_them(fakeplat: Fakeplat, target: str) -> None:
    """Releases are no targets of the events filter."""
    expected = invalid("target_type does not have a valid value")
    assert expected == refusal(fakeplat, "mia", "GET", f"{SITE}/events?target_type={target}")


@pytest.mark.parametrize("container", ["", "groups/acme/", f"{SITE}/"])
@pytest.mark.parametrize("scope", ["releases", "packages", "container_repositories", "clusters"])
def test_searches_have_no_scope_for_them(fakeplat: Fakeplat, container: str, scope: str) -> None:
    """No search has a scope for releases, packages, images or clusters."""
    expected = invalid("scope does not have a valid value")
    assert expected == refusal(fakeplat, "mia", "GET", f"{container}search?scope={scope}&search=first")


@pytest.mark.parametrize("container", ["", "groups/acme/", f"{SITE}/"])
def test_a_search_for_milestones_does_not_depend_on_releases(fakeplat: Fakeplat, container: str) -> None:
    """A milestone of a release is found as before, once, and shows nothing of the release."""
    mia, path = fakeplat.as_user("mia"), f"{container}search?scope=milestones&search=v1.0"
    before = mia.get(path).json()
    mia.post(RELEASES, json={"tag_name": "v1.0", "milestones": ["v1.0"], "description": "v1.0"})

    assert ["v1.0"] == names(before, "title")
    assert before == mia.get(path).json()


@pytest.mark.parametrize("scope", ["issues", "merge_requests", "milestones", "blobs", "commits", "notes", "users"])
def test_the_text_of_a_release_is_not_searched(fakeplat: Fakeplat, scope: str) -> None:
    """A search does not find names and descriptions of releases."""
    mia = fakeplat.as_user("mia")
    mia.post(RELEASES, json={"tag_name": "v1.0", "name": "quokka", "description": "quokka"})

    assert [] == mia.get(f"{SITE}/search?scope={scope}&search=quokka").json()
