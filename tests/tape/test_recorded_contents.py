"""Images and packages on tapes and in bundles: their contents are binary, and replay answers them byte for byte."""

from base64 import b64encode
from pathlib import Path

import orjson
import pytest
import requests

from fakeplat.harness.bundle import create_bundle
from fakeplat.harness.fake import Fakeplat
from fakeplat.tape.record.platform_recorder import record_platform
from fakeplat.tape.record.recorder import TapeFile
from tests.api.images import START
from tests.api.package_files import SITE, npm_document
from tests.api.test_image_distribution import CONFIG, Images, build_manifest, digest
from tests.api.test_image_distribution import SITE as IMAGES_OF_SITE
from tests.cli.commands import fakeplat as run_fakeplat
from tests.cli.test_tape_commands import run_command

pytestmark = pytest.mark.fakeplat(clock="virtual", start=START)
LAYER = bytes(range(256)) * 40
"""Each byte, so that the content is no text in any encoding."""
FILE = b"\x1f\x8b\x00{" + LAYER[::-1]
MANIFEST = build_manifest(LAYER)
GENERIC = f"{SITE}/packages/generic/tools/1.0.0/tool.bin"
NPM = f"{SITE}/packages/npm"


def push(fake: Fakeplat) -> None:
    """Push an image, publish two packages, and fetch them all."""
    images, dev = Images.of(fake), fake.as_user("dev")
    for blob in (CONFIG, LAYER):
        images.upload(blob)
    assert 201 == images.put("v1", MANIFEST).status_code
    assert [MANIFEST, LAYER] == [images("GET", path).content for path in ("manifests/v1", f"blobs/{digest(LAYER)}")]
    assert 201 == dev.put(GENERIC, data=FILE).status
    assert 200 == dev.put(f"{NPM}/@acme%2fapp", json=npm_document("@acme/app", "1.0.0", FILE)).status
    assert [FILE] * 2 == [dev.get(path).content for path in (GENERIC, f"{NPM}/@acme/app/-/@acme/app-1.0.0.tgz")]


def test_recorded_contents_are_replayed(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A replayed tape takes the pushes of an image and of packages, and answers with the bytes that were recorded."""
    recorder = record_platform(fakeplat.bench.platform, TapeFile(tmp_path / "tape"), fakeplat.url, "starter")
    push(fakeplat)
    recorder.close()
    with run_command(tmp_path, "replay", tmp_path / "tape") as replay:
        url, registry = replay.ready["url"], f"{replay.ready['url']}/v2/{IMAGES_OF_SITE}"
        document = npm_document("@acme/app", "1.0.0", FILE)
        replies = [
            *(
                requests.post(f"{registry}/blobs/uploads/?digest={digest(blob)}", data=blob, timeout=30)
                for blob in (CONFIG, LAYER)
            ),
            requests.get(f"{registry}/manifests/v1", timeout=30),
            requests.get(f"{registry}/blobs/{digest(LAYER)}", timeout=30),
            requests.put(f"{url}/api/v4/{GENERIC}", data=FILE, timeout=30),
            requests.put(f"{url}/api/v4/{NPM}/@acme%2fapp", json=document, timeout=30),
            requests.get(f"{url}/api/v4/{GENERIC}", timeout=30),
            requests.get(f"{url}/api/v4/{NPM}/@acme/app/-/@acme/app-1.0.0.tgz", timeout=30),
        ]
        other = requests.put(f"{url}/api/v4/{GENERIC}", data=FILE[:-1], timeout=30)

    assert [201, 201, 200, 200, 201, 200, 200, 200] == [reply.status_code for reply in replies]
    assert [MANIFEST, LAYER, FILE, FILE] == [replies[number].content for number in (2, 3, 6, 7)]
    # One byte less is another push, which nobody recorded.
    assert 501 == other.status_code


def test_contents_in_bundles(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A bundle has each content that a test sent or got once, and its requests are answered as in the test."""
    push(fakeplat)
    bundle = tmp_path / "bundle.json"
    bundle.write_bytes(create_bundle(fakeplat, "test_contents"))
    contents = orjson.loads(bundle.read_bytes())["contents"]

    assert {digest(content): b64encode(content).decode() for content in (LAYER, FILE)} == contents
    assert 1 == bundle.read_bytes().count(b64encode(LAYER))
    result = run_fakeplat("bundle", "run", bundle)
    assert (0, "") == (result.returncode, result.stderr)


def test_a_bundle_without_a_content(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A bundle that lacks one of its contents is refused with the digest."""
    fakeplat.as_user("dev").put(GENERIC, data=FILE)
    document = orjson.loads(create_bundle(fakeplat, "test_contents"))
    bundle = tmp_path / "bundle.json"
    bundle.write_bytes(orjson.dumps({**document, "contents": {}}))
    result = run_fakeplat("bundle", "run", bundle)

    assert (2, f"fakeplat: {bundle}: has no content {digest(FILE)}\n") == (result.returncode, result.stderr)
