"""Images are pulled through the dependency proxy of a group, which keeps them."""

from collections.abc import Iterator
from typing import Any

import pytest
import requests

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    DEPENDENCY_PROXY_IS_FREE,
    DEPENDENCY_PROXY_NEEDS_TOKEN,
    OWNERS_ADMINISTER_DEPENDENCY_PROXY,
)
from tests.api.company import COMPANY
from tests.api.test_registry_tokens import request_token
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

HUB: dict[str, Any] = {
    "extends": "starter",
    "instance": {"upstreams": {"images": "hub/images"}},
    "users": [*COMPANY["users"]],
    "groups": [*COMPANY["groups"], {"path": "hub", "visibility": "private"}],
    "projects": [
        {
            "path_with_namespace": "hub/images",
            "container_repositories": [
                {"name": "library/alpine", "tags": [{"name": "3", "layers": [{"etc/alpine-release": "3.19.0\n"}]}]},
                {"name": "tools/kit", "tags": [{"name": "v1", "layers": [{"kit": "kit\n"}]}]},
            ],
        }
    ],
}
pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario={**COMPANY, **HUB, "extends": "empty"})
PROXY = "acme/dependency_proxy/containers"
UNREACHABLE = "Failed to download the manifest from the external registry"


def token_of(fake: Fakeplat, user: str, service: str = "dependency_proxy") -> str:
    scope = f"repository:{PROXY}/alpine:pull"
    token: str = request_token(fake, scope, auth=(user, fake.token(user)), service=service).json()["token"]
    return token


def pull(fake: Fakeplat, path: str, user: str | None = "gus", method: str = "GET") -> requests.Response:
    headers = {"Authorization": f"Bearer {token_of(fake, user)}"} if user else {}
    return requests.request(method, f"{fake.url}/v2/{path}", headers=headers, timeout=30)


def names_kept(fake: Fakeplat) -> Iterator[str]:
    view = fake.bench.platform.view
    yield from (manifest.file_name for manifest in view.proxied_manifests.all())
    yield from (blob.file_name for blob in view.proxied_blobs.all())


def remove_upstream(fake: Fakeplat) -> None:
    assert 202 == fake.as_user("root").delete("projects/hub%2Fimages").status
    fake.as_user("root").delete(
        "projects/hub%2Fimages", params={"permanently_remove": "true", "full_path": "hub/images"}
    )
    fake.settle()


def test_a_guest_pulls_an_image_of_the_hub(fakeplat: Fakeplat) -> None:
    """A member of the group pulls manifest and layers of an image of the registry outside through the group's proxy."""
    reply = pull(fakeplat, f"{PROXY}/alpine/manifests/3")
    assert (200, "application/vnd.oci.image.manifest.v1+json") == (reply.status_code, reply.headers["Content-Type"])
    digest = reply.headers["Docker-Content-Digest"]
    assert (f'"{digest}"', "registry/2.0", "attachment") == (
        reply.headers["ETag"],
        reply.headers["Docker-Distribution-Api-Version"],
        reply.headers["Content-Disposition"],
    )
    layer = reply.json()["layers"][0]
    content = pull(fakeplat, f"{PROXY}/alpine/blobs/{layer['digest']}")
    assert (200, layer["size"], "attachment") == (
        content.status_code,
        len(content.content),
        content.headers["Content-Disposition"],
    )
    assert ["alpine:3.json", f"{layer['digest'].removeprefix('sha256:')}.gz"] == list(names_kept(fakeplat))
    assert digest == pull(fakeplat, f"{PROXY}/alpine/manifests/{digest}").headers["Docker-Content-Digest"]


def test_official_images_have_two_names(fakeplat: Fakeplat) -> None:
    """The hub's own images are found with and without ``library/``, other images by their path."""
    for name, tag in (("alpine", "3"), ("library/alpine", "3"), ("tools/kit", "v1")):
        assert 200 == pull(fakeplat, f"{PROXY}/{name}/manifests/{tag}").status_code


def test_a_head_keeps_nothing(fakeplat: Fakeplat) -> None:
    """Asking for a manifest without its content keeps nothing."""
    reply = pull(fakeplat, f"{PROXY}/alpine/manifests/3", method="HEAD")
    assert (200, b"", []) == (reply.status_code, reply.content, list(names_kept(fakeplat)))


