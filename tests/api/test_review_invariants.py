"""Invariants of discussions that hold after any sequence of actions."""

from collections.abc import Iterator
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.platform import Platform
from tests.api.review_company import MR, NEW, REVIEW_COMPANY, SITE, TEN
from tests.examples import examples
from tests.scenario.worlds import create_platform

WHO = st.sampled_from(["rep", "dev", "mia"])
WHICH = st.integers(0, 5)
ACTS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["say", "talk", "point"]), WHO, WHICH, WHICH),
        st.tuples(st.sampled_from(["reply", "settle", "open", "settle_one", "open_one", "remove"]), WHO, WHICH, WHICH),
        st.tuples(st.sampled_from(["push"]), st.just("dev"), WHICH, WHICH),
    ),
    min_size=1,
    max_size=25,
)


class Naive:
    """Discussions as lists of notes, each with whether it is settled (None: it cannot be)."""

    def __init__(self) -> None:
        self.platform: Platform = create_platform(REVIEW_COMPANY)
        self.threads: dict[str, dict[int, bool | None]] = {}
        self.authors: dict[int, str] = {}
        self.pushes = 0

    def ask(self, method: str, path: str, by: str = "root", **body: Any) -> tuple[int, Any]:
        target, _, query = path.partition("?")
        headers = {"content-type": JSON, "private-token": f"{by}-token"}
        sent = orjson.dumps(body) if method != "GET" else b""
        reply = self.platform.handle(Request(method, f"/api/v4/{target}", query, headers, sent))
        assert reply.status < 500
        return reply.status, orjson.loads(reply.body) if reply.body else None

    def thread(self, number: int) -> str:
        """One of the discussions; a text that names none where there is none."""
        return list(self.threads)[number % len(self.threads)] if self.threads else "none"

    def note(self, thread: str, number: int) -> int:
        notes = list(self.threads.get(thread, {0: None}))
        return notes[number % len(notes)]

    def say(self, by: str, _: int, __: int) -> None:
        status, note = self.ask("POST", f"{MR}/notes", by, body="alone")
        assert 201 == status
        discussions = self.ask("GET", f"{MR}/discussions?per_page=100")[1]
        id_ = next(discussion["id"] for discussion in discussions if discussion["notes"][0]["id"] == note["id"])
        self.threads[id_], self.authors[note["id"]] = {note["id"]: None}, by

    def talk(self, by: str, _: int, __: int, **position: Any) -> None:
        status, thread = self.ask("POST", f"{MR}/discussions", by, body="thread", **position)
        assert 201 == status
        note = thread["notes"][0]["id"]
        self.threads[thread["id"]], self.authors[note] = {note: False}, by

    def point(self, by: str, number: int, other: int) -> None:
        position = {**self.ask("GET", MR)[1]["diff_refs"], "position_type": "text", **TEN, "new_line": 9 + self.pushes}
        self.talk(by, number, other, position=position)

    def reply(self, by: str, number: int, _: int) -> None:
        thread = self.thread(number)
        status, note = self.ask("POST", f"{MR}/discussions/{thread}/notes", by, body="reply")
        assert (201 if thread in self.threads else 404) == status
        if status == 201:
            before = self.threads[thread]
            first = {id_: bool(settled) for id_, settled in before.items()}
            was_settled = None not in before.values() and all(before.values())
            self.threads[thread] = {**first, note["id"]: was_settled}
            self.authors[note["id"]] = by

    def settle(self, by: str, number: int, _: int, *, resolved: bool = True) -> None:
        thread = self.thread(number)
        notes = self.threads.get(thread, {})
        status, _answer = self.ask("PUT", f"{MR}/discussions/{thread}", by, resolved=resolved)
        alone = None in notes.values()
        assert (404 if not notes else 403 if by == "rep" or alone else 200) == status
        if status == 200:
            self.threads[thread] = dict.fromkeys(notes, resolved)

    def open(self, by: str, number: int, other: int) -> None:
        self.settle(by, number, other, resolved=False)

    def settle_one(self, by: str, number: int, other: int, *, resolved: bool = True) -> None:
        thread = self.thread(number)
        note = self.note(thread, other)
        status, _ = self.ask("PUT", f"{MR}/discussions/{thread}/notes/{note}", by, resolved=resolved)
        state = self.threads.get(thread, {}).get(note)
        ability = by != "rep" or self.authors.get(note) == "rep"
        assert (404 if not self.threads else 403 if not ability else 400 if state is None else 200) == status
        if status == 200:
            self.threads[thread][note] = resolved

    def open_one(self, by: str, number: int, other: int) -> None:
        self.settle_one(by, number, other, resolved=False)

    def remove(self, by: str, number: int, other: int) -> None:
        thread = self.thread(number)
        note = self.note(thread, other)
        status, _ = self.ask("DELETE", f"{MR}/notes/{note}", by)
        assert (404 if not self.threads else 204 if by in ("mia", self.authors[note]) else 403) == status
        if status == 204:
            del self.threads[thread][note]
            self.threads = {id_: notes for id_, notes in self.threads.items() if notes}

    def push(self, by: str, _: int, __: int) -> None:
        """One more line on top of the file: all notes go along, nothing is settled by it."""
        self.pushes += 1
        lines = [*(f"top {number}" for number in range(self.pushes)), *NEW, ""]
        action = {"action": "update", "file_path": "app.txt", "content": "\n".join(lines)}
        commit = {"branch": "feature", "commit_message": "Push", "actions": [action]}
        assert 201 == self.ask("POST", f"{SITE}/repository/commits", by, **commit)[0]

    def holds(self) -> None:
        rows = self.ask("GET", f"{MR}/discussions?per_page=100")[1]
        shown_threads = {
            row["id"]: {note["id"]: note.get("resolved") for note in row["notes"] if not note["system"]} for row in rows
        }
        assert self.threads == {id_: notes for id_, notes in shown_threads.items() if notes}
        merge_request = self.ask("GET", MR)[1]
        every = [settled for notes in self.threads.values() for settled in notes.values()]
        assert (len(every), False not in every) == (
            merge_request["user_notes_count"],
            merge_request["blocking_discussions_resolved"],
        )
        assert [] == list(self.wrong_lines(rows))

    def wrong_lines(self, rows: Any) -> Iterator[Any]:
        """Notes on the changed line that are not where it is now."""
        for row in rows:
            for note in row["notes"]:
                if note.get("position") and note["position"]["new_line"] != 9 + self.pushes:
                    yield note


@settings(max_examples=examples(13), deadline=None)
@given(ACTS)
def test_discussions_equal_those_of_a_simple_model(actions: list[tuple[str, str, int, int]]) -> None:
    """After any actions discussions equal those of a simple model."""
    naive = Naive()
    for action, by, number, other in actions:
        getattr(naive, action)(by, number, other)
        naive.holds()
