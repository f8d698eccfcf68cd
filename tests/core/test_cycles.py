"""What is finished is freed at once: neither refusals nor worlds wait for the garbage collector."""

import gc
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.request import urlopen

import pytest

import fakeplat
import fakeplat.api  # registers the lazy routes
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.domain.ci import job_artifacts
from fakeplat.harness.harness import Harness
from fakeplat.model.ci import JobArtifact
from fakeplat.model.outgoing import OutgoingMail, OutgoingRequest
from fakeplat.workbench.options import Options
from tests.api.jobs import create_pipeline, job, path

SITE = "/api/v4/projects/acme%2Fsite"
REFUSED = [
    (304, "POST", f"{SITE}/star", b""),
    (400, "POST", f"{SITE}/issues", b"{}"),
    (400, "POST", f"{SITE}/issues", b"{bad"),
    (400, "POST", f"{SITE}/repository/commits", b'{"branch": "none", "commit_message": "m", "actions": []}'),
    (401, "POST", "/acme/site.git/git-upload-pack", b"words"),
    (403, "POST", "/api/v4/users", b'{"email": "a@b.test", "name": "n", "username": "u", "password": "12345678"}'),
    (404, "GET", "/api/v4/users/999999", b""),
    (404, "GET", "/api/v4/nothing", b""),
    (404, "GET", f"{SITE}/issues/999999", b""),
    (405, "PATCH", SITE, b""),
    (409, "POST", f"{SITE}/merge_requests", b'{"source_branch": "feature", "target_branch": "master", "title": "t"}'),
    (501, "DELETE", "/api/v4/admin/sidekiq/queues/default", b""),
]


@contextmanager
def collect_cycles() -> Iterator[list[object]]:
    """What of ours only the garbage collector could free after the block."""
    garbage: list[object] = []
    gc.collect()
    # What is there already is not visited again, in this test or a later one.
    gc.freeze()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield garbage
        gc.collect()
        garbage += [type(thing) for thing in gc.garbage if type(thing).__module__.startswith("fakeplat")]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


@pytest.fixture
def ask() -> Callable[[str, str, bytes], int]:
    OPERATIONS.load_all()
    platform = Options(scenario="starter").bench().platform
    headers = {"private-token": "ada-token", "content-type": "application/json"}

    def ask(method: str, path: str, body: bytes = b"") -> int:
        return platform.handle(Request(method, path, headers=headers, body=body)).status

    ask("POST", f"{SITE}/star")
    return ask


@pytest.mark.parametrize(("status", "method", "path", "body"), REFUSED)
def test_a_refusal_leaves_no_reference_cycle(
    ask: Callable[[str, str, bytes], int], status: int, method: str, path: str, body: bytes
) -> None:
    """A refused request leaves no reference cycle from its traceback through the journal."""
    ask(method, path, body)
    with collect_cycles() as garbage:
        assert status == ask(method, path, body)
    assert [] == garbage


def test_a_world_is_freed_while_deliveries_are_under_way() -> None:
    """A stopped world is freed, although deliveries were answered, failed, waiting for a response or queued."""
    harness = Harness()
    silent = socket.create_server(("127.0.0.1", 0))
    waiting = f"http://127.0.0.1:{silent.getsockname()[1]}/"

    def use() -> None:
        fake = harness.start(Options(scenario="empty"))
        with fake.bench.platform.acting() as ctx:
            ctx.send(OutgoingMail("ada@example.test", "Subject", "Body"))
            for number, url in enumerate((f"{fake.url}/api/v4/version", "http://127.0.0.1:1/", waiting, waiting)):
                ctx.send(OutgoingRequest(("hook", min(number, 2)), "push_hooks", url, b"{}"))
        for url in (fake.url, "http://127.0.0.1:1/"):
            fake.hooks.wait_for(url=url)
        harness.stop(fake)

    use()
    use()
    with collect_cycles() as garbage:
        use()
    harness.close()
    silent.close()
    assert [] == garbage


@pytest.mark.parametrize("way", ["delete", "reset", "restore"])
@pytest.mark.parametrize("clock", ["virtual", "real"])
def test_deleted_artifacts_are_freed(clock: str, way: str) -> None:
    """Cached responses do not keep artifacts alive after they were deleted, or undone by a reset or restore."""
    fake = fakeplat.start(scenario="starter", clock=clock, listen=False)
    create_pipeline(fake, {"name": "build", "status": "success"})
    if way != "delete":
        fake.bench.snapshot("before")
        fake.bench.initial_state = fake.bench.snapshots["before"]
    with fake.bench.platform.acting() as ctx:
        content = job_artifacts.create_archive(ctx, job(fake, "build"), {"a.txt": "A"}).content
    del ctx
    for tail in ("", "/artifacts", "/artifacts/a.txt"):
        assert 200 == fake.as_user("mia").get(path(fake, "build", tail)).status
    with collect_cycles():
        if way == "delete":
            assert 204 == fake.as_user("mia").delete(path(fake, "build", "/artifacts")).status
        elif way == "reset":
            fake.reset()
        else:
            fake.bench.restore("before")
        fake.bench.journal.clear()
        left = [each for each in gc.get_objects() if type(each) is JobArtifact and each.content is content]
    assert [] == left
    fake.stop()


@pytest.mark.parametrize("has_faults", [False, True], ids=["plain", "with faults"])
def test_a_finished_world_is_freed(has_faults: bool) -> None:
    """A stopped world is freed with its server and journal, also after faults and callbacks were used."""
    harness = Harness()

    def use() -> None:
        fake = harness.start(Options(scenario="starter", usual="auto"))
        with urlopen(f"{fake.api_url}/projects") as answer:
            answer.read()
        fake.as_user("ada").post("projects/acme%2Fsite/issues", json={"title": "t"})
        fake.as_user("eve").get("projects/acme%2Fsite")
        if has_faults:
            fake.faults.add(operation="create_issue", status=500)
            fake.before("update_issue", lambda world: world.as_user("ada").get("user"))
            fake.as_user("ada").put("projects/acme%2Fsite/issues/1", json={"title": "u"})
        harness.stop(fake)

    use()
    use()
    with collect_cycles() as garbage:
        use()
    harness.close()
    assert [] == garbage
