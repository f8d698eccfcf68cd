"""Invariants of issues that hold after any sequence of actions."""

from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.platform import Platform
from tests.api.company import COMPANY
from tests.api.planning_records import DOCS, NOTES, SITE
from tests.examples import examples
from tests.scenario.worlds import create_platform, project

PLACES = {SITE: "acme/site", DOCS: "acme/docs", NOTES: "ada/notes"}
BY = st.sampled_from(["ada", "rep", "gus", "eve"])
WHERE = st.sampled_from([*PLACES])
IID = st.integers(1, 4)
ACTS = st.one_of(
    st.tuples(st.just("create"), BY, WHERE, st.booleans(), IID),
    st.tuples(st.sampled_from(["close", "reopen", "delete"]), BY, WHERE, IID, IID),
    st.tuples(st.sampled_from(["move", "link"]), BY, WHERE, IID, WHERE),
    st.tuples(st.sampled_from(["subscribe", "spend", "reorder", "label"]), BY, WHERE, IID, IID),
)


class Model:
    """The expected state after each action, derived from the responses alone."""

    def __init__(self) -> None:
        self.platform: Platform = create_platform(COMPANY)
        self.states: dict[tuple[str, int], str] = {}
        self.used: dict[str, int] = dict.fromkeys(PLACES, 0)

    def ask(self, method: str, target: str, by: str, body: Any = None) -> tuple[int, Any]:
        path, _, query = target.partition("?")
        headers = {"private-token": f"{by}-token", "content-type": JSON}
        sent = orjson.dumps(body) if body is not None else b""
        reply = self.platform.handle(Request(method, f"/api/v4/{path}", query, headers, sent))
        assert reply.status < 500, reply
        return reply.status, orjson.loads(reply.body) if reply.body else None

    def do(self, action: str, by: str, where: str, argument: Any, other: Any) -> None:
        if action == "create":
            self.entered(where, *self.ask("POST", f"{where}/issues", by, {"title": "x", "confidential": argument}))
        else:
            getattr(self, action)(by, where, f"{where}/issues/{argument}", argument, other)

    def entered(self, where: str, status: int, answer: Any) -> None:
        """A new issue has the next number, which no issue ever had there."""
        if status == 201:
            self.used[where] += 1
            assert self.used[where] == answer["iid"]
            self.states[where, answer["iid"]] = "opened"

    def turn(self, by: str, where: str, path: str, iid: int, event: str, state: str) -> None:
        status, answer = self.ask("PUT", path, by, {"state_event": event})
        if status == 200:
            assert (where, iid) in self.states
            assert state == answer["state"]
            self.states[where, iid] = state

    def close(self, by: str, where: str, path: str, iid: int, other: Any) -> None:
        self.turn(by, where, path, iid, "close", "closed")

    def reopen(self, by: str, where: str, path: str, iid: int, other: Any) -> None:
        self.turn(by, where, path, iid, "reopen", "opened")

    def delete(self, by: str, where: str, path: str, iid: int, other: Any) -> None:
        if self.ask("DELETE", path, by)[0] == 204:
            del self.states[where, iid]

    def move(self, by: str, where: str, path: str, iid: int, other: str) -> None:
        target = project(self.platform.view, PLACES[other]).id
        status, answer = self.ask("POST", f"{path}/move", by, {"to_project_id": target})
        if status == 201:
            self.states[where, iid] = "closed"
            self.entered(other, status, answer)

    def link(self, by: str, where: str, path: str, iid: int, other: str) -> None:
        self.ask("POST", f"{path}/links", by, {"target_project_id": PLACES[other], "target_issue_iid": 1})

    def subscribe(self, by: str, where: str, path: str, iid: int, other: Any) -> None:
        self.ask("POST", f"{path}/subscribe", by)

    def spend(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        self.ask("POST", f"{path}/add_spent_time", by, {"duration": f"{other - 2}h"})

    def reorder(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        other_issue = self.ask("GET", f"{where}/issues/{other}", "root")[1]
        self.ask("PUT", f"{path}/reorder", by, {"move_after_id": other_issue.get("id", 1)})

    def label(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        self.ask("PUT", path, by, {"labels": f"l{other}"})

    def check(self) -> None:
        """Lists, counts, links and histories agree with each other and with what was answered."""
        for where in PLACES:
            rows = self.ask("GET", f"{where}/issues?per_page=100", "root")[1]
            counts = self.ask("GET", f"{where}/issues_statistics", "root")[1]["statistics"]["counts"]
            assert {iid: state for (at, iid), state in self.states.items() if at == where} == {
                row["iid"]: row["state"] for row in rows
            }
            assert counts["all"] == len(rows) == counts["opened"] + counts["closed"]
            for row in rows:
                self.check_one(where, row)
        for by in ("gus", "eve"):
            seen = self.ask("GET", "issues?scope=all&per_page=100", by)[1]
            titles = {(row["project_id"], row["iid"]) for row in seen}
            events = self.ask("GET", "users/ada/events?target_type=issue&per_page=100", by)[1]
            assert {(event["project_id"], event["target_iid"]) for event in events} <= titles

    def check_one(self, where: str, row: dict[str, Any]) -> None:
        path = f"{where}/issues/{row['iid']}"
        for link in self.ask("GET", f"{path}/links", "root")[1]:
            back = self.ask("GET", f"projects/{link['project_id']}/issues/{link['iid']}/links", "root")[1]
            assert row["id"] in [linked_issue["id"] for linked_issue in back]
        history = self.ask("GET", f"{path}/resource_state_events", "root")[1]
        if row["state"] == "closed":
            assert "closed" == history[-1]["state"]
        assert row["time_stats"]["total_time_spent"] >= 0


@settings(max_examples=examples(8), deadline=None)
@given(st.lists(ACTS, min_size=6, max_size=18))
def test_issues_lists_counts_links_and_histories_agree(actions: list[tuple[str, str, str, Any, Any]]) -> None:
    """Numbers are never given twice, open and closed are all, links have two ends, nobody hears of what is hidden."""
    model = Model()
    for number in range(2):
        for where in PLACES:
            model.do("create", "ada", where, number == 1, 1)
    for action in actions:
        model.do(*action)
    model.check()
