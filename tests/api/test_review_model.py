"""Invariants of merge requests, issues and notes that hold after any sequence of actions."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.platform import Platform
from tests.examples import examples
from tests.scenario.worlds import create_platform

SECRET = "hush"
"""Stands in every name, title and text of the private project and of confidential issues, and nowhere else."""
HIDDEN, OPEN = "projects/acme%2Fhush", "projects/acme%2Fdocs"
TOPICS = ("one", "two", "clash")


def _project(path: str, visibility: str, word: str) -> dict[str, Any]:
    """A project with three branches, of which ``clash`` changes what master changes."""
    first = {"message": f"First {word}", "author": "ada", "files": {"README.md": f"{word}\n", "x.txt": "a\n"}}
    master = {"message": f"More {word}", "author": "ada", "files": {"x.txt": "b\n"}, "date": "2020-11-03T09:00:00Z"}
    topics = [
        {
            "message": f"Change {name} {word}",
            "author": "dev",
            "branch": f"{word}-{name}",
            "start": "begin",
            "date": f"2020-11-0{day}T09:00:00Z",
            "files": {"x.txt" if name == "clash" else f"{name}.txt": "c\n"},
        }
        for day, name in enumerate(TOPICS, 4)
    ]
    first |= {"date": "2020-11-02T09:00:00Z", "tags": ["begin"]}
    return {
        "path": path,
        "name": path.title(),
        "visibility": visibility,
        "labels": [{"name": f"{word} label", "color": "#112233"}],
        "repository": {"commits": [first, master, *topics]},
    }


WORLD: dict[str, Any] = {
    "users": [{"username": name} for name in ("ada", "mia", "dev", "rep", "gus", "eve")],
    "groups": [
        {
            "path": "acme",
            "name": "Acme",
            "visibility": "public",
            "members": {"ada": "owner", "mia": "maintainer", "dev": "developer", "rep": "reporter", "gus": "guest"},
            "projects": [_project("hush", "private", SECRET), _project("docs", "public", "plain")],
        }
    ],
}
WORD = {HIDDEN: SECRET, OPEN: "plain"}

BY = st.sampled_from(["ada", "mia", "dev", "rep", "gus", "eve"])
WHERE = st.sampled_from([HIDDEN, OPEN])
NUMBER = st.integers(1, 3)
ACTS = st.one_of(
    st.tuples(st.sampled_from(["open", "open", "push"]), st.sampled_from(["ada", "dev", "rep"]), WHERE, NUMBER, NUMBER),
    st.tuples(st.just("merge"), st.sampled_from(["ada", "mia", "mia", "dev"]), WHERE, NUMBER, NUMBER),
    st.tuples(st.sampled_from(["close", "reopen", "label", "approve", "rename", "delete"]), BY, WHERE, NUMBER, NUMBER),
    st.tuples(st.sampled_from(["say", "thread", "settle", "unsay", "award"]), BY, WHERE, NUMBER, NUMBER),
    st.tuples(st.sampled_from(["raise_issue", "hide", "close_issue", "comment", "follow"]), BY, WHERE, NUMBER, NUMBER),
)


class Model:
    """The expected state after each action, derived from the responses alone."""

    def __init__(self) -> None:
        self.platform: Platform = create_platform(WORLD)
        self.states: dict[tuple[str, int], str] = {}
        self.used: dict[tuple[str, str], int] = Counter()
        self.said: dict[tuple[str, str], set[int]] = {}

    def ask(self, method: str, target: str, by: str | None, body: Any = None) -> tuple[int, Any]:
        path, _, query = target.partition("?")
        headers = {"content-type": JSON} | ({"private-token": f"{by}-token"} if by else {})
        sent = orjson.dumps(body) if body is not None else b""
        reply = self.platform.handle(Request(method, f"/api/v4/{path}", query, headers, sent))
        assert reply.status < 500, (method, target, body, reply)
        if by in ("eve", None):
            assert SECRET.encode() not in bytes(reply.body).lower(), (method, target, reply.body)
        return reply.status, orjson.loads(reply.body) if reply.body else None

    def do(self, action: str, by: str, where: str, iid: int, other: int) -> None:
        getattr(self, action)(by, where, f"{where}/merge_requests/{iid}", iid, other)

    def entered(self, kind: str, where: str, status: int, answer: Any) -> None:
        """Check that a new record has the next number, which none of its kind ever had there."""
        if status == 201:
            self.used[kind, where] += 1
            assert self.used[kind, where] == answer["iid"]
            self.said[f"{where}/{kind}", str(answer["iid"])] = set()

    # merge requests

    def open(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        source = f"{WORD[where]}-{TOPICS[iid - 1]}"
        texts = {"title": f"Take {source}", "description": f"Closes #{other}, like acme/docs#{iid}"}
        if where == OPEN:
            texts["description"] = f"Closes #{other}"
        body = {"source_branch": source, "target_branch": "master", **texts}
        status, answer = self.ask("POST", f"{where}/merge_requests", by, body)
        self.entered("merge_requests", where, status, answer)
        if status == 201:
            self.states[where, answer["iid"]] = "opened"
            self.ask("GET", f"{where}/merge_requests/{answer['iid']}", "root")

    def turned(self, where: str, iid: int, before: tuple[str, ...], status: int, answer: Any) -> None:
        if status == 200:
            assert self.states[where, iid] in before
            self.states[where, iid] = answer["state"]

    def close(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        asked = self.ask("PUT", path, by, {"state_event": "close"})
        if asked[0] == 200 and self.states[where, iid] == "opened":
            assert "closed" == asked[1]["state"]
        self.turned(where, iid, ("opened", "closed", "merged"), *asked)

    def reopen(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        before = self.states.get((where, iid))
        asked = self.ask("PUT", path, by, {"state_event": "reopen"})
        if before == "merged" and asked[0] == 200:
            assert "merged" == asked[1]["state"]
        self.turned(where, iid, ("opened", "closed", "merged"), *asked)

    def merge(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        asked = self.ask("PUT", f"{path}/merge", by, {"squash": other == 2})
        if asked[0] == 200:
            assert "merged" == asked[1]["state"]
        self.turned(where, iid, ("opened",), *asked)

    def delete(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        if self.ask("DELETE", path, by)[0] == 204:
            del self.states[where, iid]

    def push(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        action = {"action": "create", "file_path": f"{WORD[where]}-{by}-{iid}-{other}.txt", "content": "x"}
        branch = f"{WORD[where]}-{TOPICS[iid - 1]}"
        body = {"branch": branch, "commit_message": f"Push {WORD[where]}", "actions": [action]}
        self.ask("POST", f"{where}/repository/commits", by, body)

    def label(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        self.ask("PUT", path, by, {"add_labels": f"{WORD[where]} label"})

    def rename(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        self.ask("PUT", path, by, {"title": f"{'WIP: ' if other == 1 else ''}Now {WORD[where]}"})

    def approve(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        self.ask("POST", f"{path}/{'approve' if other > 1 else 'unapprove'}", by)

    # what is said of them

    def say(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        self.heard(path, self.ask("POST", f"{path}/notes", by, {"body": self.text(where, other)}))

    def thread(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        status, answer = self.ask("POST", f"{path}/discussions", by, {"body": self.text(where, other)})
        self.heard(path, (status, answer["notes"][0] if status == 201 else None))

    def text(self, where: str, other: int) -> str:
        """Of the hidden project to the open one too, which must not show there."""
        return f"{SECRET} as in acme/docs#{other} and acme/docs!{other} @eve" if where == HIDDEN else f"Like #{other}"

    def heard(self, path: str, asked: tuple[int, Any]) -> None:
        if asked[0] == 201:
            collection, _, number = path.rpartition("/")
            self.said[collection, number].add(asked[1]["id"])

    def settle(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        threads = [row for row in self.ask("GET", f"{path}/discussions", "root")[1] if isinstance(row, dict)]
        for discussion in [thread for thread in threads if thread["notes"][0]["resolvable"]][:other]:
            self.ask("PUT", f"{path}/discussions/{discussion['id']}", by, {"resolved": other != 2})

    def unsay(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        collection, _, number = path.rpartition("/")
        for id_ in sorted(self.said.get((collection, number), set()))[:1]:
            if self.ask("DELETE", f"{path}/notes/{id_}", by)[0] == 204:
                self.said[collection, number].discard(id_)

    def award(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        self.ask("POST", f"{path}/award_emoji", by, {"name": ("thumbsup", "thumbsdown", "rocket")[other - 1]})

    # issues

    def raise_issue(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        body = {"title": f"An issue {WORD[where]}", "description": f"See acme/docs#{other}" if where == HIDDEN else ""}
        self.entered("issues", where, *self.ask("POST", f"{where}/issues", by, body))

    def hide(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        """One that is confidential says what nobody else may read, except to whom it was said before."""
        if by != "eve":
            body = {"title": f"Confidential {SECRET}", "confidential": True, "description": f"acme/docs#{other}"}
            self.entered("issues", where, *self.ask("POST", f"{where}/issues", by, body))

    def close_issue(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        self.ask("PUT", f"{where}/issues/{iid}", by, {"state_event": "close" if other > 1 else "reopen"})

    def comment(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        issue = f"{where}/issues/{iid}"
        issue_view = self.ask("GET", issue, "root")[1]
        text = SECRET if where == HIDDEN or issue_view.get("confidential") else "plain"
        self.heard(issue, self.ask("POST", f"{issue}/notes", by, {"body": text}))

    def follow(self, by: str, where: str, path: str, iid: int, other: int) -> None:
        self.ask("POST", f"{path}/{('subscribe', 'unsubscribe', 'todo')[other - 1]}", by)

    # what always holds

    def check(self) -> None:
        for where in (HIDDEN, OPEN):
            rows = self.ask("GET", f"{where}/merge_requests?state=all&per_page=100", "root")[1]
            assert {n: state for (at, n), state in self.states.items() if at == where} == {
                row["iid"]: row["state"] for row in rows
            }
            self.check_counts(where, rows)
            for row in rows:
                self.check_one(f"{where}/merge_requests/{row['iid']}", row)
            for row in self.ask("GET", f"{where}/issues?per_page=100", "root")[1]:
                self.check_notes(f"{where}/issues", str(row["iid"]), row)
        for target in self.looks():
            self.ask("GET", target, "eve")
            self.ask("GET", target, None)

    def check_counts(self, where: str, rows: list[dict[str, Any]]) -> None:
        """Each state's list has those of that state, and no two open ones have one source and target."""
        states = Counter(row["state"] for row in rows)
        for state in ("opened", "closed", "merged", "locked"):
            listed = self.ask("GET", f"{where}/merge_requests?state={state}&per_page=100", "root")[1]
            assert states[state] == len(listed)
        waiting = [(row["source_branch"], row["target_branch"]) for row in rows if row["state"] == "opened"]
        assert len(waiting) == len(set(waiting))

    def check_one(self, path: str, row: dict[str, Any]) -> None:
        collection, _, number = path.rpartition("/")
        self.check_notes(collection, number, row)
        view = self.ask("GET", path, "root")[1]
        assert row["merged_at"] is not None if row["state"] == "merged" else row["merged_at"] is None
        history = self.ask("GET", f"{path}/resource_state_events", "root")[1]
        if row["state"] != "opened":
            assert row["state"] == history[-1]["state"]
        votes = Counter(award["name"] for award in self.ask("GET", f"{path}/award_emoji?per_page=100", "root")[1])
        assert (votes["thumbsup"], votes["thumbsdown"]) == (row["upvotes"], row["downvotes"])
        threads = self.ask("GET", f"{path}/discussions?per_page=100", "root")[1]
        notes = [note for thread in threads for note in thread["notes"] if note["resolvable"]]
        assert all(note["resolved"] for note in notes) is view["blocking_discussions_resolved"]
        if row["state"] == "merged":
            assert [] == self.ask("GET", f"{path}/commits", "root")[1] or view["diff_refs"]["head_sha"] == row["sha"]

    def check_notes(self, collection: str, number: str, row: dict[str, Any]) -> None:
        notes = self.ask("GET", f"{collection}/{number}/notes?per_page=100", "root")[1]
        assert self.said[collection, number] == {note["id"] for note in notes if not note["system"]}
        assert len(self.said[collection, number]) == row["user_notes_count"]

    def looks(self) -> Iterator[str]:
        """Yield the paths at which others might read about hidden records."""
        yield from ("merge_requests?scope=all&state=all", "issues?scope=all", "groups/acme/issues", "events", "todos")
        yield from ("groups/acme/merge_requests?state=all", "projects?with_shared=true", "groups/acme/projects")
        yield from (f"users/{name}/events" for name in ("ada", "dev", "gus"))
        yield from (f"{scope}search?scope={what}&search=h" for scope in ("", "groups/acme/") for what in FOUND)
        yield from (f"{OPEN}/{part}" for part in ("issues", "merge_requests?state=all", "events", "labels"))
        for number in range(1, 6):
            for kind in ("issues", "merge_requests"):
                issue_path = f"{OPEN}/{kind}/{number}"
                parts = ("", "/notes", "/discussions", "/participants", "/closes_issues", "/closed_by", "/award_emoji")
                yield from (f"{issue_path}{part}" for part in (*parts, "/links", "/related_merge_requests"))
                yield f"{HIDDEN}/{kind}/{number}"


FOUND = ("projects", "issues", "merge_requests", "milestones", "users")


@settings(max_examples=examples(13), deadline=None)
@given(st.lists(ACTS, min_size=8, max_size=24))
def test_merge_requests_issues_and_notes_agree(actions: list[tuple[str, str, str, int, int]]) -> None:
    """Numbers are given once, lists and counts agree, merged stays merged, and nobody reads of what is hidden."""
    model = Model()
    for where in (HIDDEN, OPEN):
        for number in range(1, 3):
            model.do("raise_issue", "ada", where, number, number)
            model.do("open", "dev", where, number, number)
        model.do("hide", "ada", where, 1, 1)
    for action in actions:
        model.do(*action)
    model.check()
