"""Releases, packages, images and clusters, from servers and tapes to scenarios."""

import asyncio
from base64 import b64encode
from collections import Counter
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from fakeplat.core.operations.http_messages import Request
from fakeplat.domain.registry import image_blobs, image_manifests
from fakeplat.platform import Platform
from fakeplat.tape.export import published_crawler
from fakeplat.tape.export.crawler import Crawl
from fakeplat.tape.export.from_tape import scenario_from_tape
from fakeplat.tape.export.pruning import prune
from fakeplat.tape.export.scenario_builder import BuiltScenario, build_scenario
from fakeplat.tape.records.transports import ask_platform
from tests.scenario.worlds import create_platform
from tests.tape.sessions import Session, as_server_tape, record_session
from tests.tape.test_crawl import crawl_scenario

SITE: Final = "projects/acme%2Fsite"
TIME, LATER = "2020-11-18T08:00:00.000Z", "2020-11-19T08:00:00.000Z"
RELEASES: Final[list[dict[str, Any]]] = [
    {
        "tag_name": "v1.0",
        "name": "First",
        "description": "Notes",
        "author": "dev",
        "milestones": ["v1.0"],
        "created_at": TIME,
        "released_at": LATER,
        "links": [
            {"name": "Binary", "url": "https://files.example.com/a", "filepath": "/bin/a", "link_type": "package"},
            {"name": "Guide", "url": "https://files.example.com/b"},
        ],
        "evidences": [{"summary": '{"release":{"id":1}}', "created_at": LATER}],
    },
    {"tag_name": "with/slash", "sha": "a" * 40, "created_at": TIME},
]
PACKAGES: Final[list[dict[str, Any]]] = [
    {
        "name": "@acme/app",
        "package_type": "npm",
        "version": "1.0.0",
        "created_at": TIME,
        "pipeline": 1,
        "files": [{"file_name": "@acme/app-1.0.0.tgz", "content": "tarball", "created_at": LATER}],
        "tags": [{"name": "latest", "created_at": TIME, "updated_at": TIME}],
    },
    {
        "name": "hello",
        "package_type": "conan",
        "version": "0.1",
        "created_at": TIME,
        "conan_username": "acme",
        "conan_channel": "stable",
    },
    {
        "name": "com/acme/app",
        "package_type": "maven",
        "version": "1.0",
        "path": "com/acme/app/1.0",
        "created_at": TIME,
        "files": [{"file_name": "app-1.0.jar", "content": "jar"}, {"file_name": "app-1.0.pom", "content": "pom"}],
    },
]
TAG: Final = {"digest": f"sha256:{'a' * 64}", "revision": "b" * 64, "total_size": 7}
IMAGES: Final[list[dict[str, Any]]] = [
    {"created_at": TIME, "tags": [{"name": "latest", "created_at": TIME, **TAG}]},
    {"name": "web/api", "created_at": TIME, "tags": [{"name": "v1", "created_at": None, **TAG}]},
]
CLUSTER: Final[dict[str, Any]] = {
    "name": "main",
    "created_at": TIME,
    "user": "mia",
    "management_project": "acme/docs",
    "domain": "example.com",
    "environment_scope": "production",
    "platform_kubernetes": {"api_url": "https://k8s.example.com", "token": "hidden-token", "namespace": "one"},
}
MADE: Final[dict[str, Any]] = {
    "name": "made",
    "created_at": TIME,
    "provider_type": "gcp",
    "provider_gcp": {"gcp_project_id": "ours", "num_nodes": 5},
}
WORLD: Final[dict[str, Any]] = {
    "extends": "starter",
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "pipelines": [{"iid": 1, "ref": "master", "status": "success", "user": "dev"}],
            "releases": RELEASES,
            "packages": PACKAGES,
            "container_repositories": IMAGES,
            "clusters": [CLUSTER],
        }
    ],
    "groups": [{"full_path": "acme", "clusters": [MADE]}],
    "clusters": [{"name": "shared", "created_at": TIME, "environment_scope": "staging"}],
}
KEYS: Final = ("releases", "packages", "container_repositories", "clusters")


@pytest.fixture(scope="module")
def server() -> Platform:
    """A platform that these tests only read."""
    return create_platform(WORLD)


@pytest.fixture(scope="module")
def copy(server: Platform) -> BuiltScenario:
    """What a crawl makes of it."""
    return crawl_scenario(server)


