"""Snippets in scenarios, and back."""

import re
from base64 import b64encode
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import orjson
import pytest

from fakeplat import scenario
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.domain.snippets import snippet_files
from fakeplat.git import Objects
from fakeplat.git.bundles import write_bundle
from fakeplat.git.records import Kind, Person
from fakeplat.git.tree_editing import Create, Delete
from fakeplat.git.writing import commit_actions
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from fakeplat.scenario.loading import load
from tests.scenario.answers import ANONYMOUS, collect_names, compare_values, replace_ids, token_of
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, reload_export, write

VIEWERS = ("root", "ada", "dev", "gus", "eve", ANONYMOUS)
WHO = Person("Somebody Else", "else@example.test", 1_577_836_800)


def build_bundle_of_blob() -> str:
    """A bundle whose branch stands at a file."""
    objects = Objects()
    sha = objects.add(Kind.BLOB, b"x")
    return b64encode(write_bundle(objects, {"refs/heads/master": sha})).decode()


OF_A_FILE = build_bundle_of_blob()


def build_bundle(*steps: list[Any], branch: str = "master") -> str:
    """A history with one commit for each of some steps."""
    objects, head = Objects(), None
    for number, actions in enumerate(steps):
        head = commit_actions(objects, head, actions, f"step {number}", WHO)
    assert head is not None
    return b64encode(write_bundle(objects, {f"refs/heads/{branch}": head}, f"refs/heads/{branch}")).decode()


BINARY = build_bundle([Create("logo.bin", b"\0\xff\xfe")])
HISTORY = build_bundle([Create("a", b"1"), Create("b", b"2")], [Delete("b")])
RICH: dict[str, Any] = {
    "users": [
        {
            "username": "ada",
            "snippets": [
                {"title": "Same", "files": {"b.txt": "2\n", "a/c.txt": "1"}, "created_at": "2020-01-05T00:00:00Z"},
                {
                    "title": "Same",
                    "description": "with everything",
                    "visibility": "public",
                    "file_name": "run.sh",
                    "content": "ls\n",
                    "created_at": "2020-01-02T00:00:00Z",
                    "updated_at": "2020-01-03T00:00:00Z",
                    "user_agent_detail": {"user_agent": "bot/1", "ip_address": "192.0.2.1"},
                },
                {"title": "Private", "visibility": "private", "content": "secret"},
            ],
        },
        {"username": "dev", "snippets": [{"title": "Binary", "visibility": "public", "bundle": BINARY}]},
        "gus",
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
                            "title": "Tells",
                            "notes": [
                                {
                                    "author": "dev",
                                    "body": "mentioned in a snippet",
                                    "system": True,
                                    "mentioned_in": "acme/site$1",
                                }
                            ],
                        }
                    ],
                    "snippets": [
                        {
                            "title": "Usual",
                            "content": "x",
                            "award_emoji": [{"name": "tada", "user": "dev"}],
                            "notes": [
                                {
                                    "author": "gus",
                                    "body": "why?",
                                    "discussion": "a question",
                                    "award_emoji": [{"name": "heart", "user": "gus"}],
                                },
                                {"author": "ada", "body": "because", "discussion": "a question"},
                                {"author": "dev", "body": "alone", "created_at": "2020-01-02T00:00:00Z"},
                            ],
                            "discussions": [{"notes": [{"author": "dev", "body": "so?"}]}],
                        },
                        {"title": "History", "author": "dev", "visibility": "public", "bundle": HISTORY},
                        {"title": "Inside", "author": "dev", "visibility": "internal", "files": {"a b/ç.py": "x"}},
                    ],
                }
            ],
        }
    ],
}


