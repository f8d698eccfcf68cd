"""Downloads of artifacts per second, compared with a bare handler that sends the same bytes."""

import json
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.load import ROUNDS, requests_per_second
from benchmarks.ratio import Ratio
from benchmarks.servers import bare, fakeplat

SIZE = 256 * 1024
JOBS = "/api/v4/projects/acme%2Fsite/jobs/artifacts/feature"
PATHS = {"an archive": f"{JOBS}/download?job=build", "a file of it": f"{JOBS}/raw/out/a.txt?job=build"}


def measure() -> list[Ratio]:
    with TemporaryDirectory() as folder:
        scenario = Path(folder) / "artifacts.json"
        scenario.write_text(json.dumps(_scenario()))
        with fakeplat("--scenario", str(scenario)) as (port, _):
            return [_measure_path(name, port, path) for name, path in PATHS.items()]


def _scenario() -> dict[str, Any]:
    files = {"out/a.txt": "a" * SIZE}
    job = {"name": "build", "status": "success", "artifact_files": [{"files": files, "expire_at": None}]}
    pipeline = {"ref": "feature", "status": "success", "jobs": [job]}
    return {"extends": "starter", "projects": [{"path_with_namespace": "acme/site", "pipelines": [pipeline]}]}


def _measure_path(name: str, port: int, path: str) -> Ratio:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"PRIVATE-TOKEN": "root-token"})
    with urllib.request.urlopen(request) as response:
        body = response.read()
    with bare(body) as (baseline, _):
        pairs = [(requests_per_second(port, path), requests_per_second(baseline, path)) for _ in range(ROUNDS)]
    ours, theirs = max(ours for ours, _ in pairs), max(theirs for _, theirs in pairs)
    detail = f"{ours:.0f} vs {theirs:.0f} requests per second, {len(body)} bytes"
    return Ratio(f"downloads per second, {name}, vs a bare handler", ours / theirs, 0.7, most=False, detail=detail)
