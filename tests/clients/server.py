"""A `fakeplat serve` process, as started by a user."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

INSTALLED = Path(sys.executable).with_name("fakeplat")
TIMEOUT = 30.0


@contextmanager
def serving(folder: Path, *options: str, command: Path = INSTALLED) -> Iterator[dict[str, Any]]:
    """Serve on a free port; yield the content of the ready file, then stop the server cleanly."""
    ready, log = folder / "ready.json", folder / "serve.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [command, "serve", "--port", "0", "--ready-file", ready, *options], stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield _wait_until_ready(server, ready, log)
    finally:
        _stop(server)


def _wait_until_ready(server: "subprocess.Popen[bytes]", ready: Path, log: Path) -> dict[str, Any]:
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline and server.poll() is None:
        if ready.exists():
            content: dict[str, Any] = json.loads(ready.read_text("utf-8"))
            return content
        time.sleep(0.02)
    raise RuntimeError(f"fakeplat serve did not become ready (status {server.poll()}):\n{log.read_text('utf-8')}")


def _stop(server: "subprocess.Popen[bytes]") -> None:
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
        raise
