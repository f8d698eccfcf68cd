"""Damaged files and messages of every format that clients send, and what reads each of them.

A target gets bytes and fails only with an error of ours: a bug behind an answer, an exception that callers do not
expect, or a hang, which the time of a run shows.
"""

from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import orjson

from fakeplat.core.operations.http_messages import Request
from fakeplat.domain.repository.repositories import open_repository
from fakeplat.git import packs
from fakeplat.git.name_checks import ZERO_SHA
from fakeplat.git.pktline import FLUSH, encode_line
from fakeplat.git.reachability import list_reachable
from fakeplat.http.request_parser import Limits, RequestParser
from fakeplat.platform import Platform, Snapshot
from fakeplat.scenario.errors import ScenarioError
from fakeplat.scenario.parsing import parse as parse_scenario
from fakeplat.tape.formats.har import from_har
from fakeplat.tape.formats.tape import InvalidTape
from fakeplat.tape.formats.tape import parse as parse_tape
from fakeplat.tape.formats.vcr import from_cassette
from tests.api.chart_files import CHART, pack
from tests.api.deb_files import build_deb
from tests.api.nuget_files import archive, nuspec
from tests.api.package_files import multipart, npm_document
from tests.api.test_rubygems import METADATA, build_gem
from tests.architecture.sources import ROOT
from tests.cli.commands import fakeplat as run_fakeplat
from tests.fuzz.session import create_full_platform
from tests.scenario.worlds import create_platform

SITE: Final = "/api/v4/projects/5001"
WORDS: Final = (
    *(b"\0", b"\xff", b"\r\n", b"\n\n", b"{", b"}", b"[" * 2_000, b"]", b'"', b":", b"- ", b"&a ", b"*a"),
    *(b"9" * 400, b"-1", b"1e999", b"NaN", b"null", b"true", b"${A}", b"$[[ inputs.a ]]", b"%00", b"../"),
    *(b"!!python/object:os", b"<!ENTITY a 'b'>"),
    *("é".encode(), "\u202e".encode(), b"gid://gitlab/Issue/1", b"0000", b"ffff", b"PACK", b"\x1f\x8b", b"PK\x03\x04"),
)
IMAGE: Final = "acme/site/web"
CONFIG: Final = b"{}"
LAYER: Final = b"layer"
OCI: Final = "application/vnd.oci.image.manifest.v1+json"


class Target(NamedTuple):
    """A format: valid contents, and what reads it."""

    seeds: Sequence[bytes]
    read: Callable[[bytes], None]


def damage(content: bytes, random: Random) -> bytes:
    """Return content with one to four changes: bytes changed, left out, repeated or moved, or words put in."""
    changed = bytearray(content)
    for _ in range(random.randrange(1, 5)):
        at = random.randrange(len(changed) + 1)
        match random.randrange(6):
            case 0:
                changed[at : at + 1] = random.randbytes(1)
            case 1:
                del changed[at : at + random.randrange(1, 20)]
            case 2:
                changed[at:at] = random.choice(WORDS)
            case 3:
                changed[at:at] = changed[at : at + random.randrange(1, 40)] * random.choice((1, 2, 50))
            case 4:
                changed[at : at + random.randrange(1, 9)] = random.choice(WORDS)
            case _:
                del changed[at : None if random.random() < 0.3 else at + 1]
    return bytes(changed)


# What is sent to a world


@cache
def get_world() -> tuple[Platform, Snapshot]:
    """Return a full world with the blobs of an image, whose feature of gems is on, and its snapshot."""
    platform = create_full_platform("19.3")
    platform.handle(Request("POST", "/api/v4/features/rubygem_packages", "value=true", {"private-token": "root-token"}))
    for content in (CONFIG, LAYER):
        query, headers = f"digest={digest_of(content)}", {"authorization": get_bearer(platform)}
        assert 201 == platform.handle(Request("POST", f"/v2/{IMAGE}/blobs/uploads", query, headers, content)).status
    return platform, platform.snapshot()


