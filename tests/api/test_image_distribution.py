"""Images are pushed, pulled and deleted with docker's protocol, as the OCI distribution specification says."""

import json
from collections.abc import Callable
from hashlib import sha256, sha512
from typing import Any, Final

import pytest
import requests
from attrs import frozen

from fakeplat.harness.fake import Fakeplat
from tests.api.images import REPOSITORIES, START
from tests.api.test_registry_tokens import request_token
from tests.graphql.queries import query_data, query_project

pytestmark = pytest.mark.fakeplat(clock="virtual", start=START)

IMAGE: Final = "application/vnd.oci.image.manifest.v1+json"
DOCKER_IMAGE: Final = "application/vnd.docker.distribution.manifest.v2+json"
INDEX: Final = "application/vnd.oci.image.index.v1+json"
CONFIG: Final = b'{"created":"2020-11-01T10:00:00.123456789Z","config":{}}'
LAYER: Final = b"layer"
SITE: Final = "acme/site/web"


def digest(content: bytes) -> str:
    return f"sha256:{sha256(content).hexdigest()}"


def describe(content: bytes, media_type: str, **more: Any) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": digest(content), "size": len(content), **more}


def build_manifest(*layers: bytes, config: bytes = CONFIG, media_type: str = IMAGE, **more: Any) -> bytes:
    """A manifest of an image, by default with one layer."""
    rows = [describe(layer, "application/vnd.oci.image.layer.v1.tar") for layer in layers or (LAYER,)]
    descriptor = describe(config, "application/vnd.oci.image.config.v1+json")
    return json.dumps(
        {"schemaVersion": 2, "mediaType": media_type, "config": descriptor, "layers": rows, **more}
    ).encode()


def build_index(*manifests: bytes, **more: Any) -> bytes:
    rows = [describe(manifest, IMAGE) for manifest in manifests]
    return json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": rows, **more}).encode()


@frozen
class Images:
    """A client of docker's protocol for one image repository, with the token that it got there."""

    fake: Fakeplat
    path: str
    token: str

    @classmethod
    def of(cls, fake: Fakeplat, user: str = "mia", path: str = SITE, *others: str) -> "Images":
        scopes = (f"repository:{path}:pull,push,delete", *others)
        reply = request_token(fake, *scopes, auth=(user, fake.token(user)))
        return cls(fake, path, reply.json()["token"])

    def __call__(self, method: str, below: str, **rest: Any) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.token}", **rest.pop("headers", {})}
        url = below if below.startswith("http") else f"{self.fake.url}/v2/{self.path}/{below}"
        return requests.request(method, url, headers=headers, timeout=30, **rest)

    def upload(self, content: bytes) -> None:
        reply = self("POST", f"blobs/uploads/?digest={digest(content)}", data=content)
        assert 201 == reply.status_code, reply.text

    def put(self, reference: str, manifest: bytes, media_type: str = IMAGE) -> requests.Response:
        return self("PUT", f"manifests/{reference}", data=manifest, headers={"Content-Type": media_type})

    def push(self, reference: str = "v1", manifest: bytes = b"", media_type: str = IMAGE) -> bytes:
        """Push an image with its blobs; return its manifest."""
        for blob in (CONFIG, LAYER):
            self.upload(blob)
        manifest = manifest or build_manifest(media_type=media_type)
        reply = self.put(reference, manifest, media_type)
        assert 201 == reply.status_code, reply.text
        return manifest


@pytest.fixture
def images(fakeplat: Fakeplat) -> Images:
    """The image repository web of acme/site, for mia."""
    return Images.of(fakeplat)


def codes(reply: requests.Response) -> tuple[int, list[str]]:
    return reply.status_code, [error["code"] for error in reply.json()["errors"]]


# access


def test_the_first_call_tells_whether_the_token_is_good(images: Images) -> None:
    """With a token of the token service, the first call answers an empty object and the version."""
    reply = images("GET", f"{images.fake.url}/v2/")
    assert (200, {}) == (reply.status_code, reply.json())
    assert "registry/2.0" == reply.headers["Docker-Distribution-Api-Version"]


def test_the_challenge_tells_what_is_wrong_with_a_token(fakeplat: Fakeplat) -> None:
    """An invalid token and one that does not allow enough get challenges that say so."""
    wrong = Images(fakeplat, SITE, "wrong")("GET", "tags/list").headers["WWW-Authenticate"]
    poor = Images.of(fakeplat, "rep")("POST", "blobs/uploads/").headers["WWW-Authenticate"]
    scope = f'scope="repository:{SITE}:pull'
    assert wrong.endswith(f',{scope}",error="invalid_token"')
    assert poor.endswith(f',{scope},push",error="insufficient_scope"')


