"""Large transfers: clones over SSH, an image of 100 MB, and 1,000 packages."""

import hashlib
import random
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import orjson
import requests

import fakeplat
from benchmarks.clone import import_history
from benchmarks.git import ROUNDS, timed_clone
from benchmarks.memory import resident_memory
from benchmarks.ratio import Ratio
from benchmarks.servers import fakeplat as serve
from fakeplat.core.operations.http_messages import Request
from fakeplat.harness.fake import Fakeplat
from fakeplat.platform import Platform
from tests.clients.test_ssh_clients import OpenSshGit

FEW, MANY = 100, 1_000
LAYER: Final = bytes(100 * 1024 * 1024)
IMAGE: Final = "acme/site"
PACKAGES: Final = "/api/v4/projects/acme%2Fsite/packages/generic"
HEADERS: Final = {"private-token": "ada-token"}


def measure() -> list[Ratio]:
    with fakeplat.start() as fake:
        ratios = [*_measure_clones(fake), *_measure_image(fake), _measure_packages(fake.bench.platform)]
    return [*ratios, _measure_memory()]


def _measure_clones(fake: Fakeplat) -> list[Ratio]:
    with TemporaryDirectory() as folder:
        git = OpenSshGit(Path(folder) / "git", fake).add_key_of("ada")
        history = import_history(Path(folder) / "history")
        http = f"{fake.url.replace('://', '://oauth2:ada-token@')}/ada/long.git"
        history("push", "-q", http, "master")
        ssh = f"{fake.ssh_url}/ada/long.git"
        by_http = min(timed_clone(git, http, f"http{number}") for number in range(ROUNDS))
        by_ssh = min(timed_clone(git, ssh, f"ssh{number}") for number in range(ROUNDS))
    detail = f"{by_ssh * 1e3:.0f} vs {by_http * 1e3:.0f} ms"
    return [Ratio("clone of 1,000 commits over SSH, vs HTTP", by_ssh / by_http, 4, detail=detail)]


def _measure_image(fake: Fakeplat) -> list[Ratio]:
    digest_time = min(_time_digest() for _ in range(ROUNDS))
    digest = f"sha256:{hashlib.sha256(LAYER).hexdigest()}"
    scope = {"service": "container_registry", "scope": f"repository:{IMAGE}:pull,push"}
    token = requests.get(f"{fake.url}/jwt/auth", scope, auth=("ada", "ada-token"), timeout=60).json()["token"]
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {token}"
    began = time.perf_counter()
    upload = session.post(f"{fake.url}/v2/{IMAGE}/blobs/uploads/", timeout=60)
    upload.raise_for_status()
    location = requests.compat.urljoin(fake.url, upload.headers["Location"])
    session.put(location, LAYER, params={"digest": digest}, timeout=60).raise_for_status()
    pushed = time.perf_counter()
    content = session.get(f"{fake.url}/v2/{IMAGE}/blobs/{digest}", timeout=60).content
    pulled = time.perf_counter()
    if content != LAYER:
        raise RuntimeError("the layer has changed on its way")
    return [
        Ratio(
            "push of a layer of 100 MB, vs its digest", (pushed - began) / digest_time, 10, detail=_ms(pushed - began)
        ),
        Ratio(
            "pull of a layer of 100 MB, vs its digest", (pulled - pushed) / digest_time, 10, detail=_ms(pulled - pushed)
        ),
    ]


def _measure_memory() -> Ratio:
    """Measure what a server still has of an image of 100 MB and 1,000 packages after their deletion."""
    layer = random.Random(0).randbytes(len(LAYER))  # the system shares pages of zeros
    with serve() as (port, server), requests.Session() as session:
        url = f"http://127.0.0.1:{port}"
        session.headers["PRIVATE-TOKEN"] = "ada-token"
        _push(url, b"first")
        before = resident_memory(server.pid)
        _push(url, layer)
        for number in range(MANY):
            session.put(f"{url}{PACKAGES}/big/1.0.{number}/file.txt", layer[:10_000], timeout=60).raise_for_status()
        full = resident_memory(server.pid)
        project = f"{url}/api/v4/projects/acme%2Fsite"
        for path in ("registry/repositories", "packages"):
            while rows := session.get(f"{project}/{path}?per_page=100", timeout=60).json():
                for row in rows:
                    session.delete(f"{project}/{path}/{row['id']}", timeout=60).raise_for_status()
                requests.post(f"{url}/_fakeplat/settle", timeout=60).raise_for_status()
        after = resident_memory(server.pid)
    detail = f"{full - before:.0f} MB before the deletion"
    return Ratio("MB of a deleted image of 100 MB and 1,000 packages", after - before, 40, detail=detail)


def _push(url: str, layer: bytes) -> None:
    scope = {"service": "container_registry", "scope": f"repository:{IMAGE}:pull,push"}
    token = requests.get(f"{url}/jwt/auth", scope, auth=("ada", "ada-token"), timeout=60).json()["token"]
    query = {"digest": f"sha256:{hashlib.sha256(layer).hexdigest()}"}
    headers = {"Authorization": f"Bearer {token}"}
    path = f"{url}/v2/{IMAGE}/blobs/uploads/"
    requests.post(path, layer, params=query, headers=headers, timeout=60).raise_for_status()


def _time_digest() -> float:
    began = time.perf_counter()
    hashlib.sha256(LAYER).digest()
    return time.perf_counter() - began


def _measure_packages(platform: Platform) -> Ratio:
    few = _time_packages(platform, "few", FEW) / FEW
    many = _time_packages(platform, "many", MANY) / MANY
    detail = f"{many * 1e6:.0f} vs {few * 1e6:.0f} µs"
    return Ratio("publication of 1,000 packages, vs 100, per package", many / few, 1.5, detail=detail)


def _time_packages(platform: Platform, name: str, count: int) -> float:
    began = time.perf_counter()
    for number in range(count):
        request = Request("PUT", f"{PACKAGES}/{name}/1.0.{number}/file.txt", "", HEADERS, orjson.dumps(number))
        answer = platform.handle(request)
        if answer.status != 201:
            raise RuntimeError(answer.body.decode())
    return time.perf_counter() - began


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"