def get_bearer(platform: Platform) -> str:
    """Return the credentials with which the administrator pushes an image."""
    query = f"service=container_registry&scope=repository:{IMAGE}:pull,push"
    granted = platform.handle(Request("GET", "/jwt/auth", query, {"authorization": basic("root")}))
    return f"Bearer {orjson.loads(granted.body)['token']}"


def get_alert_key(platform: Platform) -> str:
    """Return the credentials with which a monitoring tool sends alerts."""
    services = platform.view.services.all()
    return f"Bearer {next(row.properties['token'] for row in services if row.slug == 'alerts')}"


def digest_of(content: bytes) -> str:
    return f"sha256:{sha256(content).hexdigest()}"


def send(method: str, path: str, body: bytes, content_type: str = "application/json", **headers: str) -> None:
    """Send a request to a world as it was at first; fail if it meets a bug."""
    platform, start = get_world()
    platform.restore(start)
    target, _, query = path.partition("?")
    sent = {"content-type": content_type, "private-token": "root-token", **headers}
    response = platform.handle(Request(method, target, query, sent, body))
    # What goes on in the background, such as an import, is done.
    platform.advance(5_000)
    failures = [*platform.failures]
    platform.failures.clear()
    assert [] == failures
    assert response.status < 500


Wrap = Callable[[bytes], bytes]


def keep(content: bytes) -> bytes:
    return content


def body(
    method: str, path: str, content_type: str = "application/json", wrap: Wrap = keep, authorization: str = ""
) -> Callable[[bytes], None]:
    """Return what sends content as a body; ``wrap`` puts it into an archive or a document before."""
    headers = {"authorization": authorization} if authorization else {}
    return lambda content: send(method, path, wrap(content), content_type, **headers)


def upload(method: str, target: str, field: str, wrap: Wrap = keep, /, **fields: str) -> Callable[[bytes], None]:
    """Return what sends content as a file of a form."""

    def read(content: bytes) -> None:
        form = multipart(fields, (field, "file.tar.gz", wrap(content)))
        send(method, target, form["data"], form["headers"]["Content-Type"])

    return read


def as_text(name: str, **others: object) -> Wrap:
    """Return what makes content a text in a JSON object."""
    return lambda content: orjson.dumps({name: content.decode("utf-8", "replace"), **others})


def basic(name: str) -> str:
    return f"Basic {b64encode(f'{name}:{name}-token'.encode()).decode()}"


def build_git_requests() -> tuple[bytes, bytes]:
    """Return a push of all commits to a new branch, and a fetch of them."""
    world = create_platform("starter").view
    repository = open_repository(world, world.projects[5001])
    head = repository.resolve("HEAD")
    push = [encode_line(f"{ZERO_SHA} {head} refs/heads/x\0 report-status side-band-64k"), FLUSH]
    push += packs.write_pack(repository.objects, list_reachable(repository.objects, [head]))
    fetch = [encode_line(f"want {head} multi_ack_detailed side-band-64k ofs-delta\n"), FLUSH, encode_line("done\n")]
    return b"".join(push), b"".join(fetch)


# What is read without a world


def read_http(content: bytes) -> None:
    parser = RequestParser(Limits(body=1000, line=100))
    parser.feed(content)
    parser.close()
    list(parser.complete)


def read_scenario(content: bytes) -> None:
    with suppress(ScenarioError):
        document = parse_scenario(content, ".yaml")
        if isinstance(document, dict):
            create_platform(document)


def read_tape(content: bytes) -> None:
    with suppress(InvalidTape):
        parse_tape(content)


def run_bundle(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "bundle.json")
        file.write_bytes(content)
        assert run_fakeplat("bundle", "run", file).returncode in {0, 1, 2}


def read_har(content: bytes) -> None:
    with suppress(InvalidTape):
        from_har(content)


def read_cassette(content: bytes) -> None:
    with suppress(InvalidTape):
        from_cassette(content)


