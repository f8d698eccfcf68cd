"""What commits have in later releases. Source: docs/platform/later-releases.md."""

from typing import Any

import pytest

from fakeplat.core.release import Lifetime
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import COMMITS_ARE_NOT_COUNTED
from tests.api.merge_requests import SITE, commit
from tests.api.requests import names, refusal, resource_not_found
from tests.by_release import by_release

COMMITS = f"{SITE}/repository/commits"
EXECUTABLE_FILES = Lifetime(since="14.10")
pytestmark = pytest.mark.fakeplat(version="latest")


def get(fake: Fakeplat, path: str = "", **params: Any) -> Any:
    reply = fake.as_user("rep").get(f"{COMMITS}{path}", params=params)
    assert 200 == reply.status, reply
    return reply.json()


def test_trailers_are_shown_on_demand(fakeplat: Fakeplat) -> None:
    """A list shows the trailers of commits if asked to; elsewhere they are empty."""
    message = "Title\n\nCc: One <one@x.test>\nCc: Two <two@x.test>\nChangelog: added"
    sha = commit(fakeplat, "main", by="mia", commit_message=message)
    shown, hidden, single = get(fakeplat, trailers=True)[0], get(fakeplat)[0], get(fakeplat, f"/{sha}")

    assert {"Cc": "Two <two@x.test>", "Changelog": "added"} == shown["trailers"]
    assert {"Cc": ["One <one@x.test>", "Two <two@x.test>"], "Changelog": ["added"]} == shown["extended_trailers"]
    assert [({}, {}), ({}, {})] == [(row["trailers"], row["extended_trailers"]) for row in (hidden, single)]


@by_release(COMMITS_ARE_NOT_COUNTED, "expected", {"17.10": ("1", None), "17.11": (None, "2")})
def test_commits_are_not_counted(fakeplat: Fakeplat, expected: tuple[str | None, str | None]) -> None:
    """The headers of later releases have no total, and a full page of commits has a next one, which may be empty."""
    commit(fakeplat, "main", by="mia", author_name="Zoe Zander", author_email="zoe@x.test")
    headers = fakeplat.as_user("rep").get(f"{COMMITS}?author=Zoe&per_page=1").headers
    assert expected == (headers.get("X-Total"), headers.get("X-Next-Page") or None)
    assert [] == get(fakeplat, author="Zoe", per_page=1, page=2)
    assert "" == fakeplat.as_user("rep").get(f"{COMMITS}?author=Zoe&per_page=9").headers["X-Next-Page"]


@by_release(EXECUTABLE_FILES, "expected", {"14.9": None, "14.10": [True, False]})
def test_files_show_whether_they_are_executable(fakeplat: Fakeplat, expected: list[bool] | None) -> None:
    """From 14.10 on, a file shows whether it can be executed."""
    actions = [
        {"action": "create", "file_path": "run", "content": "x"},
        {"action": "chmod", "file_path": "run", "execute_filemode": True},
        {"action": "create", "file_path": "text", "content": "x"},
    ]
    body = {"branch": "main", "commit_message": "Add", "actions": actions}
    assert 201 == fakeplat.as_user("mia").post(COMMITS, json=body).status
    shown = [
        fakeplat.as_user("rep").get(f"{SITE}/repository/files/{path}?ref=main").json().get("execute_filemode")
        for path in ("run", "text")
    ]
    assert expected == (None if None in shown else shown)


def test_commits_by_author(fakeplat: Fakeplat) -> None:
    """Commits are found by an expression for the name or address of their author."""
    commit(fakeplat, "main", by="mia", author_name="Zoe Zander", author_email="zoe@x.test")

    assert ["Zoe Zander"] == names(get(fakeplat, author="Zander"), "author_name")
    assert ["Zoe Zander"] == names(get(fakeplat, author="^Zoe.*x.test>$"), "author_name")
    assert [] == get(fakeplat, author="(")


def test_a_commit_has_a_number(fakeplat: Fakeplat) -> None:
    """The number of a commit counts its history, or only its first parents."""
    before = get(fakeplat, "/main/sequence")["count"]
    commit(fakeplat, "main", by="mia")

    assert {"count": before + 1} == get(fakeplat, "/main/sequence")
    assert get(fakeplat, "/main/sequence", first_parent=True)["count"] <= before + 1
    assert resource_not_found("Commit") == refusal(fakeplat, "rep", "GET", f"{COMMITS}/nope/sequence")


def test_diffs_in_the_unified_format(fakeplat: Fakeplat) -> None:
    """Diffs of a commit name the file before their hunks on demand."""
    sha = commit(fakeplat, "main", "new.txt", by="mia")

    assert get(fakeplat, f"/{sha}/diff", unidiff=True)[0]["diff"].startswith("--- /dev/null\n+++ b/new.txt\n@@ ")
    assert get(fakeplat, f"/{sha}/diff")[0]["diff"].startswith("@@ ")


def test_the_message_of_a_cherry_pick(fakeplat: Fakeplat) -> None:
    """A cherry-pick gets another message on demand."""
    sha = commit(fakeplat, "main", "new.txt", by="mia")
    body = {"branch": "feature", "message": "Another one"}
    answer = fakeplat.as_user("dev").post(f"{COMMITS}/{sha}/cherry_pick", json=body)

    assert (201, "Another one") == (answer.status, answer.json()["message"])
