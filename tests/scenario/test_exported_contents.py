"""What was pushed and published survives the export of a world as a scenario, up to a limit."""

from typing import Any

import orjson
import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario import ScenarioError
from fakeplat.scenario.sections import serialization
from tests.api.package_files import SITE, npm_document
from tests.api.test_image_distribution import INDEX, LAYER, Images, build_index, build_manifest, digest
from tests.scenario.worlds import create_platform, reload_export

pytestmark = pytest.mark.fakeplat(clock="virtual")


def reopen(fake: Fakeplat, fakeplat_factory: Any) -> Fakeplat:
    """A world that begins with the export of another one, through JSON."""
    again: Fakeplat = fakeplat_factory(scenario=orjson.loads(orjson.dumps(fake.export())), clock="virtual")
    return again


def test_a_pushed_image_is_pulled_from_the_exported_world(fakeplat: Fakeplat, fakeplat_factory: Any) -> None:
    """Layers, manifest and tags of a pushed image are the same after an export, and so is the next export."""
    images = Images.of(fakeplat)
    manifest = images.push("v1")
    again = reopen(fakeplat, fakeplat_factory)
    pulled = Images.of(again)
    assert manifest == pulled("GET", "manifests/v1").content
    assert manifest == pulled("GET", f"manifests/{digest(manifest)}").content
    assert LAYER == pulled("GET", f"blobs/{digest(LAYER)}").content
    tags = [
        fake.as_user("mia").get("projects/acme%2Fsite/registry/repositories?tags=true").json()
        for fake in (fakeplat, again)
    ]
    assert [tag["name"] for tag in tags[0][0]["tags"]] == [tag["name"] for tag in tags[1][0]["tags"]]
    assert fakeplat.export()["projects"] == again.export()["projects"]


def test_indexes_and_what_belongs_to_images_survive(fakeplat: Fakeplat, fakeplat_factory: Any) -> None:
    """An index of images, and a manifest that belongs to another one, are stored in their order."""
    images = Images.of(fakeplat)
    manifest = images.push("v1")
    assert 201 == images.put("all", build_index(manifest), INDEX).status_code
    subject = {"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": digest(manifest), "size": 1}
    assert 201 == images.put("signature", build_manifest(subject=subject)).status_code
    pulled = Images.of(reopen(fakeplat, fakeplat_factory))
    assert build_index(manifest) == pulled("GET", "manifests/all").content
    assert 1 == len(pulled("GET", f"referrers/{digest(manifest)}").json()["manifests"])


def test_a_published_package_is_installed_from_the_exported_world(fakeplat: Fakeplat, fakeplat_factory: Any) -> None:
    """The file of a published package is the same after an export."""
    document = npm_document("@acme/app", "1.0.0", b"\0tarball")
    assert 200 == fakeplat.as_user("dev").put(f"{SITE}/packages/npm/@acme%2fapp", json=document).status
    again = reopen(fakeplat, fakeplat_factory)
    assert b"\0tarball" == again.as_user("dev").get(f"{SITE}/packages/npm/@acme/app/-/@acme/app-1.0.0.tgz").content


def test_too_large_contents_are_named(fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too large for a scenario is left out, and the export says so; sizes and digests stay."""
    images = Images.of(fakeplat)
    images.push("v1")
    document = npm_document("@acme/app", "1.0.0", b"tarball" * 40)
    assert 200 == fakeplat.as_user("dev").put(f"{SITE}/packages/npm/@acme%2fapp", json=document).status
    for module in (serialization, __import__("fakeplat.scenario.export", fromlist=["MAX_CONTENT"])):
        monkeypatch.setattr(module, "MAX_CONTENT", 4)
    exported = fakeplat.export()
    assert [
        "the content of @acme/app-1.0.0.tgz of the package @acme/app: 280 bytes, 0 MiB at most",
        "the images of acme/site/web: a layer has more than 0 MiB",
    ] == exported["x-left-out"]
    platform = create_platform(orjson.loads(orjson.dumps(exported)))
    files = [
        {file.file_name: (file.size, file.file_sha1) for file in view.package_files.all()}
        for view in (fakeplat.bench.platform.view, platform.view)
    ]
    assert files[0] == files[1]
    assert [] == list(platform.view.image_blobs.all())
    tags = [
        [(tag.name, tag.digest) for tag in view.container_tags.all()]
        for view in (fakeplat.bench.platform.view, platform.view)
    ]
    assert tags[0] == tags[1]


def test_an_export_without_large_contents_leaves_nothing_out(fakeplat: Fakeplat) -> None:
    """The key that names what is left out is there only if something is."""
    Images.of(fakeplat).push("v1")
    assert "x-left-out" not in fakeplat.export()
    assert 1 == len(list(reload_export(fakeplat.bench.platform).view.image_manifests.all()))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"digest": f"sha256:{'0' * 64}", "content_base64": "eA=="}, "digest"),
        ({"digest": "x", "content_base64": "eA=="}, "digest"),
        (
            {
                "digest": "sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
                "media_type": "text/plain",
                "content_base64": "eA==",
            },
            "manifest invalid",
        ),
    ],
    ids=["other content", "no digest", "no manifest"],
)
def test_wrong_contents_are_refused(content: dict[str, str], text: str) -> None:
    """A content that has not its digest, or is no manifest, is refused by name."""
    repository = {"name": "web", "contents": [content]}
    world = {"projects": [{"path_with_namespace": "acme/site", "container_repositories": [repository]}]}
    with pytest.raises(ScenarioError, match=text):
        create_platform({"extends": "starter", **world})
