"""The files of snippets: reading them, and changing them by actions. Source: docs/platform/project-snippets.md."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeplat import scenario
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.domain.snippets import snippet_files
from fakeplat.harness.fake import Fakeplat
from fakeplat.platform import Platform
from fakeplat.policy.behaviours import DEFAULT_BRANCH
from tests.api.company import COMPANY
from tests.api.planning_records import SITE
from tests.api.requests import names, refusal, resource_not_found
from tests.api.snippets import create_personal_snippet, create_project_snippet, files, read_contents
from tests.by_release import by_release
from tests.examples import examples

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)
BOTH = pytest.mark.parametrize("container", ["", f"{SITE}/"])


def create_snippet(fake: Fakeplat, container: str, **body: Any) -> str:
    return create_project_snippet(fake, SITE, **body) if container else create_personal_snippet(fake, **body)


def update_files(fake: Fakeplat, snippet: str, *actions: dict[str, Any], **body: Any) -> dict[str, str]:
    """The files after a change that succeeds."""
    reply = fake.as_user("dev").put(snippet, json={**({"files": actions} if actions else {}), **body})
    assert 200 == reply.status, reply.text
    assert reply.json()["file_name"] == reply.json()["files"][0]["path"]
    return read_contents(fake, snippet)


def get_head(fake: Fakeplat, snippet: str) -> str:
    """The commit that a snippet stands at."""
    return fake.bench.platform.view.snippets[int(snippet.rpartition("/")[2])].head


# reading


@BOTH
def test_the_first_file_is_the_raw_one(fakeplat: Fakeplat, container: str) -> None:
    """The raw content of a snippet is its first file in git's order."""
    snippet = create_snippet(fakeplat, container, files=files(z_txt="last", b__ä_md="grüße\n", c="x"))
    reply = (
        fakeplat.as_user("gus").get(f"{snippet}/raw") if container else fakeplat.as_user("dev").get(f"{snippet}/raw")
    )

    assert (200, "grüße\n") == (reply.status, reply.content.decode())
    assert "text/plain" == reply.headers["Content-Type"]
    assert "inline; filename=\"_.md\"; filename*=UTF-8''%C3%A4.md" == reply.headers["Content-Disposition"]


@BOTH
def test_a_file_is_read_at_the_branch_or_at_a_commit(fakeplat: Fakeplat, container: str) -> None:
    """A snippet's file is read at the branch and at each of its commits."""
    snippet = create_snippet(fakeplat, container, files=files(src__a_py="1"))
    first = get_head(fakeplat, snippet)
    fakeplat.as_user("dev").put(snippet, json={"content": "2"})
    second, other = get_head(fakeplat, snippet), get_head(fakeplat, create_personal_snippet(fakeplat))
    refs = {
        "master": "2",
        "HEAD": "2",
        "master~1": "1",
        first: "1",
        first[:8]: "1",
        second: "2",
        "refs/heads/master": "2",
    }

    for ref, text in refs.items():
        reply = fakeplat.as_user("dev").get(f"{snippet}/files/{quote(ref, safe='')}/src%2Fa.py/raw")
        assert (200, text) == (reply.status, reply.text)
        assert "inline; filename=\"a.py\"; filename*=UTF-8''a.py" == reply.headers["Content-Disposition"]
    assert resource_not_found("Reference") == refusal(fakeplat, "dev", "GET", f"{snippet}/files/{other}/a.txt/raw")


def test_contents_are_stored_exactly(fakeplat: Fakeplat) -> None:
    """Line ends, missing last line ends, spaces and other scripts."""
    texts = {"crlf": "a\r\nb\r\n", "plain": "no end", "wide": "多くの\u2028文字 🎈\n", "space": " \tx\n\n\n"}
    snippet = create_personal_snippet(
        fakeplat, files=[{"file_path": path, "content": text} for path, text in texts.items()]
    )
    assert texts == read_contents(fakeplat, snippet)


def test_every_change_is_a_commit(fakeplat: Fakeplat) -> None:
    """Every change of a snippet is a commit by its user upon the one before."""
    snippet = create_project_snippet(fakeplat, SITE)
    fakeplat.as_user("dev").put(snippet, json={"title": "no commit"})
    fakeplat.as_user("mia").put(snippet, json={"content": "x"})
    view = fakeplat.bench.platform.view
    git = snippet_files.open_repository(view, view.snippets[int(snippet.rpartition("/")[2])])

    log = [(commit.message, commit.author.name, len(commit.parents)) for commit in git.log()]
    people = {name: fakeplat.world.user(name).name for name in ("dev", "mia")}
    assert [("Update snippet", people["mia"], 1), ("Initial commit", people["dev"], 0)] == log