@pytest.mark.parametrize(
    ("user", "statuses"), [("rep", [200, 401, 401]), ("dev", [200, 202, 401]), ("mia", [200, 202, 202])]
)
def test_roles_decide_what_a_token_allows(fakeplat: Fakeplat, user: str, statuses: list[int]) -> None:
    """Reporters pull, developers push, too, maintainers also delete by the protocol."""
    manifest = Images.of(fakeplat).push()
    images = Images.of(fakeplat, user)
    requests_ = [("GET", "manifests/v1"), ("POST", "blobs/uploads/"), ("DELETE", f"manifests/{digest(manifest)}")]
    assert statuses == [images(*request).status_code for request in requests_]


def test_a_token_is_for_one_repository(images: Images) -> None:
    """A token for one image repository does not open another one."""
    images.push()
    assert 401 == images("GET", f"{images.fake.url}/v2/acme/site/tags/list").status_code


# blobs


def test_a_blob_is_uploaded_in_parts(images: Images) -> None:
    """Parts follow each other, the last one comes with the digest, and the whole is read back."""
    started = images("POST", "blobs/uploads/")
    assert (202, "0-0") == (started.status_code, started.headers["Range"])
    location = started.headers["Location"]
    assert location.endswith(f"/v2/{SITE}/blobs/uploads/{started.headers['Docker-Upload-UUID']}")
    first = images("PATCH", location, data=b"la", headers={"Content-Range": "0-1"})
    assert (202, "0-1") == (first.status_code, first.headers["Range"])
    status = images("GET", first.headers["Location"])
    assert (204, "0-1") == (status.status_code, status.headers["Range"])
    done = images("PUT", f"{location}?digest={digest(LAYER)}", data=b"yer", headers={"Content-Range": "2-4"})
    assert (201, digest(LAYER)) == (done.status_code, done.headers["Docker-Content-Digest"])
    blob = images("GET", done.headers["Location"])
    assert (200, LAYER, "application/octet-stream") == (blob.status_code, blob.content, blob.headers["Content-Type"])
    assert 404 == images("GET", location).status_code


def test_a_part_that_does_not_follow_is_refused(images: Images) -> None:
    """A part elsewhere gets 416 with what has arrived, and changes nothing."""
    location = images("POST", "blobs/uploads/").headers["Location"]
    images("PATCH", location, data=b"la")
    for method, wrong in (("PATCH", "3-5"), ("PATCH", "0-2"), ("PUT", "5-7")):
        reply = images(method, f"{location}?digest={digest(LAYER)}", data=b"yer", headers={"Content-Range": wrong})
        assert (416, "0-1") == (reply.status_code, reply.headers["Range"])
    assert 201 == images("PUT", f"{location}?digest={digest(LAYER)}", data=b"yer").status_code


@pytest.mark.parametrize(
    "wrong",
    [digest(b"other"), "", "sha256:xyz", "md5:d41d8cd98f00b204e9800998ecf8427e", f"sha256:{'A' * 64}", "../../x"],
)
def test_a_wrong_digest_is_refused(images: Images, wrong: str) -> None:
    """Content whose digest is not the one that the client says is not stored; the upload can go on."""
    location = images("POST", "blobs/uploads/").headers["Location"]
    reply = images("PUT", location, params={"digest": wrong}, data=LAYER)
    assert (400, ["DIGEST_INVALID"]) == codes(reply)
    assert 404 == images("HEAD", f"blobs/{digest(LAYER)}").status_code
    assert 201 == images("PUT", location, params={"digest": digest(LAYER)}, data=LAYER).status_code


def test_a_longer_digest_is_accepted(images: Images) -> None:
    """Blobs may be named by SHA-512."""
    name = f"sha512:{sha512(LAYER).hexdigest()}"
    assert 201 == images("POST", f"blobs/uploads/?digest={name}", data=LAYER).status_code
    assert LAYER == images("GET", f"blobs/{name}").content


