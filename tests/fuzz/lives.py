"""A world with its forks and snapshots, which actions change; the same actions give the same bytes in any process."""

from base64 import b64encode
from hashlib import sha256
from typing import Any, Final, NamedTuple

import orjson

from fakeplat.core.clock import Clock
from fakeplat.core.operations.http_messages import JSON, Request, Response
from fakeplat.core.store.state import State
from fakeplat.platform import Platform
from fakeplat.workbench.bench import Workbench
from tests.scenario.worlds import create_platform

SECRET: Final = "hush"
"""Stands in every text of private projects, and nowhere else."""
PEOPLE: Final = ("ada", "mia", "dev", "rep", "gus")
PLACES: Final = ("acme/site", "acme/docs", "acme/fresh")
MANIFEST: Final = "application/vnd.oci.image.manifest.v1+json"
CONFIG: Final = b'{"created":"2020-11-01T10:00:00Z","config":{}}'
LOOKS: Final = (
    *("projects?order_by=id", "users", "groups/acme/members", "issues?scope=all", "merge_requests?scope=all&state=all"),
    *("groups/acme/packages", "groups/acme/registry/repositories?tags=true", "events?scope=all", "snippets/public"),
    *(
        f"projects/{project.replace('/', '%2F')}/{part}"
        for project in PLACES
        for part in (
            *(
                "",
                "issues?per_page=5",
                "merge_requests?state=all",
                "repository/branches",
                "repository/commits?all=true",
            ),
            *("pipelines", "jobs", "packages", "registry/repositories?tags=true", "members/all", "events", "labels"),
            *(
                "issues/1/notes",
                "merge_requests/1/notes",
                "merge_requests/1/changes",
                "statistics",
                "search?scope=issues&search=h",
            ),
        )
    ),
)


class Action(NamedTuple):
    """What is done, who does it, and two numbers from which the rest follows."""

    name: str
    by: str = "root"
    first: int = 0
    second: int = 0


