"""A small HTTP server with the git protocol's functions, for tests with git as the client."""

import gzip
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from attrs import define, field
from typing_extensions import override

from fakeplat.git import (
    Limits,
    PushResult,
    RefUpdate,
    Repository,
    Service,
    advertise_refs,
    protocol_v2,
    receive_pack,
    upload_pack,
)
from tests.git.command import ALONE


@define
class GitServer:
    """A repository at a URL, and the pushes to it."""

    repository: Repository
    url: str = ""
    limits: Limits = field(factory=Limits)
    refusals: dict[str, str] = field(factory=dict)
    messages: list[str] = field(factory=list)
    pushes: list[PushResult] = field(factory=list)
    judged: list[tuple[str, bool]] = field(factory=list)

    def decide(self, update: RefUpdate) -> str | None:
        self.judged.append((update.name, update.is_fast_forward))
        return self.refusals.get(update.name)

    def push(self, body: bytes) -> bytes:
        received = receive_pack(self.repository, body, self.decide, self.limits)
        self.pushes.append(received)
        self.repository = received.after
        return received.answer(self.messages)


class Handler(BaseHTTPRequestHandler):
    """Smart HTTP with complete requests and responses."""

    def do_GET(self) -> None:
        self.answer(b"")

    def do_POST(self) -> None:
        self.answer(self.body())

    def answer(self, body: bytes) -> None:
        raise NotImplementedError

    def body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size + 2)[:-2])
            body = b"".join(parts)
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def send(self, content_type: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    @override
    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""


@contextmanager
def serving(repository: Repository) -> Iterator[GitServer]:
    """Serve a repository over HTTP during the block."""
    served = GitServer(repository)

    class Ours(Handler):
        @override
        def answer(self, body: bytes) -> None:
            path, _, query = self.path.partition("?service=")
            service = Service(query or path.rpartition("/")[2])
            is_v2 = service is Service.UPLOAD and protocol_v2.requested_version(self.headers.get("Git-Protocol")) == 2
            if query:
                refs = advertise_refs(served.repository, service)
                self.send(service.advertisement_type, protocol_v2.advertise_capabilities() if is_v2 else refs)
                return
            fetch = protocol_v2.serve_command if is_v2 else upload_pack
            pieces = fetch(served.repository, body) if service is Service.UPLOAD else [served.push(body)]
            self.send(service.result_type, b"".join(pieces))

    with _listening(Ours) as served.url:
        yield served


@contextmanager
def git_serving(folder: Path) -> Iterator[str]:
    """Serve a folder with `git http-backend`; yield the URL."""

    class Backend(Handler):
        @override
        def answer(self, body: bytes) -> None:
            path, _, query = self.path.partition("?")
            result = subprocess.run(
                ["git", "http-backend"],
                input=body,
                capture_output=True,
                check=False,  # it fails if the client disconnects
                env={
                    **ALONE,
                    "GIT_PROJECT_ROOT": str(folder),
                    "GIT_HTTP_EXPORT_ALL": "1",
                    "PATH_INFO": path.removeprefix("/site.git"),
                    "QUERY_STRING": query,
                    "REQUEST_METHOD": self.command,
                    "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                    "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                },
            )
            head, _, content = result.stdout.partition(b"\r\n\r\n")
            content_type = next(line for line in head.split(b"\r\n") if line.startswith(b"Content-Type: "))
            self.send(content_type.decode().removeprefix("Content-Type: "), content)

    with _listening(Backend) as url:
        yield url


@contextmanager
def _listening(handler: type[Handler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/site.git"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