@pytest.mark.parametrize(
    ("wanted", "part", "where"),
    [
        ("bytes=1-2", b"ay", "bytes 1-2/5"),
        ("bytes=3-", b"er", "bytes 3-4/5"),
        ("bytes=-2", b"er", "bytes 3-4/5"),
        ("bytes=0-99", b"layer", "bytes 0-4/5"),
    ],
)
def test_a_part_of_a_blob_is_read(images: Images, wanted: str, part: bytes, where: str) -> None:
    """A range of a blob is answered with 206 and its place, also after the whole was read."""
    images.upload(LAYER)
    images("GET", f"blobs/{digest(LAYER)}")
    reply = images("GET", f"blobs/{digest(LAYER)}", headers={"Range": wanted})
    assert (206, part, where) == (reply.status_code, reply.content, reply.headers["Content-Range"])


@pytest.mark.parametrize("wanted", ["bytes=5-", "bytes=3-1", "bytes=-", "bytes=a-b", "lines=1-2", "bytes=1-2,4-5"])
def test_a_part_that_a_blob_does_not_have_is_refused(images: Images, wanted: str) -> None:
    """A range outside a blob, or none, gets 416."""
    images.upload(LAYER)
    assert (416, ["RANGE_INVALID"]) == codes(images("GET", f"blobs/{digest(LAYER)}", headers={"Range": wanted}))


def test_a_head_has_the_size_and_no_content(images: Images) -> None:
    """HEAD of a blob answers its size and digest."""
    images.upload(LAYER)
    reply = images("HEAD", f"blobs/{digest(LAYER)}")
    assert (200, "5", digest(LAYER)) == (
        reply.status_code,
        reply.headers["Content-Length"],
        reply.headers["Docker-Content-Digest"],
    )


def test_a_blob_is_mounted_from_another_repository(fakeplat: Fakeplat, images: Images) -> None:
    """A blob of a repository that the caller may pull from is shared; of any other one an upload begins."""
    images.upload(LAYER)
    query = f"blobs/uploads/?mount={digest(LAYER)}&from={SITE}"
    docs = Images.of(fakeplat, "mia", "acme/docs", f"repository:{SITE}:pull")
    mounted = docs("POST", query)
    assert (201, digest(LAYER)) == (mounted.status_code, mounted.headers["Docker-Content-Digest"])
    assert LAYER == docs("GET", f"blobs/{digest(LAYER)}").content
    assert 202 == docs("POST", f"blobs/uploads/?mount={digest(b'other')}&from={SITE}").status_code
    refused = Images.of(fakeplat, "mia", "acme/docs")("POST", query)
    assert (401, f'scope="repository:acme/docs:pull,push repository:{SITE}:pull"') == (
        refused.status_code,
        refused.headers["WWW-Authenticate"].split(",", 2)[2].rpartition(",")[0],
    )


def test_what_does_not_exist_is_named(images: Images) -> None:
    """Unknown blobs, uploads, manifests and repositories have codes of their own."""
    images("POST", "blobs/uploads/")
    assert (404, ["BLOB_UNKNOWN"]) == codes(images("GET", f"blobs/{digest(b'x')}"))
    assert (404, ["BLOB_UPLOAD_UNKNOWN"]) == codes(images("PATCH", "blobs/uploads/none", data=b"x"))
    assert (404, ["MANIFEST_UNKNOWN"]) == codes(images("GET", "manifests/none"))
    assert (404, ["MANIFEST_UNKNOWN"]) == codes(images("GET", f"manifests/{digest(b'x')}"))
    other = Images(images.fake, "acme/site/none", images.token)
    repository = request_token(images.fake, "repository:acme/site/none:pull", auth=("mia", images.fake.token("mia")))
    unknown = Images(images.fake, other.path, repository.json()["token"])("GET", "tags/list")
    assert (404, ["NAME_UNKNOWN"]) == codes(unknown)
    assert {"name": "acme/site/none"} == unknown.json()["errors"][0]["detail"]


def test_an_upload_is_cancelled(images: Images) -> None:
    """A cancelled upload is unknown."""
    location = images("POST", "blobs/uploads/").headers["Location"]
    assert 204 == images("DELETE", location).status_code
    assert (404, ["BLOB_UPLOAD_UNKNOWN"]) == codes(images("PATCH", location, data=b"x"))


def test_a_blob_is_deleted(images: Images) -> None:
    """A deleted blob is unknown."""
    images.upload(LAYER)
    assert 202 == images("DELETE", f"blobs/{digest(LAYER)}").status_code
    assert 404 == images("HEAD", f"blobs/{digest(LAYER)}").status_code


# manifests


