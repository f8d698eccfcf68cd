"""Moves of repositories to other storages. Source: docs/platform/storage-moves.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, Outcome, invalid, invalid_record, refusal

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium")
SITE, ACME = "projects/acme%2Fsite", "groups/acme"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})


def add_snippet(fake: Fakeplat) -> str:
    """Create a snippet; return its path."""
    body = {"title": "x", "file_name": "x", "content": "x", "visibility": "public"}
    return f"snippets/{fake.as_user('ada').post('snippets', json=body).json()['id']}"


def use_storage(fake: Fakeplat, name: str) -> None:
    """Make a storage known: a project is on it."""
    fake.load({"projects": [{"path_with_namespace": "acme/docs", "repository_storage": name}]})


def owner_of(fake: Fakeplat, kind: str) -> str:
    return {"project": SITE, "group": ACME}.get(kind) or add_snippet(fake)


kinds = pytest.mark.parametrize("kind", ["project", "group", "snippet"])


@kinds
def test_a_repository_is_moved(fakeplat: Fakeplat, kind: str) -> None:
    """A move is scheduled at first, and finished a second later."""
    use_storage(fakeplat, "fast")
    root, owner = fakeplat.as_user("root"), owner_of(fakeplat, kind)
    reply = root.post(f"{owner}/repository_storage_moves", json={"destination_storage_name": "fast"})
    move = reply.json()
    subject = move.pop(kind)
    expected = {"state": "scheduled", "source_storage_name": "default", "destination_storage_name": "fast"}

    assert (201, {**expected, "error_message": None}) == (
        reply.status,
        {name: value for name, value in move.items() if name not in ("id", "created_at")},
    )
    assert root.get(owner).json()["id"] == subject["id"]
    fakeplat.settle()
    done = {**move, kind: subject, "state": "finished"}
    paths = (f"{owner}/repository_storage_moves", f"{kind}_repository_storage_moves")
    assert [[done], done] * 2 == [root.get(path).json() for each in paths for path in (each, f"{each}/{move['id']}")]


def test_a_moved_project_is_on_the_other_storage(fakeplat: Fakeplat) -> None:
    """The storage of a project is the new one once the move is finished."""
    use_storage(fakeplat, "fast")
    root = fakeplat.as_user("root")
    root.post(f"{SITE}/repository_storage_moves", json={"destination_storage_name": "fast"})
    fakeplat.settle()
    assert "fast" == root.get(SITE).json()["repository_storage"]


@kinds
def test_a_storage_is_emptied(fakeplat: Fakeplat, kind: str) -> None:
    """All repositories of a storage are moved."""
    use_storage(fakeplat, "fast")
    root, owner = fakeplat.as_user("root"), owner_of(fakeplat, kind)
    body = {"source_storage_name": "default", "destination_storage_name": "fast"}
    reply = root.post(f"{kind}_repository_storage_moves", json=body)
    fakeplat.settle()

    assert (202, {"message": "202 Accepted"}) == (reply.status, reply.json())
    assert ["finished"] == [move["state"] for move in root.get(f"{owner}/repository_storage_moves").json()]


@kinds
@pytest.mark.parametrize(
    "body", [{"source_storage_name": "none"}, {"source_storage_name": "default", "destination_storage_name": "none"}]
)
def test_unknown_storages_are_refused(fakeplat: Fakeplat, kind: str, body: dict[str, Any]) -> None:
    """A storage that the instance does not have answers 400."""
    expected = invalid_record(**{list(body)[-1]: ["is not included in the list"]})
    assert expected == refusal(fakeplat, "root", "POST", f"{kind}_repository_storage_moves", json=body)


@kinds
def test_an_unknown_destination_is_refused(fakeplat: Fakeplat, kind: str) -> None:
    """A storage that the instance does not have answers 400."""
    path = f"{owner_of(fakeplat, kind)}/repository_storage_moves"
    expected = invalid_record(destination_storage_name=["is not included in the list"])
    assert expected == refusal(fakeplat, "root", "POST", path, json={"destination_storage_name": "none"})


@pytest.mark.fakeplat(clock="virtual")
def test_two_moves_at_once_are_refused(fakeplat: Fakeplat) -> None:
    """A repository that is being moved is not moved again."""
    path = f"{SITE}/repository_storage_moves"
    assert 201 == fakeplat.as_user("root").post(path).status
    assert invalid_record(project=["is read-only"]) == refusal(fakeplat, "root", "POST", path)


@kinds
def test_missing_moves_are_not_found(fakeplat: Fakeplat, kind: str) -> None:
    """A move that does not exist answers 404."""
    owner = owner_of(fakeplat, kind)
    paths = (f"{kind}_repository_storage_moves/1", f"{owner}/repository_storage_moves/1")
    assert [NOT_FOUND] * 2 == [refusal(fakeplat, "root", "GET", path) for path in paths]


def test_the_source_is_required(fakeplat: Fakeplat) -> None:
    """Moving everything needs the storage to move from."""
    expected = invalid("source_storage_name is missing")
    assert expected == refusal(fakeplat, "root", "POST", "project_repository_storage_moves")


@kinds
def test_moves_are_for_administrators(fakeplat: Fakeplat, kind: str) -> None:
    """Owners neither see nor make moves."""
    owner = owner_of(fakeplat, kind)
    body = {"source_storage_name": "default"}
    assert [FORBIDDEN] * 6 == [
        refusal(fakeplat, "ada", method, path, **({"json": body} if method == "POST" else {}))
        for method, path in (
            ("GET", f"{kind}_repository_storage_moves"),
            ("GET", f"{kind}_repository_storage_moves/1"),
            ("POST", f"{kind}_repository_storage_moves"),
            ("GET", f"{owner}/repository_storage_moves"),
            ("GET", f"{owner}/repository_storage_moves/1"),
            ("POST", f"{owner}/repository_storage_moves"),
        )
    ]
