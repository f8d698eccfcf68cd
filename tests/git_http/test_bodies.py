"""Bodies as git sends them over a socket: gzipped, in chunks; and as nobody should."""

import gzip
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from fakeplat.harness.fake import Fakeplat

FLUSH = b"0000"
UPLOAD, RECEIVE = "/acme/docs.git/git-upload-pack", "/acme/docs.git/git-receive-pack"


def post(fake: Fakeplat, path: str, body: bytes | Iterable[bytes], encoding: str = "") -> tuple[int, bytes]:
    """An iterable goes in chunks."""
    connection = HTTPConnection(urlsplit(fake.url).netloc, timeout=20)
    headers = {"Authorization": f"Basic {b64encode(b'ada:ada-token').decode()}"}
    headers |= {"Content-Encoding": encoding} if encoding else {}
    try:
        connection.request("POST", path, body=body, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def build_fetch(fake: Fakeplat) -> bytes:
    """A request for all of the default branch."""
    branch = fake.as_user("ada").get("projects/acme%2Fdocs/repository/branches/master").json()
    return f"0032want {branch['commit']['id']}\n00000009done\n".encode()


def split_by_sevens(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), 7):
        yield body[start : start + 7]


def test_gzipped_bodies_and_chunks_are_understood(fakeplat: Fakeplat) -> None:
    """Gzipped and chunked requests get the same pack as plain ones."""
    plain = build_fetch(fakeplat)
    status, pack = post(fakeplat, UPLOAD, plain)
    assert (200, b"0008NAK\nPACK") == (status, pack[:12])
    packed = gzip.compress(plain)
    assert (200, pack) == post(fakeplat, UPLOAD, split_by_sevens(plain))
    assert (200, pack) == post(fakeplat, UPLOAD, packed, "gzip")
    assert (200, pack) == post(fakeplat, UPLOAD, split_by_sevens(packed), "gzip")


BROKEN = [
    ("no gzip", b"0000", "gzip"),
    ("cut off", gzip.compress(b"0032want " + b"a" * 40 + b"\n", mtime=0)[:-14], "gzip"),
    ("gzip without a word of it", gzip.compress(FLUSH, mtime=0), ""),
    ("an encoding that nobody knows", FLUSH[:3], "zebra"),
]


@pytest.mark.parametrize("path", [UPLOAD, RECEIVE])
@pytest.mark.parametrize(("body", "encoding"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_broken_bodies_are_refused(fakeplat: Fakeplat, path: str, body: bytes, encoding: str) -> None:
    """A broken body gets 400 and changes nothing, and the server goes on."""
    before = fakeplat.bench.platform.state
    assert 400 == post(fakeplat, path, body, encoding)[0]
    assert before is fakeplat.bench.platform.state
    assert 200 == post(fakeplat, UPLOAD, FLUSH)[0]


def test_a_small_body_that_grows_without_end_is_refused(fakeplat: Fakeplat) -> None:
    """A small gzipped body that inflates beyond the limit gets 413."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    body = b"".join([*(packer.compress(bytes(1 << 20)) for _ in range(300)), packer.flush()])
    assert 413 == post(fakeplat, RECEIVE, body, "gzip")[0]
    assert 200 == post(fakeplat, UPLOAD, FLUSH)[0]