@pytest.mark.parametrize("media_type", [IMAGE, DOCKER_IMAGE])
def test_an_image_is_pushed_and_pulled(images: Images, media_type: str) -> None:
    """A manifest is read back byte for byte by its tag and its digest."""
    manifest = images.push(media_type=media_type)
    for reference in ("v1", digest(manifest)):
        reply = images("GET", f"manifests/{reference}")
        assert (200, manifest, media_type) == (reply.status_code, reply.content, reply.headers["Content-Type"])
        assert digest(manifest) == reply.headers["Docker-Content-Digest"]
        unchanged = images("GET", f"manifests/{reference}", headers={"If-None-Match": reply.headers["ETag"]})
        assert (304, b"") == (unchanged.status_code, unchanged.content)


def test_a_pushed_image_stands_in_the_api(images: Images) -> None:
    """The API knows the tag of a pushed image with its digest, configuration, time and size."""
    manifest = images.push()
    mia = images.fake.as_user("mia")
    (repository,) = mia.get(f"{REPOSITORIES}?tags=true").json()
    tag = mia.get(f"{REPOSITORIES}/{repository['id']}/tags/v1").json()
    assert (SITE, ["v1"]) == (repository["path"], [row["name"] for row in repository["tags"]])
    assert {
        "name": "v1",
        "path": f"{SITE}:v1",
        "location": f"{images.fake.url.partition('://')[2].rstrip('/')}/{SITE}:v1",
        "revision": sha256(CONFIG).hexdigest(),
        "short_revision": sha256(CONFIG).hexdigest()[:9],
        "digest": digest(manifest),
        "created_at": "2020-11-01T10:00:00.123Z",
        "total_size": len(LAYER),
    } == tag


def test_what_the_api_deletes_is_gone_for_docker(images: Images) -> None:
    """A tag that is deleted by the API is unknown; its manifest stays until nothing leads to it for a day."""
    manifest = images.push()
    (repository,) = images.fake.as_user("mia").get(REPOSITORIES).json()
    assert 200 == images.fake.as_user("mia").delete(f"{REPOSITORIES}/{repository['id']}/tags/v1").status
    assert 404 == images("GET", "manifests/v1").status_code
    assert 200 == images("GET", f"manifests/{digest(manifest)}").status_code


def test_an_index_names_several_images(images: Images) -> None:
    """An index of images is stored if its images are; its tag has no configuration."""
    image = images.push("linux")
    index = build_index(image)
    assert 201 == images.put("all", index, INDEX).status_code
    assert index == images("GET", "manifests/all").content
    (repository,) = images.fake.as_user("mia").get(REPOSITORIES).json()
    tag = images.fake.as_user("mia").get(f"{REPOSITORIES}/{repository['id']}/tags/all").json()
    assert (None, None, digest(index)) == (tag["revision"], tag["short_revision"], tag["digest"])
    missing = images.put("more", build_index(b"other"), INDEX)
    assert (400, ["MANIFEST_BLOB_UNKNOWN"]) == codes(missing)
    assert {"digest": digest(b"other")} == missing.json()["errors"][0]["detail"]


def test_each_missing_blob_is_named(images: Images) -> None:
    """A manifest whose blobs were not uploaded is refused with an error for each."""
    images.upload(LAYER)
    reply = images.put("v1", build_manifest(LAYER, b"other"))
    assert (400, ["MANIFEST_BLOB_UNKNOWN"] * 2) == codes(reply)
    assert [digest(CONFIG), digest(b"other")] == [error["detail"]["digest"] for error in reply.json()["errors"]]
    assert 404 == images("GET", "manifests/v1").status_code


INVALID: Final[dict[str, Callable[[], tuple[bytes, str]]]] = {
    "no JSON": lambda: (b"{", IMAGE),
    "no object": lambda: (b"[]", IMAGE),
    "old schema": lambda: (b'{"schemaVersion": 1}', IMAGE),
    "another type than the header": lambda: (build_manifest(media_type=DOCKER_IMAGE), IMAGE),
    "unknown type": lambda: (build_manifest(media_type="text/plain"), "text/plain"),
    "no type": lambda: (build_manifest(), ""),
    "no layers": lambda: (json.dumps({"schemaVersion": 2, "config": describe(CONFIG, "x")}).encode(), IMAGE),
    "no configuration": lambda: (json.dumps({"schemaVersion": 2, "layers": []}).encode(), IMAGE),
    "layers of text": lambda: (
        json.dumps({"schemaVersion": 2, "config": describe(CONFIG, "x"), "layers": ["x"]}).encode(),
        IMAGE,
    ),
    "a digest that leads elsewhere": lambda: (
        json.dumps({"schemaVersion": 2, "manifests": [{"mediaType": IMAGE, "size": 1, "digest": "../../x"}]}).encode(),
        INDEX,
    ),
    "4 MiB and a byte": lambda: (build_manifest(annotations={"x": "x" * 4 * 1024 * 1024}), IMAGE),
}


