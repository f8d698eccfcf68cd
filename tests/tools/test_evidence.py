"""The evidence that is merged from the observations of complete runs of the tests."""

import json
from pathlib import Path

import pytest

from tools.evidence import Incomplete, find_stale, merge_evidence

ROW = {"operation": "get_project", "status": 404, "error": "404 Project Not Found", "role": "guest", "test": "t"}


def write(folder: Path, name: str, *rows: dict[str, object]) -> None:
    (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


@pytest.fixture
def observed(tmp_path: Path) -> Path:
    """The observations of both suites."""
    write(tmp_path, "test-gw0", ROW, {**ROW, "status": 200, "error": None, "role": "owner"})
    for client in ("a", "b", "c"):
        write(tmp_path, f"client-{client}", {**ROW, "status": 200, "error": None, "role": None})
    return tmp_path


def test_the_observations_of_all_workers_and_clients_are_merged(observed: Path) -> None:
    """An operation has its statuses with their texts, the statuses of each role, and the clients that used it."""
    write(observed, "test-gw1", {**ROW, "role": "reporter"})
    assert {
        "get_project": {
            "statuses": {"200": [], "404": ["404 Project Not Found"]},
            "roles": {"guest": [404], "reporter": [404], "owner": [200]},
            "clients": ["a", "b", "c"],
        }
    } == merge_evidence(observed)


@pytest.mark.parametrize(("missing", "command"), [("test-gw0", "make test"), ("client-c", "make clients")])
def test_incomplete_observations_are_refused(observed: Path, missing: str, command: str) -> None:
    """Without the observations of both suites the command to run is named."""
    (observed / f"{missing}.jsonl").unlink()
    with pytest.raises(Incomplete, match=command):
        merge_evidence(observed)


def test_stale_operations_are_named() -> None:
    """Those that are new, gone or observed otherwise."""
    current: dict[str, object] = {"a": {"clients": []}, "b": {"clients": []}, "c": {"clients": []}}
    assert ["b", "c", "d"] == find_stale(current, {"a": {"clients": []}, "b": {"clients": ["x"]}, "d": {}})
