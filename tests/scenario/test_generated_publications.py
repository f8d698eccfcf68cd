"""Scenarios can ask for releases, packages, images and clusters; the seed decides what they are."""

from typing import Any, Final

import pytest

from fakeplat import scenario
from fakeplat.domain.repository import repositories
from fakeplat.model.world import World
from fakeplat.scenario import ScenarioError
from tests.scenario.answers import collect_responses, compare_values
from tests.scenario.worlds import create_platform, create_world, project, reload_export

SITE: Final = "acme/site"
COUNTS: Final = {"releases": 6, "packages": 23, "container_repositories": 3, "clusters": 2}
NEW: Final[dict[str, Any]] = {
    "extends": "starter",
    "projects": [{"path_with_namespace": "acme/fresh"}],
    "generate": [{"into": "acme/fresh", "commits": 30, "tags": 4, "pipelines": 20, "milestones": 2, **COUNTS}],
}


@pytest.fixture(scope="module")
def generated() -> World:
    return create_world(NEW)


def test_as_many_records_are_made_as_are_asked_for(generated: World) -> None:
    """The requested numbers of records are generated in one project, spread over several, or in a group (clusters)."""
    spread = create_world({"generate": [{"groups": 1, "projects": 3, "releases": 4, "packages": 8}]})
    in_group = create_world({"extends": "starter", "generate": [{"into": "acme", "clusters": 2}]})
    tables = ("releases", "packages", "container_repositories", "clusters")

    assert [6, 23, 3, 2] == [len(getattr(generated, table).all()) for table in tables]
    assert [3, 3, 2] == [len(spread.packages.where("project", project.id)) for project in spread.projects.all()]
    assert [2, 1, 1] == [len(spread.releases.where("project", project.id)) for project in spread.projects.all()]
    assert ["group_type"] * 2 == [cluster.cluster_type for cluster in in_group.clusters.all()]


def test_releases_are_those_of_tags(generated: World) -> None:
    """Generated releases belong to the tags, and to deleted tags when more releases are requested."""
    fresh = project(generated, "acme/fresh")
    git = repositories.open_repository(generated, fresh)
    releases = {release.tag_name: release for release in generated.releases.all()}

    assert {"v0.1.0", "v0.2.0", "v0.3.0", "v0.4.0", "deleted-1", "deleted-2"} == releases.keys()
    assert all(releases[tag].sha == git.commit(f"refs/tags/{tag}").sha for tag in git.tags())
    assert {None} == {releases[f"deleted-{number}"].sha for number in (1, 2)}
    assert all(release.author_id in {user.id for user in generated.users.all()} for release in releases.values())
    assert 0 < len(generated.release_links.all()) < 7


def test_a_project_without_tags_gets_some() -> None:
    """A project without tags gets as many tags as releases are generated."""
    seen = create_world(
        {
            "extends": "starter",
            "projects": [{"path_with_namespace": "acme/fresh"}],
            "generate": [{"into": "acme/fresh", "releases": 3}],
        }
    )

    assert ["v0.1.0", "v0.2.0", "v0.3.0"] == sorted(release.tag_name for release in seen.releases.all())


def test_packages_have_versions_files_and_pipelines(generated: World) -> None:
    """Generated packages have versions, files and earlier pipelines; the latest npm version has a tag."""
    packages = list(generated.packages.all())
    npm = [package for package in packages if package.package_type == "npm"]
    files = {package_file.package_id: package_file for package_file in generated.package_files.all()}
    tags = [(tag.name, generated.packages[tag.package_id].version) for tag in generated.package_tags.all()]

    assert {"npm", "pypi", "maven", "generic"} == {package.package_type for package in packages}
    assert ["0.1.0", "0.2.0", "0.3.0", "0.4.0", "0.5.0"] == [package.version for package in npm[:5]]
    assert {"@acme/fresh-1", "@acme/fresh-2"} == {package.name for package in npm}
    assert {package.id for package in packages} == files.keys()
    assert [("latest", "0.5.0"), ("latest", "0.3.0")] == tags
    assert any(package.pipeline_id for package in packages)
    assert all(
        package.pipeline_id is None or generated.pipelines[package.pipeline_id].created_at <= package.created_at
        for package in packages
    )


def test_images_have_tags(generated: World) -> None:
    """Each generated container repository has the tag `latest`, and the first one is the project's own."""
    names = [container_repository.name for container_repository in generated.container_repositories.all()]
    latest = [tag for tag in generated.container_tags.all() if tag.name == "latest"]

    assert ["", "service-1", "service-2"] == names
    assert 3 == len(latest)
    assert all(tag.total_size >= 5 << 20 for tag in generated.container_tags.all())


def test_clusters_have_environments_of_their_own(generated: World) -> None:
    """The first generated cluster has the scope `*`, and the next has an environment scope of its own."""
    assert ["*", True] == [
        generated.clusters.all()[0].environment_scope,
        generated.clusters.all()[1].environment_scope.endswith("/*"),
    ]


def test_the_seed_decides() -> None:
    """Equal seeds generate equal publications, and another seed generates others."""
    first, again, other = (
        scenario.export_world(create_platform({**NEW, "seed": seed}))["projects"] for seed in (1, 1, 2)
    )

    assert first == again
    assert first != other


def test_a_generated_world_is_the_same_after_a_round_trip() -> None:
    """Generated publications answer the same for an administrator and a member after a round trip."""
    platform = create_platform(NEW)
    before, again = (collect_responses(server, ("root", "mia")) for server in (platform, reload_export(platform)))

    assert [] == list(compare_values(before, again))


def test_a_second_entry_adds_to_the_first() -> None:
    """A second entry of `generate` adds its records to those of the first."""
    entry = {"into": SITE, **COUNTS}
    seen = create_world({"extends": "starter", "generate": [entry, entry]})

    assert [12, 46, 6, 4] == [len(getattr(seen, table).all()) for table in COUNTS]


@pytest.mark.parametrize("key", ["releases", "packages", "container_repositories"])
def test_only_projects_publish(key: str) -> None:
    """Generating publications into a user without projects is refused with the key."""
    with pytest.raises(ScenarioError, match=f"{key} need projects, or 'into' with a project"):
        create_world({"extends": "starter", "generate": [{"into": "bob", key: 1}]})
