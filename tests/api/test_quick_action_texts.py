"""Properties of any text with or without quick actions, in notes and descriptions."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fakeplat.api  # noqa: F401  # declares the commands
from fakeplat.core.release import profile_of
from fakeplat.domain.quick_actions.quick_actions import COMMANDS, ISSUABLE_KINDS, TEXTS, extract_commands
from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import MRS, SITE
from tests.api.quick_actions import post_note
from tests.examples import examples

OF_135 = profile_of((13, 5))

LETTERS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\0"), max_size=30)
SAID = '@dev|@acme|me|~bug|~"bug" docs|%v1.1|#1|!1|!999999999|1h|-9999999999h|1.5.d|1h 2020-01-01|2020-02-30|²'
ARGUMENTS = st.sampled_from([*SAID.split("|"), "", "in 99999999 days", "tomorrow", ":tada:", "acme/docs", "/", "a..b"])
ORDERS = st.builds("/{} {}".format, st.sampled_from([*COMMANDS, *TEXTS]), ARGUMENTS | LETTERS)
FENCES = st.sampled_from(["```", "~~~", ">>>", ">>> x", "`", ""])
SPACE = " \t\r\n\f\v\0"
TEXT = st.lists(ORDERS | LETTERS | FENCES, max_size=6).map("\n".join)
PLACES = [f"{SITE}/issues/1", f"{MRS}/1"]
SOME = settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("target", PLACES)
@SOME
@given(text=TEXT, by=st.sampled_from(["ada", "mia", "rep"]))
def test_a_note_is_stored_executed_or_refused(fakeplat: Fakeplat, target: str, text: str, by: str) -> None:
    """A note with commands answers exactly one of 201, 202 and 400."""
    fakeplat.snapshot("start")
    status, answer = post_note(fakeplat, by, target, text)
    fakeplat.restore("start")

    assert {201: "body", 202: "summary", 400: "message"}[status] in answer


@pytest.mark.parametrize("target", PLACES)
@SOME
@given(text=TEXT)
def test_a_description_is_taken(fakeplat: Fakeplat, target: str, text: str) -> None:
    """A description with any commands answers 200 with the remaining text."""
    fakeplat.snapshot("start")
    reply = fakeplat.as_user("mia").put(target, json={"description": text})
    fakeplat.restore("start")

    assert (200, extract_commands("issue", text, OF_135)[0]) == (reply.status, reply.json()["description"])


@pytest.mark.parametrize("kind", ISSUABLE_KINDS)
@given(text=st.lists(LETTERS.filter(lambda line: not line.startswith("/")) | FENCES).map("\n".join))
def test_a_text_without_commands_is_itself(kind: str, text: str) -> None:
    """A text without commands stays unchanged."""
    assert (text, []) == extract_commands(kind, text, OF_135)


@given(text=TEXT)
def test_snippets_take_no_commands(text: str) -> None:
    """Commands are plain text in notes of snippets."""
    assert (text, []) == extract_commands("snippet", text, OF_135)
    assert extract_commands("issue", text, OF_135) == extract_commands("commit", text, OF_135)


@given(lines=st.lists(LETTERS.filter(lambda line: not line.startswith(("/", ">>>", "```", "~~~"))), min_size=1))
def test_the_other_lines_remain(lines: list[str]) -> None:
    """Commands are removed without affecting other lines."""
    text = "\n/todo\n".join(["", *lines, ""])
    kept = ["", *(line for line in lines if line.strip(SPACE))]
    assert "\n".join(kept).rstrip(SPACE) == extract_commands("issue", text, OF_135)[0]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (" - list\n\n/reopen\n\ntest\n\n", " - list\n\ntest"),
        ("  code\n/close", "  code"),
        ("/close\n\n\n  code", "  code"),
        ("one\n/close\n/todo\n\ntwo", "one\ntwo"),
        ("one\n\n/shrug\n\ntwo", "one\n\n¯\\＿(ツ)＿/¯\n\ntwo"),  # noqa: RUF001  # as the platform writes it
    ],
)
def test_a_command_removes_the_following_blank_lines(text: str, left: str) -> None:
    """A removed command takes the following blank lines along, not the preceding ones."""
    assert left == extract_commands("issue", text, OF_135)[0]