@pytest.mark.parametrize("case", INVALID)
def test_what_is_no_manifest_is_refused(images: Images, case: str) -> None:
    """What cannot be read as a manifest gets 400, and nothing is stored."""
    content, media_type = INVALID[case]()
    for blob in (CONFIG, LAYER):
        images.upload(blob)
    assert (400, ["MANIFEST_INVALID"]) == codes(images.put("v1", content, media_type))
    assert [] == images("GET", "tags/list").json()["tags"]


def test_a_manifest_by_its_digest_must_have_it(images: Images) -> None:
    """A manifest under the digest of another one is refused; under its own it needs no tag."""
    for blob in (CONFIG, LAYER):
        images.upload(blob)
    manifest = build_manifest()
    assert (400, ["DIGEST_INVALID"]) == codes(images.put(digest(b"x"), manifest))
    assert 201 == images.put(digest(manifest), manifest).status_code
    assert [] == images("GET", "tags/list").json()["tags"]


@pytest.mark.parametrize("name", [".hidden", "-x", "a" * 129, "a b"])
def test_not_every_text_is_a_tag(images: Images, name: str) -> None:
    """A tag has word characters, dots and hyphens, 128 at most."""
    for blob in (CONFIG, LAYER):
        images.upload(blob)
    assert (400, ["TAG_INVALID"]) == codes(images.put(name, build_manifest()))


def test_a_manifest_is_deleted_with_its_tags(images: Images) -> None:
    """Deleting a manifest deletes all tags that name it, deleting a tag only that one."""
    manifest = images.push("v1")
    for name in ("v2", "v3"):
        images.put(name, manifest)
    assert 202 == images("DELETE", "manifests/v3").status_code
    assert ["v1", "v2"] == images("GET", "tags/list").json()["tags"]
    assert 202 == images("DELETE", f"manifests/{digest(manifest)}").status_code
    assert [] == images("GET", "tags/list").json()["tags"]


def test_referrers_of_an_image_are_listed(images: Images) -> None:
    """What belongs to an image, such as a signature, is listed as an index, by its type if asked."""
    subject = images.push()
    fields: dict[str, Any] = {"subject": describe(subject, IMAGE), "annotations": {"by": "mia"}}
    signature = build_manifest(artifactType="application/vnd.example.signature", **fields)
    other = build_manifest(**fields)
    assert digest(subject) == images.put(digest(signature), signature).headers["OCI-Subject"]
    images.put(digest(other), other)

    reply = images("GET", f"referrers/{digest(subject)}")
    assert (200, INDEX) == (reply.status_code, reply.headers["Content-Type"])
    kinds = {row["digest"]: row["artifactType"] for row in reply.json()["manifests"]}
    assert {
        digest(signature): "application/vnd.example.signature",
        digest(other): "application/vnd.oci.image.config.v1+json",
    } == kinds
    only = images("GET", f"referrers/{digest(subject)}?artifactType=application/vnd.example.signature")
    assert ([digest(signature)], "artifactType") == (
        [row["digest"] for row in only.json()["manifests"]],
        only.headers["OCI-Filters-Applied"],
    )
    assert [] == images("GET", f"referrers/{digest(b'unknown')}").json()["manifests"]


@pytest.mark.fakeplat(version="16.9")
def test_a_tag_shows_its_referrers(fakeplat: Fakeplat, images: Images) -> None:
    """By GraphQL, a tag shows the digest and the type of what belongs to its image."""
    subject = images.push()
    kind = "application/vnd.example.signature"
    signature = build_manifest(artifactType=kind, subject=describe(subject, IMAGE))
    images.put(digest(signature), signature)
    (repository,) = query_project(fakeplat, "rep", "containerRepositories { nodes { id } }")["containerRepositories"][
        "nodes"
    ]
    query = """query($id: ContainerRepositoryID!) { containerRepository(id: $id) {
        tags { nodes { name referrers { digest artifactType } } } } }"""
    tags = query_data(fakeplat, "rep", query, id=repository["id"])["containerRepository"]["tags"]["nodes"]

    assert [{"name": "v1", "referrers": [{"digest": digest(signature), "artifactType": kind}]}] == tags


