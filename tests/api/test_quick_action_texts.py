"""Any text at all, with quick actions in it or none, in notes and descriptions of issues and merge requests."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fakeplat.api  # noqa: F401  # declares the commands
from fakeplat.domain.quick_actions import COMMANDS, NOTED, TEXTS, read
from fakeplat.harness.fake import Fakeplat
from tests.api.commanding import noted
from tests.api.reviewing import MRS, SITE

LETTERS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\n\0"), max_size=30)
SAID = '@dev|@acme|me|~bug|~"bug" docs|%v1.1|#1|!1|!999999999|1h|-9999999999h|1.5.d|1h 2020-01-01|2020-02-30|²'
ARGUMENTS = st.sampled_from([*SAID.split("|"), "", "in 99999999 days", "tomorrow", ":tada:", "acme/docs", "/", "a..b"])
ORDERS = st.builds("/{} {}".format, st.sampled_from([*COMMANDS, *TEXTS]), ARGUMENTS | LETTERS)
FENCES = st.sampled_from(["```", "~~~", ">>>", ">>> x", "`", ""])
TEXT = st.lists(ORDERS | LETTERS | FENCES, max_size=6).map("\n".join)
PLACES = [f"{SITE}/issues/1", f"{MRS}/1"]
SOME = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("target", PLACES)
@SOME
@given(text=TEXT, by=st.sampled_from(["ada", "mia", "rep"]))
def test_a_note_is_kept_done_or_refused(fakeplat: Fakeplat, target: str, text: str, by: str) -> None:
    """201 with a note, 202 with what was done, or 400; never more than one of them."""
    fakeplat.snapshot("start")
    status, answer = noted(fakeplat, by, target, text)
    fakeplat.restore("start")

    assert {201: "body", 202: "summary", 400: "message"}[status] in answer


@pytest.mark.parametrize("target", PLACES)
@SOME
@given(text=TEXT)
def test_a_description_is_taken(fakeplat: Fakeplat, target: str, text: str) -> None:
    """200, whatever its commands are; what it shows then is what reading the text leaves."""
    fakeplat.snapshot("start")
    reply = fakeplat.as_user("mia").put(target, json={"description": text})
    fakeplat.restore("start")

    assert (200, read("issue", text)[0]) == (reply.status, reply.json()["description"])


@pytest.mark.parametrize("kind", NOTED)
@given(text=st.lists(LETTERS.filter(lambda line: not line.startswith("/")) | FENCES).map("\n".join))
def test_a_text_without_commands_is_itself(kind: str, text: str) -> None:
    """Letter by letter, spaces and line ends too."""
    assert (text, []) == read(kind, text)


@given(text=TEXT)
def test_only_issues_and_merge_requests_take_commands(text: str) -> None:
    """In what is said of commits and snippets the same lines are words."""
    assert (text, []) == read("commit", text) == read("snippet", text)


@given(lines=st.lists(LETTERS.filter(lambda line: not line.startswith(("/", ">>>", "```", "~~~"))), min_size=1))
def test_what_is_left_are_the_other_lines(lines: list[str]) -> None:
    """A command before, between and behind lines takes nothing of theirs."""
    text = "\n/todo\n".join(["", *lines, ""])
    assert "\n".join(lines).strip() == read("issue", text)[0]
