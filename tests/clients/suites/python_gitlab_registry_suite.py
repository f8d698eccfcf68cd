"""What users of python-gitlab rely on around the container registry and clusters, in old and new releases."""

import gitlab
import pytest
from python_gitlab_releases import EVERYTHING, refusal, signed_in

IMAGES = {
    "name": "web",
    "tags": ["latest", {"name": "v1", "created_at": "2020-01-01T00:00:00Z"}, {"name": "v2", "total_size": 7}],
}
KUBERNETES = {"api_url": "https://k8s.example.com", "token": "secret", "namespace": "site"}


@pytest.fixture
def world(create_world):
    """A world with images, whose time moves while the client waits."""
    site = {"path_with_namespace": "acme/site", "container_repositories": [IMAGES]}
    return create_world(clock="auto", scenario={"extends": "starter", "projects": [site]})


@pytest.fixture
def site(world):
    return signed_in(world, "mia").projects.get("acme/site")


def tag_names(repository):
    return [tag.name for tag in repository.tags.list(**EVERYTHING)]


def test_images_are_listed(site):
    """Container repositories are listed with the number of tags on request, and a tag shows its size."""
    (repository,) = site.repositories.list(tags_count=True)
    assert ("acme/site/web", 3) == (repository.path, repository.tags_count)
    assert ["latest", "v1", "v2"] == tag_names(repository)
    assert 7 == repository.tags.get("v2").total_size


def test_a_tag_is_deleted(site):
    """A deleted tag of a container repository is not listed any more."""
    (repository,) = site.repositories.list()
    repository.tags.delete("v1")
    assert ["latest", "v2"] == tag_names(repository)


def test_old_tags_are_deleted_in_bulk(site):
    """Tags are deleted in bulk by a pattern; a second request within an hour gets 400."""
    (repository,) = site.repositories.list()
    repository.tags.delete_in_bulk(name_regex_delete=".*", keep_n=1)
    assert ["latest", "v2"] == tag_names(repository)
    with pytest.raises(gitlab.GitlabDeleteError) as error:
        repository.tags.delete_in_bulk(name_regex_delete=".*")
    assert 400 == refusal(error)[0]


def test_a_repository_is_deleted(site):
    """A deleted container repository is gone from the list."""
    (repository,) = site.repositories.list()
    repository.delete()
    assert [] == site.repositories.list()


@pytest.mark.parametrize("kind", ["project", "group"])
def test_a_cluster_is_added_changed_and_removed(world, site, kind):
    """A cluster is added, changed and removed without its token being shown."""
    owner = site if kind == "project" else signed_in(world, "mia").groups.get("acme")
    attributes = KUBERNETES if kind == "project" else {**KUBERNETES, "namespace": None}
    cluster = owner.clusters.create({"name": "main", "platform_kubernetes_attributes": attributes})
    assert ("main", f"{kind}_type") == (cluster.name, cluster.cluster_type)
    assert "token" not in cluster.platform_kubernetes
    cluster.domain = "example.com"
    cluster.save()
    assert "example.com" == owner.clusters.get(cluster.id).domain
    cluster.delete()
    assert [] == owner.clusters.list(**EVERYTHING)


def test_an_invalid_cluster_is_refused(site):
    """A cluster with an invalid URL gets 400 with the error of its field."""
    with pytest.raises(gitlab.GitlabCreateError) as error:
        site.clusters.create({"name": "x", "platform_kubernetes_attributes": {**KUBERNETES, "api_url": "x"}})
    text = "is blocked: Only allowed schemes are http, https"
    assert (400, {"platform_kubernetes.api_url": [text]}) == refusal(error)