# lists


def test_tags_are_listed_in_pages(images: Images) -> None:
    """Tags are listed by name; a page links to the next one."""
    manifest = images.push("b")
    for name in ("c", "a"):
        images.put(name, manifest)
    assert {"name": SITE, "tags": ["a", "b", "c"]} == images("GET", "tags/list").json()
    first = images("GET", "tags/list?n=2")
    assert (["a", "b"], f'</v2/{SITE}/tags/list?last=b&n=2>; rel="next"') == (
        first.json()["tags"],
        first.headers["Link"],
    )
    last = images("GET", "tags/list?last=b&n=2")
    assert (["c"], None) == (last.json()["tags"], last.headers.get("Link"))
    assert [] == images("GET", "tags/list?n=0").json()["tags"]
    assert (400, ["PAGINATION_NUMBER_INVALID"]) == codes(images("GET", "tags/list?n=x"))


def test_the_catalog_is_for_administrators(fakeplat: Fakeplat, images: Images) -> None:
    """The catalog lists the paths of all image repositories."""
    images.push()
    Images.of(fakeplat, "mia", "acme/docs").push()
    reply = request_token(fakeplat, "registry:catalog:*", auth=("root", fakeplat.token("root")))
    root = Images(fakeplat, "", reply.json()["token"])
    catalog = root("GET", f"{fakeplat.url}/v2/_catalog")
    assert {"repositories": ["acme/docs", SITE]} == catalog.json()
    page = root("GET", f"{fakeplat.url}/v2/_catalog?n=1")
    assert (["acme/docs"], '</v2/_catalog?last=acme%2Fdocs&n=1>; rel="next"') == (
        page.json()["repositories"],
        page.headers["Link"],
    )
    assert 401 == images("GET", f"{fakeplat.url}/v2/_catalog").status_code


# memory


@pytest.mark.fakeplat(registry_limit=2_000)
def test_more_than_the_registry_holds_is_refused(images: Images) -> None:
    """Content beyond the limit is refused; what several repositories share counts once."""
    images.upload(b"x" * 1_500)
    location = images("POST", "blobs/uploads/").headers["Location"]
    reply = images("PATCH", location, data=b"y" * 600)
    message = "the registry holds 0.00190735 MiB at most"
    assert (413, [{"code": "DENIED", "message": message}]) == (reply.status_code, reply.json()["errors"])
    assert "0-0" == images("GET", location).headers["Range"]
    docs = Images.of(images.fake, "mia", "acme/docs", f"repository:{SITE}:pull")
    assert 201 == docs("POST", f"blobs/uploads/?mount={digest(b'x' * 1_500)}&from={SITE}").status_code
    assert 202 == images("PATCH", location, data=b"y" * 400).status_code


def test_what_no_tag_leads_to_is_collected_after_a_day(images: Images) -> None:
    """A day after a tag has moved, the old image is deleted with the layers that no other one has."""
    old = images.push("v1")
    images.upload(b"other")
    new = build_manifest(b"other")
    signature = build_manifest(b"other", subject=describe(new, IMAGE))
    images.put(digest(signature), signature)
    images.put("v1", new)
    world = images.fake.bench.platform.view
    assert {digest(old), digest(new), digest(signature)} == {row.digest for row in world.image_manifests}
    images.fake.clock.advance("1d")
    assert {digest(new), digest(signature)} == {row.digest for row in images.fake.bench.platform.view.image_manifests}
    assert {digest(CONFIG), digest(b"other")} == {row.digest for row in images.fake.bench.platform.view.image_blobs}


def test_a_deleted_repository_leaves_nothing(images: Images) -> None:
    """Deleting an image repository by the API deletes its content, and what was being uploaded."""
    images.push()
    images("POST", "blobs/uploads/")
    (repository,) = images.fake.as_user("mia").get(REPOSITORIES).json()
    assert 202 == images.fake.as_user("mia").delete(f"{REPOSITORIES}/{repository['id']}").status
    images.fake.settle()
    world = images.fake.bench.platform.view
    assert [0, 0, 0] == [len(list(table)) for table in (world.image_blobs, world.image_manifests, world.blob_uploads)]