def list_targets(platform: Platform) -> Iterator[tuple[str, str]]:
    """Every GET that shows something of snippets, with a name that does not depend on ids."""
    view = platform.view
    for target in ("snippets", "snippets/public", "projects/acme%2Fsite/snippets", "users/ada", "projects/acme%2Fsite"):
        yield target, f"{target}?statistics=true&per_page=100"
    yield "search", "search?scope=snippet_titles&search=same&per_page=100"
    yield "issue", "projects/acme%2Fsite/issues/1/notes"
    for number, snippet in enumerate(view.snippets.all()):
        git = snippet_files.open_repository(view, snippet)
        within = "" if snippet.project_id is None else f"projects/{snippet.project_id}/"
        for address in dict.fromkeys((f"snippets/{snippet.id}", f"{within}snippets/{snippet.id}")):
            about = f"{number} {snippet.title} {'in' if address.startswith('projects') else 'alone'}"
            for tail in ("", "/raw", "/user_agent_detail"):
                yield f"{about} {tail}", address + tail
            for tail in ("/notes", "/discussions", "/award_emoji"):
                yield f"{about} {tail}", f"projects/acme%2Fsite/snippets/{snippet.id}{tail}"
            for note in view.notes.where("subject", ("snippet", snippet.id)):
                tail = f"/notes/{note.id}/award_emoji"
                yield f"{about} {note.body} emoji", f"projects/acme%2Fsite/snippets/{snippet.id}{tail}"
            for commit in git.log():
                for path in git.file_paths(commit.sha):
                    tail = f"/files/{commit.sha}/{quote(path, safe='')}/raw"
                    yield f"{about} {tail}", address + tail


def collect_answers(platform: Platform) -> dict[tuple[str, str], tuple[int, Any]]:
    """What every viewer gets, with names for ids."""
    responses, names = {}, collect_names(platform.view)
    for viewer in VIEWERS:
        token = token_of(platform.view, viewer)
        headers = {"private-token": token} if token else {}
        for about, target in list_targets(platform):
            path, _, query = target.partition("?")
            response = platform.handle(Request("GET", f"/api/v4/{path}", query, headers))
            is_json = dict(response.headers)["Content-Type"] == JSON
            body = replace_ids(orjson.loads(response.body), names) if is_json else response.body
            responses[viewer, about] = (response.status, body)
    return responses


def without_numbers(responses: dict[tuple[str, str], tuple[int, Any]]) -> Any:
    """The same, where the numbers of snippets are all alike."""
    text = re.sub(
        rb"1550\d\d",
        b"N",
        orjson.dumps([[*key, status, _decode_text(body)] for key, (status, body) in responses.items()]),
    )
    return orjson.loads(text)


def _decode_text(body: Any) -> Any:
    return body.hex() if isinstance(body, bytes) else body


def get_json(platform: Platform, viewer: str, target: str) -> Any:
    headers = {"private-token": f"{viewer}-token"}
    return orjson.loads(platform.handle(Request("GET", f"/api/v4/{target}", headers=headers)).body)


def test_declared_snippets_are_shown() -> None:
    """Personal and project snippets appear in the API with the declared fields and default names."""
    platform = create_platform(RICH)
    own = {(row["title"], row["visibility"], row["file_name"]) for row in get_json(platform, "ada", "snippets")}
    inside = get_json(platform, "dev", "projects/acme%2Fsite/snippets")

    assert {
        ("Same", "internal", "a/c.txt"),
        ("Same", "public", "run.sh"),
        ("Private", "private", "snippetfile1.txt"),
        ("Usual", "private", "snippetfile1.txt"),
    } == own
    assert {("Usual", "ada"), ("History", "dev"), ("Inside", "dev")} == {
        (row["title"], row["author"]["username"]) for row in inside
    }
    full = next(row for row in get_json(platform, "ada", "snippets") if row["description"])
    assert ("with everything", "2020-01-02T00:00:00.000Z", "2020-01-03T00:00:00.000Z") == (
        full["description"],
        full["created_at"],
        full["updated_at"],
    )
    detail = get_json(platform, "root", f"snippets/{full['id']}/user_agent_detail")
    assert ("bot/1", "192.0.2.1") == (detail["user_agent"], detail["ip_address"])


def test_all_of_it_survives_a_round_trip() -> None:
    """Every GET about snippets answers the same after a round trip, apart from ids."""
    platform = create_platform(RICH)
    twin = reload_export(platform)

    assert [] == list(
        compare_values(without_numbers(collect_answers(platform)), without_numbers(collect_answers(twin)))
    )
    assert scenario.export_world(platform) == scenario.export_world(twin)
    assert [] == list(build_validator().iter_errors(scenario.export_world(platform)))