REQUEST: Final = (
    b"POST /a%2Fb?x=1 HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3\r\nabc\r\n0\r\n\r\n"
    b"GET / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcDELETE /c HTTP/1.0\r\n\r\n"
)
CI: Final = b"""\
spec: {inputs: {a: {default: b, options: [b, c]}}}
---
stages: [build, test]
.base: &base {script: [echo $[[ inputs.a ]]], retry: {max: 2, when: script_failure}}
build:
  <<: *base
  stage: build
  parallel: {matrix: [{A: [b, c]}]}
  rules: [{if: '$A =~ /bc/ && $B == null', when: manual}]
test:
  extends: .base
  needs: [{job: build, artifacts: true}]
  variables: {A: {value: b, expand: false}}
  artifacts: {paths: [a]}
"""
QUERY: Final = (
    b'query A($a: ID!, $b: [String!] = ["c"]) { project(fullPath: $a) { ...F '
    b"issues(first: 2, labelName: $b) { nodes { id } } } }"
    b" fragment F on Project { id name @include(if: true) }"
)
MANIFEST: Final = orjson.dumps(
    {
        "schemaVersion": 2,
        "mediaType": OCI,
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": digest_of(CONFIG), "size": 2},
        "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar", "digest": digest_of(LAYER), "size": 5}],
        "annotations": {"a": "b"},
    }
)
SCENARIO: Final = b"""\
extends: starter
clock: {start: 2020-11-20T09:00:00Z}
users: [{username: zoe, name: Zoe, tokens: [zoe-token]}]
projects:
  - path_with_namespace: acme/site
    issues: [{title: New, author: zoe, labels: [bug], notes: [{author: ada, body: Hm}]}]
    pipelines: [{ref: master, status: success, jobs: [{name: test, status: success, log: x}]}]
generate: [{into: acme/site, issues: 3}]
"""
POSTED: Final = {"mimeType": "multipart/form-data; boundary=A", "params": [{"name": "a", "value": "b"}]}
HAR_REQUEST: Final = {
    "method": "POST",
    "url": "http://x.test/api/v4/user?a=b",
    "headers": [{"name": "A", "value": "b"}],
}
HAR_CONTENT: Final = {"mimeType": "text/plain", "text": "YQ==", "encoding": "base64"}
HAR_ENTRY: Final = {
    "startedDateTime": "2020-11-20T10:00:00.000+01:00",
    "time": 12.5,
    "request": {**HAR_REQUEST, "postData": POSTED},
    "response": {"status": 200, "headers": [], "content": HAR_CONTENT},
}
HAR: Final = orjson.dumps({"log": {"version": "1.2", "entries": [HAR_ENTRY]}})
CASSETTE: Final = b"""\
interactions:
- request: {body: a=b, headers: {Accept: ['*/*']}, method: GET, uri: 'http://x.test/api/v4/user'}
  response:
    body: {string: '{"id": 1}'}
    headers: {Content-Type: [application/json], Content-Encoding: [gzip]}
    status: {code: 200, message: OK}
version: 1
"""
ALERT: Final = b'{"title": "Down", "start_time": "2020-11-20", "severity": "high", "payload": {"a": [{"b": 1}]}}'
TEXT: Final = (
    b"# A\n\n- [ ] b #1 !9 @dev ~bug\n\n```ruby\nx\n```\n\n/close\n/label ~bug\n/due in 2 days\n/estimate 1d 2h\n"
    b"|a|\n|-|\n|b|\n"
)
FORM: Final = multipart({"a": "b", "title": "c"}, ("file", "a.txt", b"x"))
FIELDS: Final = b"a[]=1&title=b&labels[]=c&not[a]=d&created_at=2020-11-20"
STATE: Final = b'{"version": 4, "serial": 7, "lineage": "a"}'
ISSUES: Final = orjson.dumps(
    {
        "iid": 1,
        "title": "a",
        "author_id": 1,
        "notes": [{"note": "b", "created_at": "2020-11-20"}],
        "label_links": [{"label": {"title": "c"}}],
    }
)