def test_what_was_pulled_outlives_the_registry_outside(fakeplat: Fakeplat) -> None:
    """What was pulled is served after it has gone outside, until the cache is deleted; what was not is 503."""
    pulled = pull(fakeplat, f"{PROXY}/alpine/manifests/3")
    layer = pulled.json()["layers"][0]["digest"]
    pull(fakeplat, f"{PROXY}/alpine/blobs/{layer}")
    remove_upstream(fakeplat)
    assert pulled.content == pull(fakeplat, f"{PROXY}/alpine/manifests/3").content
    assert 200 == pull(fakeplat, f"{PROXY}/alpine/blobs/{layer}").status_code
    assert 202 == fakeplat.as_user("ada").delete("groups/acme/dependency_proxy/cache").status
    assert [] == list(names_kept(fakeplat))
    assert 401 == pull(fakeplat, f"{PROXY}/alpine/manifests/3").status_code


def test_a_tag_that_moved_outside_is_kept_again(fakeplat: Fakeplat) -> None:
    """A tag that names another image outside replaces the manifest that the proxy keeps."""
    old = pull(fakeplat, f"{PROXY}/alpine/manifests/3").headers["Docker-Content-Digest"]
    moved = {"name": "library/alpine", "tags": [{"name": "3", "layers": [{"etc/alpine-release": "3.20.0\n"}]}]}
    fakeplat.load({"projects": [{"path_with_namespace": "hub/images", "container_repositories": [moved]}]})
    new = pull(fakeplat, f"{PROXY}/alpine/manifests/3").headers["Docker-Content-Digest"]
    (kept,) = fakeplat.bench.platform.view.proxied_manifests.all()
    assert (new, True) == (kept.digest, old != new)


def test_what_the_registry_outside_lacks_is_refused_as_it_does(fakeplat: Fakeplat) -> None:
    """An unknown image, tag and layer get the answers of the registry outside, and nothing is kept."""
    cases = [
        ("nothing/manifests/1", 401, "UNAUTHORIZED"),
        ("alpine/manifests/9", 404, "MANIFEST_UNKNOWN"),
        (f"alpine/blobs/sha256:{'0' * 64}", 404, "BLOB_UNKNOWN"),
    ]
    for path, status, code in cases:
        reply = pull(fakeplat, f"{PROXY}/{path}")
        assert (status, code) == (reply.status_code, reply.json()["errors"][0]["code"])
    assert [] == list(names_kept(fakeplat))


@pytest.mark.fakeplat(upstreams={})
def test_without_a_registry_outside_nothing_can_be_pulled(fakeplat: Fakeplat) -> None:
    """Where the registry outside cannot be reached, the proxy answers 503."""
    reply = pull(fakeplat, f"{PROXY}/alpine/manifests/3")
    assert (503, UNREACHABLE) == (reply.status_code, reply.json())


def test_nobody_without_a_token_pulls(fakeplat: Fakeplat) -> None:
    """Without a valid token, the proxy sends clients to the token service with an empty body."""
    challenge = f'Bearer realm="{fakeplat.url}/jwt/auth",service="dependency_proxy"'
    for headers in ({}, {"Authorization": "Bearer x"}):
        for path in ("alpine/manifests/3", f"alpine/blobs/sha256:{'0' * 64}"):
            reply = requests.get(f"{fakeplat.url}/v2/{PROXY}/{path}", headers=headers, timeout=30)
            assert (401, b"", challenge) == (reply.status_code, reply.content, reply.headers["WWW-Authenticate"])


def test_roles_decide_who_pulls(fakeplat: Fakeplat) -> None:
    """Members from Guest on and administrators pull; others get 404 without a body, also for unknown groups."""
    for user, status in (("gus", 200), ("rep", 200), ("root", 200), ("eve", 404), ("ext", 404)):
        assert status == pull(fakeplat, f"{PROXY}/alpine/manifests/3", user).status_code
    reply = pull(fakeplat, "nothing/dependency_proxy/containers/alpine/manifests/3")
    assert (404, b"") == (reply.status_code, reply.content)