# changing


@BOTH
def test_actions(fakeplat: Fakeplat, container: str) -> None:
    """Each action on files of a snippet works alone and in order."""
    snippet = create_snippet(fakeplat, container, files=files(a="1", b="2", c="3"))
    after = update_files(
        fakeplat,
        snippet,
        {"action": "update", "file_path": "a", "content": "new"},
        {"action": "move", "file_path": "sub/b", "previous_path": "b"},
        {"action": "delete", "file_path": "c"},
        {"action": "create", "file_path": "c", "content": "again"},
        {"action": "create", "file_path": "d", "content": "4"},
    )
    assert {"a": "new", "c": "again", "d": "4", "sub/b": "2"} == after
    moved = {"action": "move", "file_path": "e", "previous_path": "sub/b", "content": "moved"}
    assert {"a": "new", "c": "again", "d": "4", "e": "moved"} == update_files(fakeplat, snippet, moved)
    same = {"action": "update", "file_path": "a", "content": "newer", "previous_path": "a"}
    assert "newer" == update_files(fakeplat, snippet, same)["a"]


@BOTH
def test_files_without_a_name_get_one(fakeplat: Fakeplat, container: str) -> None:
    """Files without a name are numbered as `snippetfile1.txt`."""
    unnamed = {"action": "create", "content": "x"}
    named = {"action": "create", "file_path": "snippetfile7.txt", "content": "x"}
    snippet = create_snippet(fakeplat, container)

    assert ["a.txt", "snippetfile1.txt"] == list(update_files(fakeplat, snippet, unnamed))
    update_files(fakeplat, snippet, named)
    after = update_files(fakeplat, snippet, unnamed, {**unnamed, "file_path": ""})
    assert {"snippetfile8.txt", "snippetfile9.txt"} <= set(after)
    other = {"title": "x", "content": "x", "file_name": ""}
    made_ = fakeplat.as_user("dev").post(f"{container}snippets", json=other).json()
    assert ["snippetfile1.txt"] == names(made_["files"], "path")


@BOTH
def test_the_only_file_is_changed_by_content_and_file_name(fakeplat: Fakeplat, container: str) -> None:
    """The deprecated parameters change the only file of a snippet."""
    snippet = create_snippet(fakeplat, container)
    assert {"a.txt": "2"} == update_files(fakeplat, snippet, content="2")
    assert {"sub/b.md": "2"} == update_files(fakeplat, snippet, file_name="sub/b.md")
    assert {"c": "3"} == update_files(fakeplat, snippet, file_name="c", content="3")
    assert {"c": "4"} == update_files(fakeplat, snippet, file_name=" ", content="4")
    assert {"c": "5"} == update_files(fakeplat, snippet, file_name="c", content="5")


def test_ten_files_are_the_most(fakeplat: Fakeplat) -> None:
    """Ten can be made; the last of them can be exchanged for others."""
    snippet = create_personal_snippet(
        fakeplat, files=[{"file_path": f"f{number}", "content": "x"} for number in range(10)]
    )
    swap = ({"action": "delete", "file_path": "f9"}, {"action": "create", "file_path": "g", "content": "x"})
    assert 10 == len(update_files(fakeplat, snippet, *swap))
    deletions = [{"action": "delete", "file_path": path} for path in list(read_contents(fakeplat, snippet))[1:]]
    assert ["f0"] == list(update_files(fakeplat, snippet, *deletions))


# any sequence of actions

PATHS = st.sampled_from(["a", "b", "b/c", "b/d", "snippetfile2.txt", "", " ", None])
CONTENTS = st.sampled_from(["x", "y", " ", None])
ACTIONS = st.fixed_dictionaries(
    {
        "action": st.sampled_from(["create", "update", "delete", "move"]),
        "file_path": PATHS,
        "content": CONTENTS,
        "previous_path": PATHS,
    }
)
UNSOUND, FAILED = 422, 400


