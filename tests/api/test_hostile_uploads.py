"""What hostile clients send to the registries of packages and images: nothing of it is a bug, and nothing is stored."""

import bz2
import gzip
import lzma
import socket
import tarfile
from collections.abc import Mapping
from io import BytesIO
from typing import Final
from urllib.parse import quote, urlsplit
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
import requests

from fakeplat.domain.packages import deb_files as domain_deb_files
from fakeplat.domain.packages import nuspec, packed_files
from fakeplat.harness.fake import Fakeplat
from tests.api import nuget_files
from tests.api.deb_files import pack_members
from tests.api.package_files import SITE, multipart, npm_document, project_id
from tests.api.test_image_distribution import CONFIG, IMAGE, LAYER, Images, build_manifest, describe, digest
from tests.api.test_image_distribution import SITE as IMAGES_OF_SITE

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual")
SMALL: Final = 100_000
"""The limit of decompressed content in these tests, in place of 64 MiB."""
ZEROS: Final = bytes(SMALL * 20)
ALIASES: Final = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [*{before}, *{before}, *{before}, *{before}, *{before}, *{before}, *{before}, *{before}]\n"
    for before, after in zip("abcdefghi", "bcdefghij", strict=True)
)
LAUGHS: Final = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {after} "{f"&{before};" * 10}">' for before, after in zip("abcdefgh", "bcdefghi", strict=True))
    + "]><package><metadata><id>&i;</id></metadata></package>"
)