def test_the_token_expires(fakeplat: Fakeplat) -> None:
    """A token of the proxy is valid for five minutes."""
    headers = {"Authorization": f"Bearer {token_of(fakeplat, 'gus')}"}
    url = f"{fakeplat.url}/v2/{PROXY}/alpine/manifests/3"
    assert 200 == requests.get(url, headers=headers, timeout=30).status_code
    fakeplat.clock.advance("5m")
    assert 401 == requests.get(url, headers=headers, timeout=30).status_code


def test_docker_comes_with_a_token_of_the_registry(fakeplat: Fakeplat) -> None:
    """As registry and proxy have one host, a token of the registry's service is accepted, too."""
    headers = {"Authorization": f"Bearer {token_of(fakeplat, 'gus', 'container_registry')}"}
    url = f"{fakeplat.url}/v2/{PROXY}/alpine/manifests/3"
    assert 200 == requests.get(url, headers=headers, timeout=30).status_code


def test_who_gets_a_token_of_the_proxy(fakeplat: Fakeplat) -> None:
    """The token service refuses anonymous callers, tokens without scopes, and deploy tokens of projects with 403."""
    forbidden = {"status": "error", "message": "access forbidden", "http_status": 403}
    root = fakeplat.as_user("root")
    scopes = ["read_registry", "write_registry"]
    for kind in ("registry", "virtual_registry"):
        token = fakeplat.token("gus", scopes=[f"read_{kind}", f"write_{kind}"])
        assert 200 == request_token(fakeplat, auth=("gus", token), service="dependency_proxy").status_code
    rows = {
        "group": root.post("groups/acme/deploy_tokens", json={"name": "g", "scopes": scopes}).json(),
        "poor": root.post("groups/acme/deploy_tokens", json={"name": "p", "scopes": scopes[:1]}).json(),
        "project": root.post("projects/acme%2Fsite/deploy_tokens", json={"name": "s", "scopes": scopes}).json(),
    }
    refused = [None, *((rows[name]["username"], rows[name]["token"]) for name in ("poor", "project"))]
    for auth in (*refused, ("gus", fakeplat.token("gus", scopes=["read_user"]))):
        reply = request_token(fakeplat, auth=auth, service="dependency_proxy")
        assert (403, forbidden) == (reply.status_code, reply.json())
    assert 401 == request_token(fakeplat, auth=("gus", "wrong"), service="dependency_proxy").status_code
    token = request_token(
        fakeplat, auth=(rows["group"]["username"], rows["group"]["token"]), service="dependency_proxy"
    ).json()["token"]
    url = f"{fakeplat.url}/v2/{PROXY.replace('acme', 'acme/tools')}/alpine/manifests/3"
    headers = {"Authorization": f"Bearer {token}"}
    assert 200 == requests.get(url, headers=headers, timeout=30).status_code
    root.delete(f"groups/acme/deploy_tokens/{rows['group']['id']}")
    assert 401 == requests.get(url, headers=headers, timeout=30).status_code


@by_release(DEPENDENCY_PROXY_NEEDS_TOKEN, "status", {"13.6": 200, "13.7": 401})
def test_older_releases_serve_public_groups_without_a_token(fakeplat: Fakeplat, status: int) -> None:
    """Until 13.6 everybody pulls through the proxy of a public group."""
    assert status == pull(fakeplat, f"{PROXY}/alpine/manifests/3", None).status_code


@pytest.mark.fakeplat(version="13.6")
def test_older_releases_have_no_proxy_of_private_groups(fakeplat: Fakeplat) -> None:
    """Until 13.6 the proxy of a group that is not public is 404, and there are no tokens for it."""
    assert 404 == pull(fakeplat, f"{PROXY.replace('acme', 'acme/tools')}/alpine/manifests/3", None).status_code
    assert 404 == request_token(fakeplat, auth=("gus", fakeplat.token("gus")), service="dependency_proxy").status_code


@by_release(DEPENDENCY_PROXY_IS_FREE, "status", {"13.5": 404, "13.6": 200})
def test_the_proxy_is_paid_before_13_6(fakeplat: Fakeplat, status: int) -> None:
    """At 13.5 the dependency proxy of a group needs Premium."""
    assert status == pull(fakeplat, f"{PROXY}/alpine/manifests/3", None).status_code


