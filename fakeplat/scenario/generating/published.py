"""Generated releases, packages, images and clusters: what projects publish, and where they run it."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, Final

from fakeplat.core.timestamps import DAY, SECOND, to_iso
from fakeplat.domain.clusters import clusters
from fakeplat.domain.packages import digests, npm, packages
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.path_names import slugify
from fakeplat.domain.registry import container_repositories
from fakeplat.domain.releases import release_links, releases
from fakeplat.domain.repository import repositories
from fakeplat.model.packages import Package, PackageType
from fakeplat.model.projects import Project, Routable
from fakeplat.model.releases import Release
from fakeplat.model.repository import TAGS
from fakeplat.policy.context import WriteContext
from fakeplat.scenario.generating.rows import Row
from fakeplat.scenario.generating.seeded_random import SeededRandom
from fakeplat.scenario.generating.words import Words

_SINCE: Final = 200 * DAY
_TYPES: Final[tuple[PackageType, ...]] = ("npm", "pypi", "maven", "generic")
_VERSIONS: Final = 5
"""How many versions a package has at most."""
_MAX_TAGS: Final = 8
_MEGABYTES: Final = 1 << 20
_FILES: Final = "https://files.example.com"


class Published:
    """Generates what one project publishes. ``people`` are the ids of its authors."""

    def __init__(
        self, ctx: WriteContext, project: Project, random: SeededRandom, words: Words, people: Sequence[int]
    ) -> None:
        self._ctx, self._project, self._random, self._words = ctx, project, random, words
        self._people = people
        rows = ctx.world.pipelines.where("project", project.id)
        self._successful = sorted((row.created_at, row.id) for row in rows if row.status == "success")

    def releases(self, total: int) -> None:
        """Release the newest tags; releases in excess of the tags are of tags that were deleted since."""
        git, world = repositories.open_repository(self._ctx.world, self._project), self._ctx.world
        taken = {release.tag_name for release in world.releases.where("project", self._project.id)}
        commits = [(git.commit(TAGS + name), name) for name in git.tags() if name not in taken]
        tags = sorted((commit.committer.when * SECOND, name, commit.sha) for commit, name in commits)
        newest = tags[max(len(tags) - total, 0) :]
        deleted = [
            (self._ctx.now() - _SINCE, f"deleted-{len(taken) + number + 1}", None)
            for number in range(total - len(newest))
        ]
        for time, name, sha in (*deleted, *newest):
            self._release(name, time, sha)

    def _release(self, tag_name: str, tagged: int, sha: str | None) -> None:
        random = self._random
        created_at = to_iso(min(tagged + random.below(DAY), self._ctx.now()))
        release = releases.insert(
            self._ctx,
            self._project,
            tag_name,
            description=f"{random.pick(self._words.sentences)}\n\n- {random.pick(self._words.sentences)}",
            author_id=random.pick(self._people),
            sha=sha,
            created_at=created_at,
            updated_at=created_at,
            released_at=created_at,
            milestone_ids=random.some([row.id for row in self._ctx.world.milestones.where("source", self._source)], 1),
        )
        if random.hits(60):
            self._link(release)

    def _link(self, release: Release) -> None:
        name = f"{self._project.path}-{release.tag_name}.tar.gz"
        created_at = release.created_at
        url = f"{_FILES}/{self._project.path}/{name}"
        release_links.insert(
            self._ctx,
            release,
            name=name,
            url=url,
            filepath=f"/{name}",
            link_type="package",
            created_at=created_at,
            updated_at=created_at,
        )

    @property
    def _source(self) -> tuple[str, int]:
        return "project", self._project.id

    def packages(self, total: int) -> None:
        """Publish versions of packages, each with a file; the newest version of an npm package is the latest."""
        moments = iter(self._random.moments(total, self._ctx.now() - _SINCE, self._ctx.now()))
        first = len(self._ctx.world.packages.where("project", self._project.id))
        for number, time in enumerate(moments, first):
            package_type = _TYPES[number // _VERSIONS % len(_TYPES)]
            name = f"{self._project.path}-{number // (_VERSIONS * len(_TYPES)) + 1}"
            self._package(package_type, name, f"0.{number % _VERSIONS + 1}.0", to_iso(time))

    def _package(self, package_type: PackageType, name: str, version: str, created_at: str) -> None:
        ctx, world, project = self._ctx, self._ctx.world, self._project
        root = namespaces.root_of(world, world.namespaces[project.namespace_id]).path
        full_name, file_name, fields = _place(package_type, root, name, version)
        package = packages.create(
            ctx,
            project,
            package_type,
            full_name,
            version,
            created_at=created_at,
            updated_at=created_at,
            creator_id=self._random.pick(self._people),
            pipeline_id=self._pipeline_before(created_at),
            **fields,
        )
        content = f"{full_name} {version}\n".encode() * (1 + self._random.below(50))
        file = packages.add_file(ctx, package, file_name, content, **digests.compute(content)._asdict())
        world.package_files.change(file, created_at=created_at, updated_at=created_at)
        if package_type == "npm":
            self._set_latest(package)

    def _set_latest(self, package: Package) -> None:
        npm.set_tag(self._ctx, package, npm.LATEST)
        for tag in list(packages.list_tags(self._ctx.world, package)):
            self._ctx.world.package_tags.change(tag, created_at=package.created_at, updated_at=package.created_at)

    def _pipeline_before(self, time: str) -> int | None:
        """Return the newest successful pipeline at a time."""
        position = bisect_right(self._successful, time, key=lambda pipeline: pipeline[0])
        return self._successful[position - 1][1] if position else None

    def container_repositories(self, total: int) -> None:
        """Add image repositories with tags; the first one is that of the project itself."""
        world, random = self._ctx.world, self._random
        taken = {row.name for row in container_repositories.list_by_project(world, self._project)}
        names = [name for name in _image_names(len(taken) + total) if name not in taken][:total]
        for name, time in zip(names, random.moments(total, self._ctx.now() - _SINCE, self._ctx.now()), strict=True):
            created_at = to_iso(time)
            repository = container_repositories.create(
                self._ctx, self._project, name, created_at=created_at, updated_at=created_at
            )
            container_repositories.add_tags(self._ctx, repository, self._tags(time))

    def _tags(self, since: int) -> list[Row]:
        random, total = self._random, self._random.below(_MAX_TAGS)
        moments = random.moments(total + 1, since, self._ctx.now())
        names = [*(f"v0.{number + 1}.0" for number in range(total)), "latest"]
        return [
            {"name": name, "created_at": to_iso(time), "total_size": (5 + random.below(200)) * _MEGABYTES}
            for name, time in zip(names, moments, strict=True)
        ]


def _place(package_type: PackageType, root: str, name: str, version: str) -> tuple[str, str, Row]:
    """Return the full name of a package, the name of its file, and the fields that only its type has."""
    if package_type == "npm":
        return f"@{root}/{name}", f"@{root}/{name}-{version}.tgz", {"manifest": {"dependencies": {}}}
    if package_type == "maven":
        full_name = f"com/{slugify(root)}/{name}"
        return full_name, f"{name}-{version}.jar", {"path": f"{full_name}/{version}"}
    if package_type == "pypi":
        return name, f"{name}-{version}.tar.gz", {"requires_python": ">=3.6"}
    return name, f"{name}.bin", {}


def _image_names(total: int) -> Iterator[str]:
    yield ""
    yield from (f"service-{number}" for number in range(1, total))


def generate_clusters(ctx: WriteContext, owner: Routable, total: int, random: SeededRandom, words: Words) -> None:
    """Add clusters to a project or group, each for environments of its own."""
    existing = len(clusters.list_clusters(ctx.world, owner))
    for number, time in enumerate(random.moments(total, ctx.now() - _SINCE, ctx.now()), existing):
        times: dict[str, Any] = dict.fromkeys(("created_at", "updated_at"), to_iso(time))
        name = slugify(random.pick(words.terms))
        clusters.create(
            ctx,
            owner,
            name=f"{name}-{number + 1}",
            environment_scope=f"{name}-{number + 1}/*" if number else "*",
            platform_kubernetes={"api_url": f"https://{name}-{number + 1}.example.com", "token": "token-of-a-cluster"},
            **times,
        )