@pytest.fixture(autouse=True)
def _world(fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small limits, and the features of the formats that are off by default."""
    monkeypatch.setattr(packed_files, "LIMIT", SMALL)
    monkeypatch.setattr(domain_deb_files, "LIMIT", SMALL)
    monkeypatch.setattr(nuspec, "_MAX_NUSPEC", SMALL)
    for name in ("rubygem_packages", "debian_packages"):
        fakeplat.as_user("root").post(f"features/{name}", json={"value": "true"})


def tar(files: Mapping[str, bytes], mode: str = "w", size: int | None = None) -> bytes:
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, BytesIO(content))
    data = bytearray(buffer.getvalue())
    if size is not None:
        # A head that lies about the size of what follows.
        data[124:136] = b"%011o\0" % size
        data[148:156] = b"        "
        data[148:156] = b"%06o\0 " % sum(data[:512])
    return bytes(data)


def zip_bomb(name: str, content: bytes) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


def deb(name: str, control: bytes) -> bytes:
    return pack_members({"debian-binary": b"2.0\n", name: control})


HELM = f"{SITE}/packages/helm/api/stable/charts"
GEMS = f"{SITE}/packages/rubygems/api/v1/gems"
CHARTS: Final = {
    "gzip bomb": gzip.compress(ZEROS),
    "tar bomb": gzip.compress(tar({"app/Chart.yaml": ZEROS[: SMALL - 2048]})),
    "alias bomb": gzip.compress(tar({"app/Chart.yaml": ALIASES.encode()})),
    "deep": gzip.compress(tar({"app/Chart.yaml": b"[" * 20_000})),
    "lying size": gzip.compress(tar({"app/x": b"x", "app/Chart.yaml": b"name: x"}, size=8**11 - 1)),
    "traversal": gzip.compress(
        tar({"../../app/Chart.yaml": b"apiVersion: v2\nname: ../../etc/passwd\nversion: 1.0.0"})
    ),
    "not in UTF-8": gzip.compress(tar({"app/Chart.yaml": b"name: \xff"})),
    "cut off": gzip.compress(tar({"app/Chart.yaml": b"name: x"}))[:-20],
}
GEM_FILES: Final = {
    "gzip bomb": tar({"metadata.gz": gzip.compress(ZEROS)}),
    "alias bomb": tar({"metadata.gz": gzip.compress(ALIASES.encode())}),
    "traversal": tar({"metadata.gz": gzip.compress(b"name: ../../x\nversion: {version: 1.0.0}\n")}),
    "lying size": tar({"x": b"x", "metadata.gz": b""}, size=8**11 - 1),
    "program": tar({"metadata.gz": gzip.compress(b"--- !ruby/object:Kernel\nsystem: id\n")}),
    "deep": tar({"metadata.gz": gzip.compress(b"{" * 20_000)}),
}
NUGETS: Final = {
    "zip bomb": zip_bomb("a.nuspec", ZEROS),
    "laughs": nuget_files.archive({"a.nuspec": LAUGHS}),
    "external entity": nuget_files.archive(
        {
            "a.nuspec": '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><package><metadata><id>&e;</id></metadata></package>'
        }
    ),
    "deep": nuget_files.archive({"a.nuspec": "<a>" * 30_000}),
    "traversal": nuget_files.nupkg("../../etc/passwd"),
    "cut off": nuget_files.nupkg()[:-30],
}
DEBS: Final = {
    "gzip bomb": deb("control.tar.gz", gzip.compress(ZEROS)),
    "xz bomb": deb("control.tar.xz", lzma.compress(ZEROS)),
    "bzip2": deb("control.tar.bz2", bz2.compress(ZEROS)),
    "lying size": deb("control.tar", tar({"x": b"x", "./control": b"Package: x"}, size=8**11 - 1)),
    "endless member": b"!<arch>\n" + b"control.tar     0           0     0     100644  9999999999`\n" + b"x",
}


def upload(fake: Fakeplat, kind: str, content: bytes) -> int:
    dev = fake.as_user("dev")
    if kind == "helm":
        return int(dev.post(HELM, **multipart({}, ("chart", "app.tgz", content))).status)
    if kind == "gem":
        return int(dev.post(GEMS, data=content).status)
    if kind == "debian":
        return int(
            dev.put(f"{SITE}/packages/debian/a_1.0_amd64.deb?distribution=sid&component=main", data=content).status
        )
    return int(nuget_files.publish(fake, project_id(fake, SITE), content).status)


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        pytest.param(kind, content, id=f"{kind}, {name}")
        for kind, files in {"helm": CHARTS, "gem": GEM_FILES, "nuget": NUGETS, "debian": DEBS}.items()
        for name, content in files.items()
    ],
)
def test_bombs_and_broken_archives_publish_nothing(fakeplat: Fakeplat, kind: str, content: bytes) -> None:
    """An archive that unpacks to too much, lies or leads elsewhere is no package, and the server goes on."""
    if kind == "debian":
        fakeplat.as_user("mia").post(f"{SITE}/debian_distributions", json={"codename": "sid"})
    assert upload(fakeplat, kind, content) in (201, 400, 422)
    fakeplat.settle()
    listed = fakeplat.as_user("dev").get(f"{SITE}/packages").json()
    assert [] == [row["name"] for row in listed if row["status"] == "default"]
    assert [] == fakeplat.bench.platform.failures


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "a/../../b", "a\0b", "a\nb", "..\\..\\x", "%2e%2e%2fx"],
    ids=["path", "root", "inside", "null", "line", "backslashes", "encoded"],
)
def test_names_that_lead_elsewhere_are_refused(fakeplat: Fakeplat, name: str) -> None:
    """The names of packages and files are names: what leads out of its folder is refused or not found."""
    dev, encoded = fakeplat.as_user("dev"), quote(name, safe="")
    replies = [
        dev.put(f"{SITE}/packages/generic/{encoded}/1.0.0/file.txt", data=b"x"),
        dev.put(f"{SITE}/packages/maven/org/{encoded}/1.0/app%2F..%2F..%2Fx.jar", data=b"x"),
        dev.put(f"{SITE}/packages/npm/{encoded}", json=npm_document(name, "1.0.0")),
        dev.put(f"{SITE}/packages/terraform/modules/{encoded}/aws/1.0.0/file", data=b"x"),
        dev.put(f"{SITE}/packages/debian/{encoded}", data=b"x"),
        dev.get(f"{SITE}/packages/rubygems/gems/{encoded}"),
        dev.get(f"{SITE}/packages/helm/stable/charts/{encoded}.tgz"),
        dev.get(f"{SITE}/packages/pypi/files/{'0' * 64}/{encoded}"),
    ]
    assert set() == {reply.status for reply in replies} - {400, 403, 404, 405, 422}
    assert [] == fakeplat.bench.platform.failures


# Conan

CONAN: Final = f"{SITE}/packages/conan/v1"
RECIPE: Final = "hello/0.1/acme+site/stable"
CONAN_ARCHIVES: Final = {
    "gzip bomb": gzip.compress(ZEROS),
    "tar bomb": gzip.compress(tar({"hello.h": ZEROS})),
    "traversal": gzip.compress(tar({"../../etc/passwd": b"root"})),
    "lying size": gzip.compress(tar({"x": b"x"}, size=8**11 - 1)),
    "cut off": gzip.compress(tar({"x": b"x"}))[:-20],
    "nothing packed": b"\xff" * 100,
}
CONAN_INFOS: Final = {
    "not in UTF-8": b"[settings]\nos=\xff\n",
    "packed": gzip.compress(ZEROS),
    "many brackets": b"[" * 200_000,
    "long name": b"[" + b"x" * 200_000 + b"]\n",
    "long key": b"[settings]\n" + b"x" * 200_000,
    "two kinds": b"[settings]\nos=Linux\nos\n",
    "two digests": b"[recipe_hash]\na\nb\n",
    "null bytes": b"[settings]\n\0=\0\n",
    "of another": b"[settings]\n__proto__=x\n[__class__]\nx=y\n",
}


def list_conan_files(fake: Fakeplat) -> list[bytes]:
    return [file.content for file in fake.bench.platform.view.package_files.all()]


@pytest.mark.parametrize("name", CONAN_ARCHIVES)
def test_archives_of_conan_stay_packed(fakeplat: Fakeplat, name: str) -> None:
    """The platform never unpacks the archives of Conan: each is stored and downloaded as it was sent."""
    dev, content = fakeplat.as_user("dev"), CONAN_ARCHIVES[name]
    paths = [
        f"{CONAN}/files/{RECIPE}/0/{place}"
        for place in ("export/conan_export.tgz", "export/conan_sources.tgz", "package/abc123/0/conan_package.tgz")
    ]
    assert [200] * 3 == [dev.put(path, data=content).status for path in paths]
    assert [content] * 3 == [dev.get(path).content for path in paths]
    assert ([content] * 3, []) == (list_conan_files(fakeplat), fakeplat.bench.platform.failures)


@pytest.mark.parametrize("name", CONAN_INFOS)
def test_broken_descriptions_of_binary_packages(fakeplat: Fakeplat, name: str) -> None:
    """A file that describes no settings is stored as it is, and the search of the recipe still finds its package."""
    dev, content = fakeplat.as_user("dev"), CONAN_INFOS[name]
    path = f"{CONAN}/files/{RECIPE}/0/package/abc123/0/conaninfo.txt"
    assert 200 == dev.put(path, data=content).status
    reply = dev.get(f"{CONAN}/conans/{RECIPE}/search")
    assert (200, {"abc123"}) == (reply.status, set(reply.json()))
    assert (content, []) == (dev.get(path).content, fakeplat.bench.platform.failures)


@pytest.mark.parametrize(
    "path",
    [
        "0/export/..%2F..%2Fconanfile.py",
        "0/export/conan_package.tgz%00",
        "0/package/..%2F..%2Fx/0/conan_package.tgz",
        "0/package/a%0Ab/0/conan_package.tgz",
        "..%2F0/export/conanfile.py",
        "0/package/abc123/..%2F0/conan_package.tgz",
    ],
)
def test_files_of_conan_have_known_names(fakeplat: Fakeplat, path: str) -> None:
    """Names, references and revisions that lead elsewhere are refused, and no file is stored."""
    reply = fakeplat.as_user("dev").put(f"{CONAN}/files/{RECIPE}/{path}", data=CONAN_ARCHIVES["gzip bomb"])
    assert reply.status in (400, 404, 405)
    assert ([], []) == (list_conan_files(fakeplat), fakeplat.bench.platform.failures)


def test_archives_of_conan_are_limited(fakeplat: Fakeplat) -> None:
    """An archive of Conan that is larger than the plan allows is refused, however small it would unpack."""
    fakeplat.as_user("root").put("application/plan_limits", json={"plan_name": "default", "conan_max_file_size": 10})
    reply = fakeplat.as_user("dev").put(f"{CONAN}/files/{RECIPE}/0/export/conan_export.tgz", data=bytes(11))
    assert (400, {"message": "400 Bad request - File is too large"}) == (reply.status, reply.json())
    assert ([], []) == (list_conan_files(fakeplat), fakeplat.bench.platform.failures)


# Images


@pytest.mark.parametrize(
    "wrong",
    [
        "sha256:" + "A" * 64,
        "sha256:../../etc/passwd",
        "sha256:" + "0" * 63,
        "md5:" + "0" * 32,
        "sha256:" + "é" * 64,
        "sha256:" + "0" * 100_000,
        "sha512:" + "0" * 64,
        ":",
    ],
    ids=["upper case", "path", "short", "md5", "letters", "long", "length of another", "empty"],
)
def test_digests_that_are_none_are_refused(fakeplat: Fakeplat, wrong: str) -> None:
    """A digest that is none is refused or unknown wherever it can be named, and nothing is stored."""
    images, encoded = Images.of(fakeplat), quote(wrong, safe=":")
    replies = [
        images("POST", f"blobs/uploads/?digest={encoded}", data=LAYER),
        images("GET", f"blobs/{encoded}"),
        images("DELETE", f"blobs/{encoded}"),
        images("GET", f"manifests/{encoded}"),
        images("GET", f"referrers/{encoded}"),
        images.put(encoded, build_manifest()),
        images.put("v1", build_manifest().replace(digest(LAYER).encode(), wrong.encode())),
    ]
    assert set() == {reply.status_code for reply in replies} - {400, 404, 414, 431}
    view = fakeplat.bench.platform.view
    assert ([], [], []) == (list(view.image_blobs), list(view.image_manifests), fakeplat.bench.platform.failures)


@pytest.mark.parametrize(
    "text",
    ["bytes=5-2", "bytes=-0", f"bytes={10**40}-", "bytes=0-1,2-3", "bytes=a-b", "lines=0-1", "bytes=--1", "bytes=-"],
)
def test_ranges_that_are_none_are_refused(fakeplat: Fakeplat, text: str) -> None:
    """A part of a layer that does not exist is refused with 416."""
    images = Images.of(fakeplat)
    images.push()
    assert 416 == images("GET", f"blobs/{digest(LAYER)}", headers={"Range": text}).status_code
    assert [] == fakeplat.bench.platform.failures


@pytest.mark.parametrize("text", ["0-99", "5-1", f"0-{10**40}", "-1-4", "x", "1-5"])
def test_parts_that_do_not_follow_are_refused(fakeplat: Fakeplat, text: str) -> None:
    """A part of an upload whose range is not that of its content, or not the next, is refused with 416."""
    images = Images.of(fakeplat)
    location = images("POST", "blobs/uploads/").headers["Location"]
    assert 416 == images("PATCH", location, data=LAYER, headers={"Content-Range": text}).status_code
    assert "0-0" == images("GET", location).headers["Range"]


def manifests() -> dict[str, bytes]:
    layer = describe(LAYER, "application/vnd.oci.image.layer.v1.tar")
    return {
        "too large": build_manifest(annotations={"x": "x" * (4 * 1024 * 1024)}),
        "deep": b"[" * 100_000 + b"]" * 100_000,
        "negative size": build_manifest().replace(b'"size": 5', b'"size": -5'),
        "no number": build_manifest().replace(b'"size": 5', b'"size": true'),
        "huge size": build_manifest().replace(b'"size": 5', b'"size": ' + b"9" * 40),
        "no layers": build_manifest().replace(b'"layers": [', b'"layers": {"a": [').replace(b"]}", b"]}}"),
        "layers of itself": build_manifest(layers=[layer, [layer]]),
        "not in UTF-8": b'{"schemaVersion": 2, "x": "\xff"}',
        "a number": b"2",
        "nothing": b"",
    }


@pytest.mark.parametrize("name", manifests())
def test_manifests_that_are_none_are_refused(fakeplat: Fakeplat, name: str) -> None:
    """A manifest that is too large or malformed is refused with 400, and the tag does not exist."""
    images = Images.of(fakeplat)
    for blob in (CONFIG, LAYER):
        images.upload(blob)
    reply = images.put("v1", manifests()[name])
    assert (400, "MANIFEST_INVALID") == (reply.status_code, reply.json()["errors"][0]["code"])
    assert 404 == images("GET", "manifests/v1").status_code
    assert [] == fakeplat.bench.platform.failures


@pytest.mark.parametrize("query", ["n=-1", "n=x", f"n={10**40}", "n=0", "last=%00", "n=1&last=" + "x" * 5_000])
def test_pages_that_are_none(fakeplat: Fakeplat, query: str) -> None:
    """A size of a page that is no number is refused, any other gives a page."""
    images = Images.of(fakeplat)
    images.push()
    assert images("GET", f"tags/list?{query}").status_code in (200, 400)
    assert [] == fakeplat.bench.platform.failures


def test_slow_uploads_hold_nobody_up(fakeplat: Fakeplat) -> None:
    """While clients send a layer byte by byte, or stop in the middle, others are served; nothing of them stays."""
    images = Images.of(fakeplat)
    address = urlsplit(fakeplat.url)
    head = (
        f"POST /v2/{IMAGES_OF_SITE}/blobs/uploads/?digest={digest(LAYER)} HTTP/1.1\r\nHost: {address.netloc}\r\n"
        f"Authorization: Bearer {images.token}\r\nContent-Length: 1000000\r\n\r\nx"
    )
    slow = [socket.create_connection((address.hostname or "", address.port or 0)) for _ in range(50)]
    for connection in slow:
        connection.sendall(head.encode())
    assert (
        201
        == requests.post(
            f"{fakeplat.url}/v2/{IMAGES_OF_SITE}/blobs/uploads/?digest={digest(CONFIG)}",
            data=CONFIG,
            headers={"Authorization": f"Bearer {images.token}"},
            timeout=10,
        ).status_code
    )
    for connection in slow:
        connection.close()
    view = fakeplat.bench.platform.view
    assert ([digest(CONFIG)], []) == ([blob.digest for blob in view.image_blobs], list(view.blob_uploads))


def test_a_manifest_may_have_any_name_of_a_tag_only(fakeplat: Fakeplat) -> None:
    """A tag is a name of up to 128 letters, digits, dots and hyphens."""
    images = Images.of(fakeplat)
    images.push()
    for name in ("x" * 129, "-x", ".x", "a b", "é", "a%00b", "..%2Fx"):
        assert images.put(quote(name, safe="%"), build_manifest(), IMAGE).status_code in (400, 404)
    assert ["v1"] == images("GET", "tags/list").json()["tags"]
