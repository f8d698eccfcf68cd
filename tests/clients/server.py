"""A `fakeplat serve` of its own, as a user starts it."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

INSTALLED = Path(sys.executable).with_name("fakeplat")
PATIENCE = 30.0


@contextmanager
def serving(folder: Path, *options: str, command: Path = INSTALLED) -> Iterator[dict[str, Any]]:
    """Serve on a free port; gives what the ready file says, and stops the server cleanly."""
    ready, log = folder / "ready.json", folder / "serve.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [command, "serve", "--port", "0", "--ready-file", ready, *options], stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield _announced(server, ready, log)
    finally:
        _stopped(server)


def _announced(server: "subprocess.Popen[bytes]", ready: Path, log: Path) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        if ready.exists():
            announced: dict[str, Any] = json.loads(ready.read_text("utf-8"))
            return announced
        time.sleep(0.02)
    raise RuntimeError(f"fakeplat serve did not become ready (status {server.poll()}):\n{log.read_text('utf-8')}")


def _stopped(server: "subprocess.Popen[bytes]") -> None:
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
        raise
