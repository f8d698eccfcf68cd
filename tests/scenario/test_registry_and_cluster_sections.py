"""Images of the container registry, and clusters, in scenarios and back."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from tests.scenario.worlds import create_platform, reload_export

TIME = "2020-11-19T09:00:00.000Z"
TAG = {
    "name": "v1",
    "digest": f"sha256:{'a' * 64}",
    "revision": "b" * 64,
    "created_at": None,
    "total_size": 7,
}
IMAGES = [
    {"name": "", "tags": ["latest"]},
    {"name": "web/api", "created_at": TIME, "cleanup_policy_started_at": TIME, "tags": [TAG, {"name": "v2"}]},
    {"name": "old", "status": "delete_scheduled"},
]
CLUSTER = {
    "name": "main",
    "created_at": TIME,
    "user": "mia",
    "management_project": "acme/docs",
    "domain": "example.com",
    "enabled": False,
    "managed": False,
    "namespace_per_environment": False,
    "environment_scope": "production",
    "platform_kubernetes": {
        "api_url": "https://k8s.example.com",
        "token": "secret",
        "namespace": "one",
        "authorization_type": "abac",
    },
}
MADE = {"name": "made", "provider_type": "gcp", "provider_gcp": {"gcp_project_id": "ours", "status_name": "creating"}}
POLICY = {"cadence": "7d", "keep_n": 1, "next_run_at": "2020-12-01T00:00:00.000Z"}
WORLD: dict[str, Any] = {
    "extends": "starter",
    "clusters": [{"name": "instance"}],
    "groups": [{"full_path": "acme", "clusters": [{"name": "shared", "environment_scope": "staging"}]}],
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "container_repositories": IMAGES,
            "clusters": [CLUSTER, MADE],
            "container_expiration_policy": POLICY,
        }
    ],
}


def list_facts(platform: Platform) -> Any:
    """What there is, without ids."""
    world = platform.view
    images = [
        (
            *(repository.name, repository.created_at, repository.updated_at),
            *(repository.status, repository.cleanup_policy_started_at),
            [
                (tag.name, tag.digest, tag.revision, tag.created_at, tag.total_size)
                for tag in world.container_tags.where("repository", repository.id)
            ],
        )
        for repository in world.container_repositories.all()
    ]
    clusters = sorted(
        (
            *(cluster.name, cluster.cluster_type, cluster.created_at, cluster.updated_at),
            *(cluster.user_id, cluster.domain or "", cluster.enabled, cluster.managed),
            *(cluster.namespace_per_environment, cluster.environment_scope, str(cluster.platform_kubernetes)),
            *(str(cluster.provider_gcp), cluster.management_project_id or 0),
        )
        for cluster in world.clusters.all()
    )
    policies = [project.container_expiration_policy for project in world.projects.all()]
    return images, clusters, policies


def test_images_and_clusters_survive_a_round_trip() -> None:
    """Container repositories, tags and clusters keep their fields after a round trip."""
    platform = create_platform(WORLD)
    images, clusters, _ = list_facts(platform)
    assert ["", "web/api", "old"] == [image[0] for image in images]
    assert ("v1", TAG["digest"], TAG["revision"], None, 7) == images[1][5][0]
    assert ["instance", "made", "main", "shared"] == [cluster[0] for cluster in clusters]
    assert (images, clusters) == list_facts(reload_export(platform))[:2]


def test_the_time_of_a_cleanup_policy_survives_a_round_trip() -> None:
    """A cleanup policy keeps its next run, which is scheduled, after a round trip."""
    platform = reload_export(create_platform(WORLD))
    (site,) = [project for project in platform.view.projects.all() if project.path == "site"]
    assert "2020-12-01T00:00:00.000Z" == (site.container_expiration_policy or {})["next_run_at"]
    (run,) = [task for task in platform.view.scheduled_tasks.all() if task.kind == "run_cleanup_policy"]
    assert ("projects", site.id) == run.subject


def test_a_scheduled_deletion_is_done() -> None:
    """A container repository whose deletion is scheduled is deleted in the loaded world."""
    platform = reload_export(create_platform(WORLD))
    platform.settle()
    assert ["", "web/api"] == [repository.name for repository in platform.view.container_repositories.all()]


@pytest.mark.fakeplat(scenario=WORLD)
def test_an_entry_updates_the_repository_with_its_name(fakeplat: Fakeplat) -> None:
    """An entry adds tags to the container repository of its name or moves them to other images."""
    again = {"name": "web/api", "tags": [{"name": "v2", "digest": TAG["digest"]}, "v3"]}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "container_repositories": [again]}]})
    world = fakeplat.bench.platform.view
    (repository,) = [row for row in world.container_repositories.all() if row.name == "web/api"]
    v1, v2, v3 = world.container_tags.where("repository", repository.id)
    assert ("v1", "v2", "v3", "b" * 64) == (v1.name, v2.name, v3.name, v2.revision)
    assert (True, True) == (v1.digest == v2.digest, v1.digest != v3.digest)


@pytest.mark.parametrize(
    ("key", "entry", "text"),
    [
        ("container_repositories", {"name": "Web"}, "is invalid"),
        ("container_repositories", {"name": "a/b/c/d"}, "is invalid"),
        ("container_repositories", {"tags": ["-x"]}, "-x is not a valid name of a tag"),
        ("container_repositories", {"tags": [{"name": "x", "digest": "x"}]}, "digest is not a SHA-256"),
        ("clusters", {"name": "x", "platform_kubernetes": {"api_url": "x"}}, "is blocked: Only allowed schemes"),
        ("clusters", {"name": "x", "management_project": "acme/nothing"}, "unknown project 'acme/nothing'"),
    ],
)
def test_mistakes_are_reported(key: str, entry: dict[str, Any], text: str) -> None:
    """A mistake in images or clusters is refused by the rules that hold for requests."""
    site = {"path_with_namespace": "acme/site", key: [entry]}
    with pytest.raises(ScenarioError, match=text):
        create_platform({"extends": "starter", "projects": [site]})


def test_layers_make_an_image_that_survives_an_export() -> None:
    """Declared layers give a stored image with a digest of its own, the same again from the export."""
    layers = [{"etc/hello.txt": "Hello\n", "a.txt": "a"}, {"etc/hello.txt": "Bye\n"}]
    image = {"name": "", "tags": [{"name": "v1", "layers": layers}, "only-a-name"]}
    world = {
        "extends": "starter",
        "projects": [{"path_with_namespace": "acme/site", "container_repositories": [image]}],
    }

    platform = create_platform(world)
    again = reload_export(platform)

    digests = [{tag.name: tag.digest for tag in each.view.container_tags.all()} for each in (platform, again)]
    stored = [{row.digest for row in each.view.image_manifests.all()} for each in (platform, again)]
    assert digests[0] == digests[1]
    assert [{digests[0]["v1"]}, {digests[0]["v1"]}] == stored
    assert [3, 3] == [len(list(each.view.image_blobs.all())) for each in (platform, again)]