FIELDS = """dependencyProxyImageCount dependencyProxyBlobCount dependencyProxyTotalSize dependencyProxyTotalSizeBytes
dependencyProxyTotalSizeInBytes dependencyProxyImagePrefix
dependencyProxyManifests { nodes { fileName imageName digest size status } }
dependencyProxyBlobs { nodes { fileName size } }"""


def test_graphql_shows_what_is_kept(fakeplat: Fakeplat) -> None:
    """The group shows its kept manifests and layers to members, and their number and size."""
    manifest = pull(fakeplat, f"{PROXY}/alpine/manifests/3")
    layer = manifest.json()["layers"][0]
    pull(fakeplat, f"{PROXY}/alpine/blobs/{layer['digest']}")
    query = f'{{ group(fullPath: "acme") {{ {FIELDS} }} }}'
    group = query_data(fakeplat, "gus", query)["group"]
    total = len(manifest.content) + layer["size"]
    assert (1, 1, total, str(total)) == (
        group["dependencyProxyImageCount"],
        group["dependencyProxyBlobCount"],
        group["dependencyProxyTotalSizeInBytes"],
        group["dependencyProxyTotalSizeBytes"],
    )
    assert group["dependencyProxyTotalSize"].endswith(" KB")
    host = fakeplat.url.partition("://")[2]
    assert f"{host}/acme/dependency_proxy/containers" == group["dependencyProxyImagePrefix"]
    expected = {
        "fileName": "alpine:3.json",
        "imageName": "alpine:3",
        "digest": manifest.headers["Docker-Content-Digest"],
        "size": f"{len(manifest.content)} Bytes",
        "status": "DEFAULT",
    }
    assert [expected] == group["dependencyProxyManifests"]["nodes"]
    assert [f"{layer['digest'].removeprefix('sha256:')}.gz"] == [
        row["fileName"] for row in group["dependencyProxyBlobs"]["nodes"]
    ]
    hidden = query_data(fakeplat, "eve", query)["group"]
    assert [[], []] == [hidden[name]["nodes"] for name in ("dependencyProxyManifests", "dependencyProxyBlobs")]


UPDATE = write_mutation("updateDependencyProxySettings", "dependencyProxySetting { enabled }")
SETTINGS = """{ group(fullPath: "acme") { dependencyProxySetting { enabled }
    dependencyProxyImageTtlPolicy { enabled ttl createdAt } } }"""


def test_an_owner_disables_the_proxy(fakeplat: Fakeplat) -> None:
    """Without its dependency proxy a group answers 404 to pulls, until an Owner enables it again."""
    policy = {"enabled": False, "ttl": 90, "createdAt": None}
    for enabled, status in ((False, 404), (True, 200)):
        payload = query_data(fakeplat, "ada", UPDATE, input={"groupPath": "acme", "enabled": enabled})
        setting = {"enabled": enabled}
        assert {"dependencyProxySetting": setting, "errors": []} == payload["updateDependencyProxySettings"]
        group = query_data(fakeplat, "ada", SETTINGS)["group"]
        assert {"dependencyProxySetting": setting, "dependencyProxyImageTtlPolicy": policy} == group
        assert status == pull(fakeplat, f"{PROXY}/alpine/manifests/3").status_code


@pytest.mark.parametrize("by", [None, "eve", "mia"])
def test_others_do_not_administer_the_proxy(fakeplat: Fakeplat, by: str | None) -> None:
    """Below Owner nobody sees or changes the settings of the dependency proxy."""
    hidden = {"dependencyProxySetting": None, "dependencyProxyImageTtlPolicy": None}
    refused = query_refused(fakeplat, by, UPDATE, input={"groupPath": "acme", "enabled": False})

    assert [NOT_AVAILABLE] == list_messages(refused)
    assert hidden == query_data(fakeplat, by, SETTINGS)["group"]


@by_release(OWNERS_ADMINISTER_DEPENDENCY_PROXY, "setting", {"16.11": {"enabled": True}, "17.0": None})
def test_maintainers_administered_the_proxy(fakeplat: Fakeplat, setting: object) -> None:
    """Until 16.11 a Maintainer administers the dependency proxy of a group."""
    assert setting == query_data(fakeplat, "mia", SETTINGS)["group"]["dependencyProxySetting"]