def select_site(document: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The entries of the project acme/site in a scenario."""
    (site,) = [each for each in document["projects"] if each["path_with_namespace"] == "acme/site"]
    return {key: site[key] for key in keys if key in site}


def get_json(platform: Platform, path: str, viewer: str = "root") -> Any:
    target, _, query = f"/api/v4/{path}".partition("?")
    response = platform.handle(Request("GET", target, query, {"private-token": f"{viewer}-token"}))
    assert 200 == response.status, (path, response)
    return orjson.loads(response.body)


def collect_answers(platform: Platform, viewer: str) -> dict[str, Any]:
    """What the lists and the single records show, without ids."""
    lists = ("releases", "packages", "registry/repositories?tags=true&tags_count=true", "clusters")
    responses = {name: get_json(platform, f"{SITE}/{name}", viewer) for name in lists}
    for tag in ("v1.0", "with%2Fslash"):
        responses[tag] = get_json(platform, f"{SITE}/releases/{tag}", viewer)
        responses[f"links of {tag}"] = get_json(platform, f"{SITE}/releases/{tag}/assets/links", viewer)
    for package in responses["packages"]:
        path = f"{SITE}/packages/{package['id']}"
        responses[package["name"]] = (
            get_json(platform, path, viewer),
            get_json(platform, f"{path}/package_files", viewer),
        )
    for repository in responses["registry/repositories?tags=true&tags_count=true"]:
        path = f"{SITE}/registry/repositories/{repository['id']}/tags"
        for tag in get_json(platform, path, viewer):
            responses[tag["path"]] = get_json(platform, f"{path}/{tag['name']}", viewer)
    for cluster in responses["clusters"]:
        responses[cluster["name"]] = get_json(platform, f"{SITE}/clusters/{cluster['id']}", viewer)
    responses["group"] = [get_json(platform, f"groups/acme/{name}", "root") for name in ("clusters", "packages")]
    responses["admin"] = get_json(platform, "admin/clusters", "root")
    cleaned: dict[str, Any] = without_ids(responses)
    return cleaned


def without_ids(value: Any) -> Any:
    if isinstance(value, list):
        return [without_ids(item) for item in value]
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if key != "id" and not key.endswith("_id")}
        return {key: without_ids(item) for key, item in kept.items() if key not in IDS_IN_TEXT}
    return value


IDS_IN_TEXT: Final = ("web_path", "delete_api_path", "web_url", "avatar_url", "filepath", "evidence_file_path")


@pytest.mark.parametrize("viewer", ["root", "mia"])
def test_a_crawled_world_answers_as_the_server_did(server: Platform, copy: BuiltScenario, viewer: str) -> None:
    """Releases, packages and images of a crawled world answer as on the server, with digests and sizes of files."""
    assert collect_answers(server, viewer) == collect_answers(create_platform(copy.scenario), viewer)


def test_what_the_api_does_not_show_is_counted(copy: BuiltScenario) -> None:
    """A crawl counts the contents of images and nothing else."""
    assert {"contents of images, which cannot be pulled": 2} == +copy.left_out


def test_files_have_their_contents(server: Platform, copy: BuiltScenario) -> None:
    """A crawled package file has the content that package managers download."""
    again = create_platform(copy.scenario)

    assert [(row.file_name, row.content) for row in server.view.package_files.all()] == [
        (row.file_name, row.content) for row in again.view.package_files.all()
    ]


def test_images_are_pulled() -> None:
    """The images of a crawled world have the content of the server's, and what refers to them."""
    repository = {"name": "web", "tags": [{"name": "v1", "layers": [{"a.txt": "A"}, {"b.txt": "B"}]}, "bare"]}
    site = {"path_with_namespace": "acme/site", "container_repositories": [repository]}
    server = create_platform({"extends": "starter", "projects": [site]})
    refer_to_image(server)
    built = crawl_scenario(server)
    again = create_platform(built.scenario)

    assert {"contents of images, which cannot be pulled": 1} == {
        text: count for text, count in (+built.left_out).items() if "images" in text
    }
    assert ["bare", "v1"] == sorted(tag.name for tag in again.view.container_tags.all())
    for name in ("image_manifests", "image_blobs"):
        contents = [{row.digest: row.content for row in getattr(world.view, name).all()} for world in (server, again)]
        assert contents[0] == contents[1]
        assert len(contents[0]) >= 2


def refer_to_image(platform: Platform) -> None:
    """Push an artifact without a tag that refers to the image of the world."""
    with platform.acting() as ctx:
        (subject,) = ctx.world.image_manifests.all()
        repository = ctx.world.container_repositories[subject.repository_id]
        described = {"mediaType": subject.media_type, "digest": subject.digest, "size": len(subject.content)}
        parts = {"config": orjson.loads(subject.content)["config"], "layers": []}
        manifest = {"schemaVersion": 2, "mediaType": image_manifests.OCI_IMAGE, **parts, "subject": described}
        content = orjson.dumps(manifest)
        digest = image_blobs.digest_of(content)
        image_manifests.put(ctx, repository, digest, image_manifests.OCI_IMAGE, content)


@pytest.mark.parametrize("kind", ["helm", "debian", "composer"])
def test_any_package_file_is_downloaded_by_its_id(kind: str) -> None:
    """In later releases the file of a package of any type has its content in a crawled world."""
    files = [{"file_name": "one.bin", "content": "content"}]
    package = {"name": "tools", "package_type": kind, "version": "1.0.0", "files": files}
    site = {"path_with_namespace": "acme/site", "packages": [package]}
    server = create_platform({"extends": "starter", "instance": {"version": "18.9"}, "projects": [site]})
    built = crawl_scenario(server)

    assert 0 == built.left_out["contents of package files, which are zero bytes instead"]
    assert "Y29udGVudA==" in orjson.dumps(built.scenario).decode()


def test_contents_that_cannot_be_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is too large, or that is not what its digest says, has zero bytes, and the report says so."""
    content = b"\0\xfftarball"
    files = [{"file_name": "one.bin", "content_base64": b64encode(content).decode()}]
    files += [{**files[0], "file_name": "two.bin", "file_sha1": "0" * 40}]
    files += [{"file_name": "big.bin", "content": "x" * 100}]
    package = {"name": "tools", "package_type": "generic", "version": "1.0.0", "files": files}
    monkeypatch.setattr(published_crawler, "MAX_CONTENT", 50)
    site = {"path_with_namespace": "acme/site", "packages": [package]}
    built = crawl_scenario(create_platform({"extends": "starter", "projects": [site]}))
    again = create_platform(built.scenario)

    assert [content, bytes(len(content)), bytes(100)] == [row.content for row in again.view.package_files.all()]
    assert 2 == built.left_out["contents of package files, which are zero bytes instead"]


def test_evidence_is_read_from_its_address(server: Platform, copy: BuiltScenario) -> None:
    """Release evidence keeps its summary and digest in the crawled world."""
    again = create_platform(copy.scenario)

    assert [(row.summary, row.sha) for row in server.view.evidences.all()] == [
        (row.summary, row.sha) for row in again.view.evidences.all()
    ]


def test_no_token_of_a_cluster_is_written(copy: BuiltScenario) -> None:
    """A crawled scenario contains no token of a cluster."""
    assert "hidden-token" not in orjson.dumps(copy.scenario).decode()


def crawl_site(platform: Platform, token: str) -> BuiltScenario:
    seen = asyncio.run(Crawl(ask_platform(platform), token).read(["acme/site"], []))
    return prune(build_scenario(seen))


def test_a_member_reads_what_a_member_sees(server: Platform) -> None:
    """A crawl by a reporter has no clusters; a crawl by a guest counts releases without their tag."""
    reporter, guest = (crawl_site(server, f"{name}-token") for name in ("rep", "gus"))

    assert ["releases", "packages", "container_repositories"] == [*select_site(reporter.scenario, *KEYS)]
    assert ({}, 2) == (select_site(guest.scenario, "releases"), guest.left_out["releases without their tag"])


def test_only_some_tags_are_read_one_by_one() -> None:
    """A crawl reads the details of a hundred tags of a container repository and the names of the others."""
    tags = [f"v{number:03}" for number in range(130)]
    site = {"path_with_namespace": "acme/site", "container_repositories": [{"tags": tags}]}
    platform, asked = create_platform({"extends": "starter", "projects": [site]}), Counter[str]()

    async def ask(request: Request) -> Any:
        asked[request.path.rpartition("/")[0].rpartition("/")[2]] += 1
        return platform.handle(request)

    built = crawl_scenario(platform, ask=ask)
    (repository,) = select_site(built.scenario, "container_repositories")["container_repositories"]

    assert (100, 30) == (asked["tags"], built.left_out["details of image tags"])
    assert tags == [tag if isinstance(tag, str) else tag["name"] for tag in repository["tags"]]


def test_without_a_token_nothing_of_it_is_read(server: Platform) -> None:
    """A crawl without a token does not read packages."""
    crawl = Crawl(ask_platform(server), None)
    seen = asyncio.run(crawl.read(["acme/docs"], []))

    assert None is seen.subresources_of("project", ("acme/docs",), "packages")


# tapes


def record_scenario(tmp_path: Path, send_requests: Any) -> dict[str, Any]:
    """Record a session with the world of these tests; return the scenario of its tape."""
    platform = create_platform(WORLD)
    tape = record_session(platform, tmp_path / "session.tape", send_requests)
    return scenario_from_tape(as_server_tape(tape, platform)).scenario


def read_everything(session: Session) -> None:
    session.ask("GET", SITE, "mia")
    for package in session.ask("GET", f"{SITE}/packages", "mia"):
        session.ask("GET", f"{SITE}/packages/{package['id']}/package_files", "mia")
    for repository in session.ask("GET", f"{SITE}/registry/repositories", "mia"):
        path = f"{SITE}/registry/repositories/{repository['id']}/tags"
        for tag in session.ask("GET", path, "mia"):
            session.ask("GET", f"{path}/{tag['name']}", "mia")
    for name in ("releases", "clusters", "pipelines", "milestones", "repository/tags", "issues"):
        for row in session.ask("GET", f"{SITE}/{name}", "mia"):
            if name == "pipelines":
                session.ask("GET", f"{SITE}/pipelines/{row['id']}", "mia")


def test_a_tape_that_reads_everything_is_the_world(tmp_path: Path, server: Platform) -> None:
    """A world built from a tape that reads everything answers a member as the server did."""
    again = create_platform(record_scenario(tmp_path, read_everything))

    assert collect_answers_to_member(server) == collect_answers_to_member(again)


def collect_answers_to_member(platform: Platform) -> Any:
    """What a tape shows: neither evidence nor commits, which are files and repositories of their own."""
    lists = ("packages", "registry/repositories?tags=true", "releases")
    responses = without_ids({name: get_json(platform, f"{SITE}/{name}", "mia") for name in lists})
    for release in responses["releases"]:
        for name in ("evidences", "commit", "commit_path"):
            release.pop(name, None)
    return responses


def test_a_tape_shows_the_world_before_its_session(tmp_path: Path) -> None:
    """A world built from a tape has what the session changed or deleted, and not what it created."""

    def send_requests(session: Session) -> None:
        read_everything(session)
        session.ask("POST", f"{SITE}/releases", "mia", tag_name="v2.0", ref="master", name="Second")
        session.ask("PUT", f"{SITE}/releases/v1.0", "mia", name="Changed")
        link = session.ask("POST", f"{SITE}/releases/v1.0/assets/links", "mia", name="New", url="https://x.test/new")
        session.ask("PUT", f"{SITE}/releases/v1.0/assets/links/{link['id']}", "mia", name="Newer")
        session.ask("PUT", f"{SITE}/packages/generic/app/1.0.0/a.txt", "mia")
        platform_kubernetes = {"api_url": "https://k8s.example.com", "token": "secret-of-mine"}
        fields = {"name": "second", "environment_scope": "x", "platform_kubernetes_attributes": platform_kubernetes}
        cluster = session.ask("POST", f"{SITE}/clusters/user", "mia", **fields)
        session.ask("PUT", f"{SITE}/clusters/{cluster['id']}", "mia", domain="example.org")
        session.ask("DELETE", f"{SITE}/packages/{session.ask('GET', f'{SITE}/packages', 'mia')[0]['id']}", "mia")
        read_everything(session)
        session.ask("GET", f"{SITE}/releases/v1.0", "mia")
        session.ask("GET", f"{SITE}/releases/v1.0/assets/links", "mia")

    site = select_site(record_scenario(tmp_path, send_requests), *KEYS)

    assert [("v1.0", "First"), ("with/slash", "with/slash")] == [
        (release["tag_name"], release["name"]) for release in site["releases"]
    ]
    assert ["Binary", "Guide"] == [link["name"] for link in site["releases"][0]["links"]]
    assert ["@acme/app", "hello", "com/acme/app"] == [package["name"] for package in site["packages"]]
    assert ["main"] == [cluster["name"] for cluster in site["clusters"]]
    assert ["", "web/api"] == [container_repository["name"] for container_repository in site["container_repositories"]]
    assert "secret-of-mine" not in (tmp_path / "session.tape").read_text("utf-8")


def test_lists_of_groups_belong_to_projects(tmp_path: Path) -> None:
    """Packages and images that only a list of a group showed belong to their projects."""

    def send_requests(session: Session) -> None:
        session.ask("GET", SITE, "mia")
        session.ask("GET", "groups/acme/packages", "mia")
        session.ask("GET", "groups/acme/registry/repositories?tags=true", "mia")

    site = select_site(record_scenario(tmp_path, send_requests), *KEYS)

    assert ["@acme/app", "hello", "com/acme/app"] == [package["name"] for package in site["packages"]]
    assert [["latest"], ["v1"]] == [
        container_repository["tags"] for container_repository in site["container_repositories"]
    ]