def test_what_people_did_survives_a_round_trip() -> None:
    """Snippets that were created and changed through the API survive a round trip."""
    platform = create_platform(RICH)
    first = write(platform, "POST", "snippets", "dev-token", title="One", files=[{"file_path": "a", "content": "1"}])
    here = "projects/acme%2Fsite/snippets"
    two = write(platform, "POST", here, "ada-token", title="Two", file_name="x", content="ß")
    three = write(platform, "POST", "snippets", "ada-token", title="Three", file_name="x", content="1")
    change = [{"action": "move", "file_path": "b", "previous_path": "a"}, {"action": "create", "content": "2"}]
    write(platform, "PUT", f"snippets/{first['id']}", "dev-token", files=change, visibility="public")
    write(platform, "PUT", f"snippets/{three['id']}", "ada-token", title="Third", description="later")
    path = f"projects/acme%2Fsite/snippets/{two['id']}"
    begun = write(platform, "POST", f"{path}/discussions", "gus-token", body="see #1")
    write(platform, "POST", f"{path}/discussions/{begun['id']}/notes", "dev-token", body="so.")
    note = write(platform, "POST", f"{path}/notes", "dev-token", body="alone")
    write(platform, "POST", f"{path}/notes/{note['id']}/award_emoji", "gus-token", name="tada")
    write(platform, "POST", f"{path}/award_emoji", "gus-token", name="heart")
    write(platform, "PUT", f"users/{first['author']['id']}", "root-token", name="Somebody New")

    before, twin = collect_answers(platform), reload_export(platform)
    assert [] == list(compare_values(without_numbers(before), without_numbers(collect_answers(twin))))


def test_the_order_of_one_moment_survives() -> None:
    """Snippets of users and projects with the same time keep their order after a round trip."""
    platform, at = create_platform(RICH), {"created_at": "2020-06-01T00:00:00Z", "content": "x"}
    load(platform, {"projects": [{"path_with_namespace": "acme/site", "snippets": [{"title": "first", **at}]}]})
    load(platform, {"users": [{"username": "dev", "snippets": [{"title": "second", **at}]}]})
    load(platform, {"users": [{"username": "ada", "snippets": [{"title": "third", **at}]}]})

    def order(of: Platform) -> list[str]:
        return [snippet.title for snippet in of.view.snippets.all() if snippet.created_at.startswith("2020-06")]

    assert ["first", "second", "third"] == order(platform) == order(reload_export(platform))


def test_snippets_of_one_commit_are_exported_as_texts() -> None:
    """A snippet with one commit by its author is exported as texts by path, any other as a bundle."""
    exported = scenario.export_world(create_platform(RICH))
    users = {user["username"]: user.get("snippets", []) for user in exported["users"]}
    (project,) = exported["projects"]

    assert [{"b.txt": "2\n", "a/c.txt": "1"}, {"run.sh": "ls\n"}, {"snippetfile1.txt": "secret"}] == [
        snippet["files"] for snippet in users["ada"]
    ]
    assert [BINARY] == [snippet["bundle"] for snippet in users["dev"]]
    assert [False, True, False] == ["bundle" in snippet for snippet in project["snippets"]]
    assert "snippets" not in next(user for user in exported["users"] if user["username"] == "gus")


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({"content": "x"}, "needs 'title'"),
        ({"title": "x"}, "needs exactly one of files, content, bundle"),
        ({"title": "x", "content": "x", "files": {"a": "x"}}, "needs exactly one of files, content, bundle"),
        ({"title": "x", "files": {}}, "a snippet has 1 to 10 files; this one would have 0"),
        ({"title": "x", "files": {str(number): "x" for number in range(11)}}, "this one would have 11"),
        ({"title": "x", "files": {"a/.git": "x"}}, "invalid path: 'a/.git'"),
        ({"title": "x", "files": {"a": "x", "a/b": "x"}}, "a"),
        ({"title": "x" * 256, "content": "x"}, "title: is too long (maximum is 255 characters)"),
        ({"title": "x", "bundle": "AAAA"}, "cannot be imported: not a git bundle"),
        ({"title": "x", "bundle": OF_A_FILE}, "cannot be imported"),
        ({"title": "x", "bundle": build_bundle([Create("a", b"x")], branch="main")}, "has no branch master"),
        ({"title": "x", "bundle": build_bundle([Create("a", b"x")], [Delete("a")])}, "this one would have 0"),
        ({"title": "x", "content": "x", "visibility": "secret"}, "visibility"),
        ({"title": "x", "content": "x", "author": "dev"}, "must be the user who contains the snippet"),
        ({"title": "x", "content": "x", "autor": "ada"}, "unknown key 'autor'"),
        ({"title": "x", "content": "x", "notes": []}, "notes: is only allowed in project snippets"),
        (
            {"title": "x", "content": "x", "award_emoji": [{"name": "x", "user": "ada"}]},
            "is only allowed in project snippets",
        ),
    ],
)
def test_mistakes_in_snippets(document: dict[str, Any], text: str) -> None:
    """Mistakes in snippets are reported with their location."""
    with pytest.raises(ScenarioError) as wrong:
        create_platform({"users": [{"username": "ada", "snippets": [document]}, "dev"]})
    assert text in str(wrong.value)
    assert "users[0].snippets[0" in str(wrong.value)


