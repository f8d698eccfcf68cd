"""Notes, discussions, emoji and to-dos in scenarios, and back."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import orjson
import pytest

from fakeplat import scenario
from fakeplat.core.operations.http_messages import Request
from fakeplat.domain.people.namespaces import project_path
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from fakeplat.workbench.inspection import WorldView
from tests.scenario.answers import ANONYMOUS, collect_names, compare_values, replace_ids, token_of
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, reload_export, write

VIEWERS = ("root", "ada", "dev", "gus", "eve", ANONYMOUS)
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


def list_targets(platform: Platform) -> Iterator[str]:
    """Every GET that shows something of all that."""
    view = platform.view
    yield from ("todos", "todos?state=done", "todos?action=assigned")
    for issue in view.issues.all():
        path = f"projects/{quote(project_path(view, view.projects[issue.project_id]), safe='')}/issues/{issue.iid}"
        for part in ("", "/notes", "/notes?sort=asc&order_by=updated_at", "/discussions", "/award_emoji"):
            yield path + part
        for note in view.notes.where("subject", ("issue", issue.id)):
            yield f"{path}/discussions/{note.discussion_id}"
            yield f"{path}/notes/{note.id}/award_emoji"


def collect_answers(platform: Platform) -> list[Any]:
    """What every viewer gets, in one order, with names for ids."""
    responses, names = [], collect_names(platform.view)
    for viewer in VIEWERS:
        token = token_of(platform.view, viewer)
        for target in list_targets(platform):
            path, _, query = target.partition("?")
            headers = {"private-token": token} if token else {}
            response = platform.handle(Request("GET", f"/api/v4/{path}", query, headers))
            text = re.sub(rb"#note_\d+", b"#note", response.body)
            responses.append(
                (viewer, re.sub(r"\d{7}", "N", target), response.status, replace_ids(orjson.loads(text), names))
            )
    return responses


def get_json(platform: Platform, viewer: str, path: str) -> Any:
    headers = {"private-token": f"{viewer}-token"}
    return orjson.loads(platform.handle(Request("GET", f"/api/v4/{path}", "sort=asc&per_page=100", headers)).body)


def test_declared_notes_are_shown() -> None:
    """Declared notes appear under the names of the API for the viewers who may see them."""
    platform = create_platform(RICH)
    path = "projects/acme%2Fsite/issues/1"
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
    assert sorted(everything) == sorted(note["body"] for note in get_json(platform, "ada", f"{path}/notes"))
    hidden = {"between us", "mentioned in issue secret#1"}
    assert sorted(set(everything) - hidden) == sorted(n["body"] for n in get_json(platform, "eve", f"{path}/notes"))
    threads = [
        [note["body"] for note in thread["notes"]] for thread in get_json(platform, "ada", f"{path}/discussions")
    ]
    assert [["why?", "because"], ["so?", "so."]] == [bodies for bodies in threads if len(bodies) > 1]
    assert 8 == get_json(platform, "ada", path)["user_notes_count"]
    assert [("directly_addressed", "@dev")] == [
        (todo["action_name"], todo["body"]) for todo in get_json(platform, "dev", "todos")
    ]


def test_a_look_shows_it() -> None:
    """A world view shows notes with their emoji under issues, and to-dos under users."""
    look = WorldView(create_platform(RICH))
    issue = look.project("acme/site").issues[0]

    assert ("first", "dev") == (issue.notes[0].body, issue.notes[0].author["username"])
    assert ["tada", "heart"] == [award.name for award in issue.notes[1].award_emoji]
    assert [("directly_addressed", "One"), ("marked", "Two")] == [
        (todo.action_name, todo.target["title"]) for todo in look.user("dev").todos
    ]


def test_all_of_it_survives_a_round_trip() -> None:
    """Every GET about notes answers the same after a round trip, and a second export is equal."""
    platform = create_platform(RICH)
    twin = reload_export(platform)

    assert [] == list(compare_values(collect_answers(platform), collect_answers(twin)))
    assert scenario.export_world(platform) == scenario.export_world(twin)


def test_what_people_did_survives_a_round_trip() -> None:
    """Notes, mentions, awards and to-dos that were created through the API survive a round trip."""
    platform = create_platform(RICH)
    path = "projects/acme%2Fsite/issues"
    write(platform, "POST", path, "ada-token", title="Three", description="@gus, like #1\n/assign @dev\n/due tomorrow")
    write(platform, "POST", f"{path}/3/notes", "dev-token", body="see acme/secret#1, @ada\n/title Third")
    thread = write(platform, "POST", f"{path}/3/discussions", "gus-token", body="so?")
    note = write(platform, "POST", f"{path}/3/discussions/{thread['id']}/notes", "dev-token", body="so.")
    write(platform, "POST", f"{path}/3/notes/{note['id']}/award_emoji", "gus-token", name="tada")
    write(platform, "POST", f"{path}/3/todo", "gus-token")

    assert [] == list(compare_values(collect_answers(platform), collect_answers(reload_export(platform))))


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
    """Mistakes in notes are reported with their location."""
    site = {"path": "site", "issues": [{"title": "One", "notes": notes}]}
    with pytest.raises(ScenarioError) as wrong:
        create_platform({"users": ["ada"], "groups": [{"path": "acme", "projects": [site]}]})
    assert text in str(wrong.value)
    assert "issues[0].notes[0]" in str(wrong.value)


@pytest.mark.parametrize(
    ("todo", "text"),
    [
        ({}, "needs exactly one of issue, merge_request"),
        ({"issue": "acme/site#9"}, "unknown issue 'acme/site#9'"),
        ({"issue": "acme/site#1", "note": 1}, "there are only 0 notes on the record"),
        ({"issue": "acme/site#1", "action": "slept"}, "action"),
    ],
)
def test_mistakes_in_to_dos(todo: dict[str, Any], text: str) -> None:
    """Mistakes in to-dos are reported with their location."""
    groups = [{"path": "acme", "projects": [{"path": "site", "issues": ["One"]}]}]
    with pytest.raises(ScenarioError) as wrong:
        create_platform({"users": [{"username": "ada", "todos": [todo]}], "groups": groups})
    assert text in str(wrong.value)
    assert "users[0].todos[0]" in str(wrong.value)


def test_the_schema_knows_them() -> None:
    """The schema accepts a scenario with notes and its export."""
    assert [] == list(build_validator().iter_errors(RICH))
    assert [] == list(
        build_validator().iter_errors(orjson.loads(orjson.dumps(scenario.export_world(create_platform(RICH)))))
    )


# merge requests and commits

LINE = {"new_path": "app.txt", "new_line": 2}
REVIEWED: dict[str, Any] = {
    "users": ["ada", "dev", "rep", "eve"],
    "groups": [
        {
            "path": "acme",
            "visibility": "public",
            "members": {"ada": "owner", "dev": "developer", "rep": "reporter"},
            "projects": [
                {
                    "path": "site",
                    "visibility": "public",
                    "issues": [{"title": "One"}],
                    "repository": {
                        "commits": [
                            {"message": "First", "author": "ada", "files": {"app.txt": "1\n2\n3\n"}},
                            {
                                "message": "Change",
                                "author": "dev",
                                "branch": "feature",
                                "start": "master",
                                "files": {"app.txt": "1\ntwo\n3\n", "logo.png": "not shown"},
                            },
                        ]
                    },
                    "merge_requests": [
                        {
                            "title": "Change",
                            "author": "dev",
                            "source_branch": "feature",
                            "award_emoji": [{"name": "tada", "user": "rep"}],
                            "notes": [
                                {"author": "rep", "body": "alone", "award_emoji": [{"name": "heart", "user": "dev"}]},
                                {
                                    "author": "rep",
                                    "body": "why?",
                                    "discussion": "a line",
                                    "position": {
                                        **LINE,
                                        "line_range": {"start": {"line_code": "x", "new_line": 2}, "end": None},
                                    },
                                },
                                {
                                    "author": "dev",
                                    "body": "because",
                                    "discussion": "a line",
                                    "resolved_at": "2020-02-02T00:00:00Z",
                                    "resolved_by": "ada",
                                },
                                {"author": "dev", "body": "added 1 commit", "system": True},
                            ],
                            "discussions": [
                                {
                                    "notes": [{"author": "rep", "body": "so?"}, {"author": "dev", "body": "so."}],
                                    "position": {"old_path": "app.txt", "old_line": 2},
                                    "resolved_by": "dev",
                                    "resolved_at": "2020-03-03T00:00:00Z",
                                },
                                {
                                    "notes": [{"author": "rep", "body": "left"}],
                                    "position": {
                                        "new_path": "logo.png",
                                        "position_type": "image",
                                        "x": 1,
                                        "y": 2,
                                        "width": 3,
                                        "height": 4,
                                    },
                                },
                            ],
                        }
                    ],
                    "commit_comments": [
                        {"commit": "feature", "author": "rep", "note": "whole"},
                        {"commit": "feature", "author": "rep", "note": "line", "path": "app.txt", "line": 2},
                        {"commit": "feature", "author": "dev", "note": "first", "discussion": "talk"},
                        {"commit": "feature", "author": "rep", "note": "second", "discussion": "talk"},
                        {"commit": "feature", "author": "rep", "note": "place", "position": LINE},
                    ],
                }
            ],
        }
    ],
    "events": [
        {
            "author": "rep",
            "action": "commented",
            "project": "acme/site",
            "target_type": "note",
            "target": "acme/site@feature!2",
        }
    ],
}
REVIEWERS = ("root", "dev", "eve")
MR = "projects/acme%2Fsite/merge_requests/1"
COMMIT = "projects/acme%2Fsite/repository/commits/feature"


def collect_reviews(platform: Platform) -> list[Any]:
    """All that is shown of what was said of merge requests and commits, with names for ids."""
    names, responses = collect_names(platform.view), []
    notes = platform.view.notes.where("subject", ("merge_request", platform.view.merge_requests.all()[0].id))
    places = [
        MR,
        *(f"{MR}/{part}" for part in ("notes", "discussions", "award_emoji", "participants")),
        *(f"{MR}/notes/{note.id}/award_emoji" for note in notes),
        *(f"{COMMIT}/{part}" for part in ("comments", "discussions")),
        "projects/acme%2Fsite/events",
        "projects/acme%2Fsite/issues/1/notes",
    ]
    for viewer in REVIEWERS:
        for path in places:
            answer = get_json(platform, viewer, path)
            for row in answer if path.endswith("/events") else ():
                row.pop("target_iid")  # of a note this is its id
            responses.append((viewer, re.sub(r"\d{7}", "N", path), replace_ids(answer, names)))
    return responses


def test_declared_reviews_are_shown() -> None:
    """Declared review threads appear on their diff lines, resolved or not, and on commits."""
    platform = create_platform(REVIEWED)
    threads = get_json(platform, "dev", f"{MR}/discussions")
    refs = get_json(platform, "dev", MR)["diff_refs"]
    notes = {
        thread["notes"][0]["body"]: [(note["type"], note.get("resolved")) for note in thread["notes"]]
        for thread in threads
    }

    assert {
        "alone": [(None, None)],
        "why?": [("DiffNote", False), ("DiffNote", True)],
        "added 1 commit": [(None, None)],
        "so?": [("DiffNote", True), ("DiffNote", True)],
        "left": [("DiffNote", False)],
    } == notes
    why = next(thread for thread in threads if thread["notes"][0]["body"] == "why?")["notes"]
    assert why[0]["position"] == why[1]["position"]
    assert {**refs, **LINE, "old_path": "app.txt", "position_type": "text"}.items() <= why[0]["position"].items()
    assert [("app.txt", 2, "new")] * 2 == [
        (comment["path"], comment["line"], comment["line_type"])
        for comment in get_json(platform, "dev", f"{COMMIT}/comments")
        if comment["note"] in ("line", "place")
    ]
    talks = [[n["body"] for n in thread["notes"]] for thread in get_json(platform, "dev", f"{COMMIT}/discussions")]
    assert [["whole"], ["line"], ["first", "second"], ["place"]] == talks


def test_reviews_survive_a_round_trip() -> None:
    """Every GET about reviews answers the same after a round trip, and the schema accepts the export."""
    platform = create_platform(REVIEWED)
    twin = reload_export(platform)

    assert [] == list(compare_values(collect_reviews(platform), collect_reviews(twin)))
    assert scenario.export_world(platform) == scenario.export_world(twin)
    assert [] == list(build_validator().iter_errors(REVIEWED))
    assert [] == list(build_validator().iter_errors(orjson.loads(orjson.dumps(scenario.export_world(platform)))))


def test_what_reviewers_did_survives_a_round_trip() -> None:
    """Diff and commit discussions that were created through the API survive a round trip."""
    platform = create_platform(REVIEWED)
    refs = get_json(platform, "dev", MR)["diff_refs"]
    position = {**refs, "position_type": "text", **LINE}
    thread = write(platform, "POST", f"{MR}/discussions", "rep-token", body="here, see #1", position=position)
    write(platform, "POST", f"{MR}/discussions/{thread['id']}/notes", "dev-token", body="so.")
    write(platform, "PUT", f"{MR}/discussions/{thread['id']}", "dev-token", resolved=True)
    parent = {"base_sha": refs["base_sha"], "start_sha": refs["base_sha"], "head_sha": refs["head_sha"]}
    talk = write(platform, "POST", f"{COMMIT}/discussions", "rep-token", body="see #1", position={**position, **parent})
    write(platform, "POST", f"{COMMIT}/discussions/{talk['id']}/notes", "dev-token", body="indeed")
    assert [] == list(compare_values(collect_reviews(platform), collect_reviews(reload_export(platform))))
    action = {"action": "update", "file_path": "app.txt", "content": "0\n1\nTWO\n3\n"}
    commit = {"branch": "feature", "commit_message": "Edit", "actions": [action]}
    write(platform, "POST", "projects/acme%2Fsite/repository/commits", "dev-token", **commit)
    assert [] == list(compare_values(collect_reviews(platform), collect_reviews(reload_export(platform))))


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ({"position": {"new_path": "app.txt", "new_line": 1}}, "there is no line None (old), 1 (new) of 'app.txt'"),
        ({"position": {"new_path": "nowhere", "new_line": 1}}, "there is no line"),
        ({"position": {"new_path": "app.txt", "new_line": 2, "head_sha": "f" * 40}}, "there is no line"),
        ({"position": {"line": 1}}, "unknown key 'line'"),
        ({"mentioned_in": "acme/site@nowhere"}, "unknown commit 'acme/site@nowhere'"),
    ],
)
def test_mistakes_in_reviews(note: dict[str, Any], text: str) -> None:
    """Mistakes in reviews are reported with their location."""
    site = REVIEWED["groups"][0]["projects"][0]
    asking = {**site["merge_requests"][0], "notes": [{"author": "ada", "body": "x", **note}], "discussions": []}
    group = {**REVIEWED["groups"][0], "projects": [{**site, "merge_requests": [asking]}]}
    with pytest.raises(ScenarioError) as wrong:
        create_platform({**REVIEWED, "groups": [group]})
    assert text in str(wrong.value)
    assert "merge_requests[0].notes[0]" in str(wrong.value)


def test_lines_are_of_merge_requests() -> None:
    """A position on the note of an issue is refused."""
    site = {"path": "site", "issues": [{"title": "One", "notes": [{"author": "ada", "body": "x", "position": LINE}]}]}
    with pytest.raises(ScenarioError, match="can have a position"):
        create_platform({"users": ["ada"], "groups": [{"path": "acme", "projects": [site]}]})