class Naive:
    """Files as a dict, with the platform's rules upon it."""

    def __init__(self) -> None:
        self.files = {"a": "first"}

    def do(self, actions: list[dict[str, Any]]) -> int:
        """The status of a change; one that is refused changes nothing."""
        if not all(map(self._is_sound, actions)):
            return UNSOUND
        after, number = dict(self.files), max((_list_numbers(self.files)), default=0)
        for action in actions:
            path = action["file_path"]
            if not _is_given(path):
                number += 1
                path = f"snippetfile{number}.txt"
            if not self._done(after, action, path):
                return FAILED
        if not 1 <= len(after) <= 10:
            return FAILED
        self.files = after
        return 200

    def _is_sound(self, action: dict[str, Any]) -> bool:
        kind, path, previous = action["action"], action["file_path"], action["previous_path"]
        if kind == "create":
            return _is_given(action["content"])
        if kind == "update":
            return _is_given(path) and _is_given(action["content"]) and (not _is_given(previous) or previous == path)
        return _is_given(path) and (kind == "delete" or (_is_given(previous) and previous != path))

    def _done(self, after: dict[str, str], action: dict[str, Any], path: str) -> bool:
        kind, previous = action["action"], action["previous_path"]
        if kind in ("update", "delete"):
            if path not in after:
                return False
            if kind == "delete":
                del after[path]
            else:
                after[path] = action["content"]
            return True
        content = action["content"]
        if kind == "move":
            if previous not in after:
                return False
            old = after.pop(previous)
            content = old if content is None else content
        if any(path == other or other.startswith(f"{path}/") or path.startswith(f"{other}/") for other in after):
            return False
        after[path] = content
        return True


def _is_given(text: str | None) -> bool:
    return text is not None and text.strip() != ""


def _list_numbers(paths: Any) -> Iterator[int]:
    return (int(match[1]) for path in paths if (match := re.fullmatch(r"snippetfile(\d+)\.txt", path)))


_FOUND = scenario.get_scenario(COMPANY)


class Asked:
    """The same interface, answered by a platform."""

    def __init__(self) -> None:
        self.platform: Platform = scenario.create_platform(_FOUND)
        _, snippet = self.ask("POST", "snippets", {"title": "x", "files": [{"file_path": "a", "content": "first"}]})
        self.snippet = f"snippets/{snippet['id']}"

    def ask(self, method: str, target: str, body: Any = None) -> tuple[int, Any]:
        headers = {"private-token": "dev-token", "content-type": JSON}
        sent = orjson.dumps(body) if body is not None else b""
        reply = self.platform.handle(Request(method, f"/api/v4/{target}", headers=headers, body=sent))
        return reply.status, orjson.loads(reply.body) if dict(reply.headers)["Content-Type"] == JSON else reply.body

    @property
    def files(self) -> dict[str, str]:
        paths = names(self.ask("GET", self.snippet)[1]["files"], "path")
        return {
            path: self.ask("GET", f"{self.snippet}/files/master/{quote(path, safe='')}/raw")[1].decode()
            for path in paths
        }


@settings(deadline=None, max_examples=examples(20))
@given(st.lists(st.lists(ACTIONS, min_size=1, max_size=4), max_size=6))
def test_any_sequence_of_actions_gives_what_a_dict_would(changes: list[list[dict[str, Any]]]) -> None:
    """Status and files after each change are those of the naive model."""
    asked, naive = Asked(), Naive()
    for actions in changes:
        before = asked.platform.state
        status, _ = asked.ask("PUT", asked.snippet, {"files": actions})
        assert naive.do(actions) == status, actions
        assert naive.files == asked.files
        assert status == 200 or before is asked.platform.state


@by_release(DEFAULT_BRANCH, "branch", {"13.12": "master", "14.0": "main"})
def test_the_branch_of_snippets(fakeplat: Fakeplat, branch: str) -> None:
    """The files of snippets are on the default branch of the release."""
    body = {"title": "One", "visibility": "public", "files": [{"file_path": "a.rb", "content": "x"}]}
    snippet = fakeplat.as_user("dev").post("snippets", json=body).json()

    assert [f"{snippet['raw_url']}/{branch}/a.rb"] == [file["raw_url"] for file in snippet["files"]]
    path = f"snippets/{snippet['id']}/files"
    assert "x" == fakeplat.as_user(None).get(f"{path}/{branch}/a.rb/raw").text
    assert resource_not_found("Reference") == refusal(fakeplat, None, "GET", f"{path}/other/a.rb/raw")