def test_a_mention_in_a_snippet_that_is_not_there() -> None:
    """A note that is declared as mentioned in an unknown snippet is refused."""
    note = {"author": "ada", "body": "x", "mentioned_in": "ada/site$1"}
    site = {"path_with_namespace": "ada/site", "issues": [{"title": "One", "notes": [note]}]}
    with pytest.raises(ScenarioError) as wrong:
        create_platform({"users": ["ada"], "projects": [site]})
    assert "unknown snippet 'ada/site$1'" in str(wrong.value)


def test_declared_notes_of_snippets_are_shown() -> None:
    """Snippets show their notes by discussion; a note about a snippet is hidden from users who cannot see it."""
    platform = create_platform(RICH)
    (usual,) = [snippet for snippet in platform.view.snippets.all() if snippet.title == "Usual"]
    path = f"projects/acme%2Fsite/snippets/{usual.id}"
    threads = [
        [note["body"] for note in thread["notes"]] for thread in get_json(platform, "gus", f"{path}/discussions")
    ]

    assert [["alone"], ["so?"], ["why?", "because"]] == sorted(threads)
    assert ["tada"] == [award["name"] for award in get_json(platform, "gus", f"{path}/award_emoji")]
    notes = {who: get_json(platform, who, "projects/acme%2Fsite/issues/1/notes") for who in ("gus", "eve")}
    assert {"gus": 1, "eve": 0} == {who: len(rows) for who, rows in notes.items()}


def test_an_unknown_author_of_a_project_s_snippet() -> None:
    """An unknown author of a project snippet is refused with the path of the entry."""
    snippet = {"title": "x", "content": "x", "author": "adda"}
    site = {"path_with_namespace": "ada/site", "snippets": [snippet]}
    with pytest.raises(ScenarioError) as wrong:
        create_platform({"users": ["ada"], "projects": [site]})
    assert "unknown user 'adda'" in str(wrong.value)
    assert "projects[0].snippets[0].author" in str(wrong.value)


def test_worlds_of_one_scenario_do_not_share_what_comes_later() -> None:
    """Changing a snippet's file in one platform does not change it in another of the same scenario."""
    rich = scenario.get_scenario(RICH)
    first, other = scenario.create_platform(rich), scenario.create_platform(rich)
    (snippet,) = [one_ for one_ in first.view.snippets.all() if one_.title == "Private"]
    write(first, "PUT", f"snippets/{snippet.id}", "ada-token", content="changed")

    def raw(platform: Platform) -> bytes:
        headers = {"private-token": "ada-token"}
        return platform.handle(Request("GET", f"/api/v4/snippets/{snippet.id}/raw", headers=headers)).body

    assert (b"changed", b"secret") == (raw(first), raw(other))
