"""Notes, discussions, emoji and to-dos in scenarios, and back."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import orjson
import pytest

from fakeplat import scenario
from fakeplat.core.messages import Request
from fakeplat.domain.namespaces import project_path
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from fakeplat.workbench.look import Look
from tests.scenario.answers import NOBODY, differences, named, names_of, token_of
from tests.scenario.test_schema import validator
from tests.scenario.worlds import again, made, write

VIEWERS = ("root", "ada", "dev", "gus", "eve", NOBODY)
THREAD = "0123456789abcdef0123456789abcdef01234567"
RICH: dict[str, Any] = {
    "users": [
        "ada",
        {
            "username": "dev",
            "todos": [
                {"issue": "acme/site#1", "author": "ada", "action": "directly_addressed", "note": 2},
                {
                    "issue": "acme/site#2",
                    "state": "done",
                    "created_at": "2020-02-02T00:00:00Z",
                    "updated_at": "2020-02-03T00:00:00Z",
                },
            ],
        },
        {"username": "gus", "todos": [{"issue": "acme/site#2", "author": "ada", "action": "assigned"}]},
        "eve",
    ],
    "groups": [
        {
            "path": "acme",
            "visibility": "public",
            "members": {"ada": "owner", "dev": "developer", "gus": "guest"},
            "projects": [
                {
                    "path": "site",
                    "visibility": "public",
                    "issues": [
                        {
                            "title": "One",
                            "notes": [
                                {"author": "dev", "body": "first", "created_at": "2020-01-02T00:00:00Z"},
                                {
                                    "author": "ada",
                                    "body": "@dev",
                                    "created_at": "2020-01-03T00:00:00Z",
                                    "updated_at": "2020-01-04T00:00:00Z",
                                    "award_emoji": [{"name": "tada", "user": "dev"}, {"name": "heart", "user": "gus"}],
                                },
                                {"author": "dev", "body": "between us", "confidential": True},
                                {"author": "ada", "body": "changed the description", "system": True},
                                {
                                    "author": "ada",
                                    "body": "mentioned in issue secret#1",
                                    "system": True,
                                    "mentioned_in": "acme/secret#1",
                                },
                                {"author": "gus", "body": "why?", "discussion": "a question"},
                                {"author": "dev", "body": "alone", "discussion": THREAD},
                                {"author": "ada", "body": "because", "discussion": "a question"},
                            ],
                            "discussions": [
                                {"notes": [{"author": "gus", "body": "so?"}, {"author": "dev", "body": "so."}]},
                            ],
                        },
                        "Two",
                    ],
                },
                {"path": "secret", "visibility": "private", "issues": ["Hidden"]},
            ],
        }
    ],
}


def targets(platform: Platform) -> Iterator[str]:
    """Every GET that shows something of all that."""
    view = platform.view
    yield from ("todos", "todos?state=done", "todos?action=assigned")
    for issue in view.issues.all():
        place = f"projects/{quote(project_path(view, view.projects[issue.project_id]), safe='')}/issues/{issue.iid}"
        for part in ("", "/notes", "/notes?sort=asc&order_by=updated_at", "/discussions", "/award_emoji"):
            yield place + part
        for note in view.notes.where("subject", ("issue", issue.id)):
            yield f"{place}/discussions/{note.discussion_id}"
            yield f"{place}/notes/{note.id}/award_emoji"


def answers(platform: Platform) -> list[Any]:
    """What every viewer gets, in one order, with names for ids."""
    found, names = [], names_of(platform.view)
    for viewer in VIEWERS:
        token = token_of(platform.view, viewer)
        for target in targets(platform):
            path, _, query = target.partition("?")
            headers = {"private-token": token} if token else {}
            response = platform.handle(Request("GET", f"/api/v4/{path}", query, headers))
            text = re.sub(rb"#note_\d+", b"#note", response.body)
            found.append((viewer, re.sub(r"\d{7}", "N", target), response.status, named(orjson.loads(text), names)))
    return found


def asked(platform: Platform, viewer: str, path: str) -> Any:
    headers = {"private-token": f"{viewer}-token"}
    return orjson.loads(platform.handle(Request("GET", f"/api/v4/{path}", "sort=asc&per_page=100", headers)).body)


def test_what_is_said_is_there() -> None:
    """Under the names of the API, for who may see it."""
    platform = made(RICH)
    place = "projects/acme%2Fsite/issues/1"
    everything = [
        "first",
        "@dev",
        "between us",
        "changed the description",
        "mentioned in issue secret#1",
        "why?",
        "alone",
        "because",
        "so?",
        "so.",
    ]
    assert sorted(everything) == sorted(note["body"] for note in asked(platform, "ada", f"{place}/notes"))
    hidden = {"between us", "mentioned in issue secret#1"}
    assert sorted(set(everything) - hidden) == sorted(n["body"] for n in asked(platform, "eve", f"{place}/notes"))
    threads = [[note["body"] for note in one["notes"]] for one in asked(platform, "ada", f"{place}/discussions")]
    assert [["why?", "because"], ["so?", "so."]] == [bodies for bodies in threads if len(bodies) > 1]
    assert 8 == asked(platform, "ada", place)["user_notes_count"]
    assert [("directly_addressed", "@dev")] == [
        (todo["action_name"], todo["body"]) for todo in asked(platform, "dev", "todos")
    ]


def test_a_look_shows_it() -> None:
    """Notes with their emoji under issues, to-dos under users."""
    look = Look(made(RICH))
    one = look.project("acme/site").issues[0]

    assert ("first", "dev") == (one.notes[0].body, one.notes[0].author["username"])
    assert ["tada", "heart"] == [award.name for award in one.notes[1].award_emoji]
    assert [("directly_addressed", "One"), ("marked", "Two")] == [
        (todo.action_name, todo.target["title"]) for todo in look.user("dev").todos
    ]


def test_all_of_it_survives_a_round_trip() -> None:
    """Export, load, and every GET answers the same, ids apart; a second export says the same."""
    platform = made(RICH)
    twin = again(platform)

    assert [] == list(differences(answers(platform), answers(twin)))
    assert scenario.export(platform) == scenario.export(twin)


def test_what_people_did_survives_a_round_trip() -> None:
    """Notes of people and of the platform, mentions, awards and to-dos that came through the API."""
    platform = made(RICH)
    place = "projects/acme%2Fsite/issues"
    write(platform, "POST", place, "ada-token", title="Three", description="@gus, like #1\n/assign @dev\n/due tomorrow")
    write(platform, "POST", f"{place}/3/notes", "dev-token", body="see acme/secret#1, @ada\n/title Third")
    thread = write(platform, "POST", f"{place}/3/discussions", "gus-token", body="so?")
    note = write(platform, "POST", f"{place}/3/discussions/{thread['id']}/notes", "dev-token", body="so.")
    write(platform, "POST", f"{place}/3/notes/{note['id']}/award_emoji", "gus-token", name="tada")
    write(platform, "POST", f"{place}/3/todo", "gus-token")

    assert [] == list(differences(answers(platform), answers(again(platform))))


@pytest.mark.parametrize(
    ("notes", "text"),
    [
        ([{"author": "ada"}], "needs 'body'"),
        ([{"body": "x"}], "needs 'author'"),
        ([{"author": "nobody", "body": "x"}], "unknown user 'nobody'"),
        ([{"author": "ada", "body": "x", "mentioned_in": "acme/site#9"}], "unknown issue 'acme/site#9'"),
        ([{"author": "ada", "body": "x", "type": "Comment"}], "type"),
        ([{"author": "ada", "body": "x", "thread": "y"}], "unknown key 'thread'"),
    ],
)
def test_mistakes_in_notes(notes: list[Any], text: str) -> None:
    """Are told with their place."""
    site = {"path": "site", "issues": [{"title": "One", "notes": notes}]}
    with pytest.raises(ScenarioError) as wrong:
        made({"users": ["ada"], "groups": [{"path": "acme", "projects": [site]}]})
    assert text in str(wrong.value)
    assert "issues[0].notes[0]" in str(wrong.value)


@pytest.mark.parametrize(
    ("todo", "text"),
    [
        ({}, "needs exactly one of issue, merge_request"),
        ({"issue": "acme/site#9"}, "unknown issue 'acme/site#9'"),
        ({"issue": "acme/site#1", "note": 1}, "there are 0 notes on it"),
        ({"issue": "acme/site#1", "action": "slept"}, "action"),
    ],
)
def test_mistakes_in_to_dos(todo: dict[str, Any], text: str) -> None:
    """Are told with their place."""
    groups = [{"path": "acme", "projects": [{"path": "site", "issues": ["One"]}]}]
    with pytest.raises(ScenarioError) as wrong:
        made({"users": [{"username": "ada", "todos": [todo]}], "groups": groups})
    assert text in str(wrong.value)
    assert "users[0].todos[0]" in str(wrong.value)


def test_the_schema_knows_them() -> None:
    """What the loader takes, and what an export says."""
    assert [] == list(validator().iter_errors(RICH))
    assert [] == list(validator().iter_errors(orjson.loads(orjson.dumps(scenario.export(made(RICH))))))
