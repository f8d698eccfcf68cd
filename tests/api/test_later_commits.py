"""What commits have in later releases. Source: docs/platform/later-releases.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import SITE, commit
from tests.api.requests import names, refusal, resource_not_found

COMMITS = f"{SITE}/repository/commits"
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
