"""What people say of commits, in scenarios and back. Source: docs/platform/commits.md ('Comments')."""

from typing import Any

import pytest

from fakeplat import scenario
from fakeplat.core.operations.http_messages import Request
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, reload_export

COMMITS = [
    {"message": "first", "author": "ada", "files": {"a.txt": "1\n2\n"}},
    {"message": "second", "author": "ada", "files": {"a.txt": "1\ntwo\n"}},
]


def build_scenario(*comments: dict[str, Any]) -> dict[str, Any]:
    project = {"path": "site", "repository": {"commits": COMMITS}, "commit_comments": list(comments)}
    return {"users": ["ada", "dev"], "groups": [{"path": "acme", "members": {"ada": "owner"}, "projects": [project]}]}


def get_comments(platform: Platform, revision: str) -> Any:
    path = f"/api/v4/projects/acme%2Fsite/repository/commits/{revision}/comments"
    return platform.handle(Request("GET", path, headers={"private-token": "root-token"})).body


WHOLE = {"commit": "master~1", "author": "dev", "note": "Well begun", "created_at": "2020-11-02T00:00:00Z"}
LINE = {"commit": "master", "author": "ada", "note": "Why?", "path": "a.txt", "line": 2}
OLD = {**LINE, "note": "It was right", "line_type": "old"}


def test_commit_comments_are_loaded_and_exported() -> None:
    """Comments on commits and on their lines fit the schema and are the same after a round trip."""
    platform = create_platform(build_scenario(WHOLE, LINE, OLD))
    first, second = get_comments(platform, "master~1"), get_comments(platform, "master")

    assert b'"note":"Well begun","path":null' in first
    assert b'"created_at":"2020-11-02T00:00:00.000Z"' in first
    assert b'"note":"Why?","path":"a.txt","line":2,"line_type":"new"' in second
    assert b'"note":"It was right","path":"a.txt","line":2,"line_type":"old"' in second
    reloaded = reload_export(platform)
    assert (first, second) == (get_comments(reloaded, "master~1"), get_comments(reloaded, "master"))
    assert [] == list(build_validator().iter_errors(build_scenario(WHOLE, LINE, OLD)))
    assert scenario.export_world(platform) == scenario.export_world(reloaded)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"commit": "nowhere"}, "has no commit 'nowhere'"),
        ({"line": 1}, "master did not change line 1 of 'a.txt'"),
        ({"author": "nobody"}, "nobody"),
    ],
)
def test_mistakes(wrong: dict[str, Any], text: str) -> None:
    """A commit comment with an unknown commit, an unknown user or a line outside the diff is refused."""
    with pytest.raises(ScenarioError, match=text):
        create_platform(build_scenario({**LINE, **wrong}))


def test_effects_of_comments_survive_a_round_trip() -> None:
    """System notes on commits, and to-dos about commits with their note, survive a round trip."""
    tagged = {"commit": "master", "author": "ada", "note": "tagged commit", "system": True}
    whole = build_scenario({**LINE, "note": "@dev, why?"}, tagged)
    todo = {"commit": "acme/site@master", "action": "mentioned", "author": "ada", "note": 1}
    platform = create_platform({**whole, "users": ["ada", {"username": "dev", "todos": [todo]}]})
    (kept,) = platform.view.todos.all()

    assert [False, True] == [note.system for note in platform.view.notes.all()]
    assert ("commit", "mentioned") == (kept.subject[0], kept.action)
    reloaded = reload_export(platform)
    assert scenario.export_world(platform) == scenario.export_world(reloaded)
    assert [kept] == list(reloaded.view.todos.all())