@cache
def get_targets() -> dict[str, Target]:
    """Return the formats by their names."""
    push, fetch = build_git_requests()
    tape = (ROOT / "tests/tapes/python-gitlab.tape").read_bytes()[:6_000]
    bundle = (ROOT / "tests/packaging/data/0.1.0/bundle.json").read_bytes()
    git = "application/x-git-%s-pack-request"
    platform, _ = get_world()
    return {
        "http": Target([REQUEST], read_http),
        "form": Target([FORM["data"]], body("POST", f"{SITE}/issues", FORM["headers"]["Content-Type"])),
        "query": Target([FIELDS], body("POST", f"{SITE}/issues", "application/x-www-form-urlencoded")),
        "push": Target([push], body("POST", f"{REPOSITORY}/git-receive-pack", git % "receive", authorization=LOGIN)),
        "fetch": Target([fetch], body("POST", f"{REPOSITORY}/git-upload-pack", git % "upload", authorization=LOGIN)),
        "ci": Target([CI], body("POST", f"{SITE}/ci/lint", wrap=as_text("content"))),
        "text": Target([TEXT], body("POST", f"{SITE}/issues", wrap=as_text("description", title="a"))),
        "graphql": Target([QUERY], body("POST", "/api/graphql", wrap=as_text("query", variables={"a": "acme/site"}))),
        "manifest": Target(
            [MANIFEST], body("PUT", f"/v2/{IMAGE}/manifests/v9", OCI, authorization=get_bearer(platform))
        ),
        "scenario": Target([SCENARIO], read_scenario),
        "bundle": Target([bundle], run_bundle),
        "tape": Target([tape], read_tape),
        "har": Target([HAR], read_har),
        "cassette": Target([CASSETTE], read_cassette),
        "alert": Target([ALERT], body("POST", "/acme/site/alerts/notify.json", authorization=get_alert_key(platform))),
        "terraform": Target([STATE], body("POST", f"{SITE}/terraform/state/new")),
        "npm": Target([orjson.dumps(npm_document("@acme/site", "2.0.0"))], body("PUT", f"{PACKAGES}/npm/@acme%2fsite")),
        "nuspec": Target([nuspec().encode()], upload("PUT", f"{PACKAGES}/nuget", "package", pack_nuspec)),
        "nupkg": Target([pack_nuspec(nuspec().encode())], upload("PUT", f"{PACKAGES}/nuget", "package")),
        "chart": Target([CHART_FILE], upload("POST", f"{PACKAGES}/helm/api/stable/charts", "chart", pack_chart)),
        "tgz": Target([pack_chart(CHART_FILE)], upload("POST", f"{PACKAGES}/helm/api/stable/charts", "chart")),
        "deb": Target([build_deb(""), build_deb("gz")], body("PUT", f"{PACKAGES}/debian/{DEB}")),
        "gemspec": Target([METADATA.encode()], body("POST", f"{PACKAGES}/rubygems/api/v1/gems", wrap=pack_gem)),
        "gem": Target([build_gem()], body("POST", f"{PACKAGES}/rubygems/api/v1/gems")),
        "tree": Target([ISSUES], upload("POST", "/api/v4/projects/import", "file", pack_tree, **COPY)),
        "export": Target([pack_tree(ISSUES)], upload("POST", "/api/v4/projects/import", "file", **COPY)),
    }


PACKAGES: Final = f"{SITE}/packages"
LOGIN: Final = basic("root")
REPOSITORY: Final = "/acme/site.git"
COPY: Final = {"path": "copy", "namespace": "acme"}
DEB: Final = "hello_1.0-1_amd64.deb?distribution=sid&component=main"
CHART_FILE: Final = CHART.format(name="web", version="1.0.0").encode()


def pack_nuspec(content: bytes) -> bytes:
    return archive({"Acme.Tool.nuspec": content})


def pack_chart(content: bytes) -> bytes:
    return pack({"web/Chart.yaml": content})


def pack_gem(content: bytes) -> bytes:
    return build_gem(metadata=content.decode("utf-8", "replace"))


def pack_tree(content: bytes) -> bytes:
    files = {"VERSION": b"0.2.4", "tree/project.json": b'{"description": "a"}'}
    return pack({**files, "tree/project/issues.ndjson": content})
