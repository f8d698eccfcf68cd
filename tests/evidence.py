"""Evidence: what the tests observe of each operation, collected from the requests to the platforms of this process.

Each worker of a complete run writes its own file below .cache/evidence/, and a run that fails leaves none.
`tools/evidence.py` merges them; the coverage table and the role matrix are generated from that alone. Tests with random
requests are left out, so that the merged evidence is reproducible.
"""

import json
from pathlib import Path

import orjson
import pytest

from fakeplat.harness.evidence import role_of
from fakeplat.pipeline.handler import RequestHandler
from fakeplat.platform import HandledRequest

FOLDER = Path(__file__).parents[1] / ".cache" / "evidence"
COLLECTED = ("tests/api/", "tests/harness/", "tests/graphql/test_changes.py", "tests/graphql/test_endpoint.py")
SUITES = {"not clients": "test", "clients": "clients"}


def find_suite(config: pytest.Config) -> str | None:
    """Return the suite that is run completely; None if only some of its tests are, which would be half of the truth."""
    if hasattr(config, "workerinput"):
        suite: str | None = config.workerinput["suite"]
        return suite
    option = config.getoption
    is_partial = option("-k", default="") or option("--tenth") or option("--collect-only")
    if is_partial or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return None
    return SUITES.get(option("-m", default=""))


def remove_files(suite: str) -> None:
    """Remove what was observed of a suite."""
    for file in FOLDER.glob(f"{suite}-*.jsonl"):
        file.unlink()


class Collector:
    """Collects the observations of the running test."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._rows: set[str] = set()
        self.test: str | None = None

    def observe(self, entry: HandledRequest, exchange: RequestHandler | None) -> None:
        if self.test is None or not entry.answer.operation or entry.answer.fault:
            return
        row = {
            "operation": entry.answer.operation,
            "status": entry.status,
            "error": read_error(entry),
            "role": role_of(exchange) if exchange is not None else None,
            "test": self.test,
            "client": None,
        }
        self._rows.add(json.dumps(row, sort_keys=True))

    def write(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text("".join(f"{row}\n" for row in sorted(self._rows)), "utf-8")


def read_error(entry: HandledRequest) -> str | None:
    """Return the text of a refusal, with a fixed origin in place of the server's."""
    if entry.status < 400:
        return None
    content = entry.answer.body.replace(entry.request.origin.encode(), b"http://localhost")
    try:
        body = orjson.loads(content)
    except orjson.JSONDecodeError:
        return content.decode("utf-8", "replace").strip()
    return body if isinstance(body, str) else json.dumps(body, sort_keys=True, ensure_ascii=False)