class Life:
    """A world, and the worlds that it was forked from. ``transcript`` is every answer so far."""

    def __init__(self) -> None:
        self.bench = Workbench(create_platform("starter"), scenario="starter", seed=1)
        self.parents: list[tuple[Platform, bytes]] = []
        self.saved: dict[str, bytes] = {"": self.look()}
        self.transcript: list[bytes] = []

    @property
    def platform(self) -> Platform:
        return self.bench.platform

    def send(self, method: str, path: str, by: str | None, body: bytes = b"", **headers: str) -> Response:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if by and "authorization" not in sent:
            sent["private-token"] = f"{by}-token"
        target, _, query = path.partition("?")
        # What is due happens before the next request, whatever that is.
        self.platform.catch_up()
        before, number = self.platform.state, self.platform.request_count
        response = self.platform.handle(Request(method, target, query, sent, body))
        assert [] == self.platform.failures
        assert number + 1 == self.platform.request_count
        if response.status >= 400:
            assert self.is_unchanged(before), "a refused request changed the world"
        return response

    def is_unchanged(self, before: State) -> bool:
        """Whether only the use of a token was recorded, if anything."""
        tables = zip(before.roots, self.platform.state.roots, strict=True)
        changed = [position for position, (old, new) in enumerate(tables) if old is not new]
        return set(changed) <= {type(self.platform.view).tokens.position, type(self.platform.view).users.position}

    def ask(self, method: str, target: str, by: str, /, **body: Any) -> tuple[int, Any]:
        """Send a request to the API and note the answer."""
        response = self.send(method, f"/api/v4/{target}", by, orjson.dumps(body), content_type=JSON)
        self.transcript.append(b"%d %s" % (response.status, bytes(response.body)))
        return response.status, orjson.loads(response.body) if response.body else None

    def look(self) -> bytes:
        """Return the digest of what an administrator is shown by a platform of the same records that kept nothing."""
        return look_at(self.platform)

    # What people do

    def do(self, action: Action) -> None:
        getattr(self, action.name)(action.by, action.first, action.second)

    def place(self, number: int) -> str:
        return f"projects/{PLACES[number % len(PLACES)].replace('/', '%2F')}"

    def word(self, number: int) -> str:
        """The text of a project: of the public one there is nothing to hide."""
        return "plain" if PLACES[number % len(PLACES)] == "acme/docs" else SECRET

    def create_user(self, by: str, first: int, second: int) -> None:
        name = f"user{first}"
        self.ask(
            "POST",
            "users",
            by,
            username=name,
            name=name,
            email=f"{name}@x.test",
            password="aX3-gh8-pq",
            admin=second == 1,
        )

    def create_project(self, by: str, first: int, second: int) -> None:
        group = next(group.id for group in self.platform.view.namespaces.all() if group.path == "acme")
        fields = {"path": "fresh", "name": "Fresh", "visibility": "private", "initialize_with_readme": True}
        self.ask("POST", "projects", by, **fields, namespace_id=group)

    def delete_project(self, by: str, first: int, second: int) -> None:
        self.ask("DELETE", self.place(first), by)

    def open_issue(self, by: str, first: int, second: int) -> None:
        text = f"{self.word(first)} #{second} !1 @dev"
        self.ask("POST", f"{self.place(first)}/issues", by, title=text, description=text, labels="bug")

    def change_issue(self, by: str, first: int, second: int) -> None:
        event = ("close", "reopen")[second % 2]
        self.ask("PUT", f"{self.place(first)}/issues/{second}", by, state_event=event, confidential=second == 3)

    def comment(self, by: str, first: int, second: int) -> None:
        kind = ("issues", "merge_requests")[second % 2]
        self.ask("POST", f"{self.place(first)}/{kind}/1/notes", by, body=f"{self.word(first)} for #{second}")

    def push(self, by: str, first: int, second: int) -> None:
        files = [{"action": "create", "file_path": f"{self.word(first)}-{second}-{by}.txt", "content": "x"}]
        where = {"branch": f"topic{second}", "start_branch": "master"} if second else {"branch": "master"}
        message = f"Change {self.word(first)}"
        self.ask("POST", f"{self.place(first)}/repository/commits", by, commit_message=message, actions=files, **where)

    def open_merge_request(self, by: str, first: int, second: int) -> None:
        fields = {"source_branch": f"topic{second}", "target_branch": "master", "title": f"Take {self.word(first)}"}
        self.ask("POST", f"{self.place(first)}/merge_requests", by, **fields)

    def merge(self, by: str, first: int, second: int) -> None:
        self.ask("GET", f"{self.place(first)}/merge_requests/{second}", by)
        self.ask("PUT", f"{self.place(first)}/merge_requests/{second}/merge", by, squash=second == 2)

    def run_pipeline(self, by: str, first: int, second: int) -> None:
        self.ask("POST", f"{self.place(first)}/pipeline", by, ref="master")

    def retry_job(self, by: str, first: int, second: int) -> None:
        status, jobs = self.ask("GET", f"{self.place(first)}/jobs", "root")
        if status == 200 and jobs:
            self.ask(
                "POST",
                f"{self.place(first)}/jobs/{jobs[second % len(jobs)]['id']}/{('retry', 'cancel')[second % 2]}",
                by,
            )

    def publish_package(self, by: str, first: int, second: int) -> None:
        path = f"/api/v4/{self.place(first)}/packages/generic/{self.word(first)}/1.0.{second}/a.txt"
        response = self.send("PUT", path, by, b"content", content_type="text/plain")
        self.transcript.append(b"%d %s" % (response.status, bytes(response.body)))

    def push_image(self, by: str, first: int, second: int) -> None:
        name = f"{PLACES[first % len(PLACES)]}/{self.word(first)}"
        basic = b64encode(f"{by}:{by}-token".encode()).decode()
        access = f"/jwt/auth?service=container_registry&scope=repository:{name}:pull,push"
        granted = self.send("GET", access, None, authorization=f"Basic {basic}")
        bearer = f"Bearer {orjson.loads(granted.body).get('token', '')}"
        digest = f"sha256:{sha256(CONFIG).hexdigest()}"
        self.send("POST", f"/v2/{name}/blobs/uploads/?digest={digest}", None, CONFIG, authorization=bearer)
        part = {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": digest, "size": len(CONFIG)}
        manifest = orjson.dumps({"schemaVersion": 2, "mediaType": MANIFEST, "config": part, "layers": []})
        path = f"/v2/{name}/manifests/v{second}"
        pushed = self.send("PUT", path, None, manifest, authorization=bearer, content_type=MANIFEST)
        self.transcript.append(b"%d %s" % (pushed.status, bytes(pushed.body)))

    # What a test author does

    def settle(self, by: str, first: int, second: int) -> None:
        self.platform.settle()

    def snapshot(self, by: str, first: int, second: int) -> None:
        self.bench.snapshot(str(first))
        self.saved[str(first)] = self.look()

    def restore(self, by: str, first: int, second: int) -> None:
        if str(first) in self.bench.snapshots:
            self.bench.restore(str(first))
            assert self.saved[str(first)] == self.look(), "a restored world differs from the saved one"

    def reset(self, by: str, first: int, second: int) -> None:
        self.bench.reset()
        assert self.saved[""] == self.look(), "a reset world differs from the first one"

    def fork(self, by: str, first: int, second: int) -> None:
        """Go on with a fork."""
        self.parents.append((self.platform, self.look()))
        self.bench = Workbench(fork(self.platform), scenario="starter", seed=1)
        assert self.parents[-1][1] == self.look(), "a fork differs from its parent"
        self.saved = {"": self.look()}

    # What always holds

    def check(self) -> None:
        for platform, look in self.parents:
            assert look == look_at(platform), "a fork changed its parent"
        for path in LOOKS:
            for by in ("eve", None):
                assert SECRET.encode() not in bytes(self.send("GET", f"/api/v4/{path}", by).body), (path, by)


def fork(platform: Platform) -> Platform:
    """Return a platform with the same records and time, which shares nothing that changes."""
    state, clock = platform.state, Clock("virtual")
    clock.set(platform.clock.now())
    copied = Platform(State(state.roots, state.counters, state.setup.with_own_store()), clock)
    copied._number = platform.request_count
    return copied


def look_at(platform: Platform) -> bytes:
    """Return the digest of what an administrator is shown by a fork."""
    copied, digest = fork(platform), sha256()
    for path in LOOKS:
        target, _, query = path.partition("?")
        response = copied.handle(Request("GET", f"/api/v4/{target}", query, {"private-token": "root-token"}))
        digest.update(b"%d %s" % (response.status, bytes(response.body)))
    return digest.digest()


def play(actions: list[Action]) -> list[bytes]:
    """Return the transcript of actions."""
    life = Life()
    for action in actions:
        life.do(action)
    return life.transcript
