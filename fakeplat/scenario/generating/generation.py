"""Generation of the records of a `generate` entry: groups and projects first, then their contents."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import cycle, islice
from typing import Any, Final, NoReturn, TypeVar, cast, get_args

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.domain.ci import jobs, pipelines
from fakeplat.domain.groups import groups
from fakeplat.domain.issues import issues
from fakeplat.domain.merge_requests import merge_requests
from fakeplat.domain.people import members, namespaces, tokens, users
from fakeplat.domain.planning import labels, milestones
from fakeplat.domain.projects import projects
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.reviews import diff_versions
from fakeplat.domain.settings import default_branch
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import Group, Level, Namespace, User, Visibility, rank
from fakeplat.model.projects import Project, Routable
from fakeplat.model.repository import Declared
from fakeplat.policy.features import has_feature
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.generating.histories import README, History, HistorySize
from fakeplat.scenario.generating.pipelines import People, PipelineRows, list_pushes
from fakeplat.scenario.generating.published import Published, generate_clusters
from fakeplat.scenario.generating.reviews import BranchLine, Reviews, list_branches
from fakeplat.scenario.generating.rows import ProjectContents, Row, Rows, unique_names
from fakeplat.scenario.generating.seeded_random import SeededRandom
from fakeplat.scenario.generating.words import words_of
from fakeplat.scenario.loader import report_progress
from fakeplat.scenario.sections.projects.projects import default_creator

_PURPOSE: Final = "generate"
_BATCH: Final = 1_000
_COMMITS_FOR_PIPELINES: Final = 50
"""The most commits that are generated for pipelines of a project that has none."""
_COMMITS_PER_TAG: Final = 3
_KINDS: Final = ("user", "group", "project")
_LEVELS: Final = (Level.OWNER, Level.MAINTAINER, Level.DEVELOPER, Level.DEVELOPER, Level.REPORTER, Level.GUEST)
_VISIBILITIES: Final[tuple[Visibility, ...]] = get_args(Visibility)

T = TypeVar("T")


class Generation:
    """The generation of the records of one entry."""

    def __init__(self, entry: Entry) -> None:
        ctx = entry.ctx
        # Every call draws another value, so that two equal entries generate different records.
        self._purpose = f"{_PURPOSE} {ctx.random_hex(_PURPOSE)}"
        self._entry, self._ctx, self._world = entry, ctx, ctx.world
        seed = ctx.world.setup.seed
        self._rows = Rows(SeededRandom(seed, self._purpose), words_of(seed), ctx.now())
        self._target = self._find_target()

    def _find_target(self) -> User | Routable | None:
        path, loader = self._entry.values.get("into"), self._entry.loader
        if path is None:
            return None
        record = next((record for kind in _KINDS if (record := loader.find(kind, path)) is not None), None)
        return self._fail_unknown(path) if record is None else cast(User | Routable, record)

    def _fail_unknown(self, path: str) -> NoReturn:
        suggestions = (self._entry.loader.suggest_name(kind, path) for kind in _KINDS)
        self._entry.fail(
            f"unknown group, project or user {path!r}", "into", nearest_name(path, filter(None, suggestions))
        )

    def run(self) -> None:
        """Generate everything; groups and projects first."""
        people = self._users(self._count("users"))
        groups_ = self._groups(self._count("groups"))
        self._join(people, groups_ or [self._target])
        projects_ = self._projects(self._count("projects"), groups_)
        containers: Sequence[Any] = projects_ or groups_ or [self._target]
        contents: Sequence[Any] = projects_ or self._existing_projects() or [self._target]
        self._spread("labels", containers, (Project, Group), self._labels)
        self._spread("milestones", containers, (Project, Group), self._milestones)
        self._spread("issues", contents, (Project,), self._issues)
        self._histories(contents)
        self._spread("merge_requests", contents, (Project,), self._merge_requests)
        self._spread("pipelines", contents, (Project,), self._pipelines)
        self._spread("releases", contents, (Project,), self._releases)
        for key in ("packages", "container_repositories"):
            self._spread(key, contents, (Project,), partial(self._publish, key))
        self._spread("clusters", containers, (Project, Group), self._clusters)

    def _existing_projects(self) -> list[Project]:
        """Return the projects of the target, if it is a group (with its subgroups) or a user."""
        target = self._target
        if isinstance(target, User):
            target = namespaces.user_namespace(self._world, target)
        return list(namespaces.list_projects_within(self._world, target)) if isinstance(target, Namespace) else []

    def _count(self, key: str) -> int:
        return int(self._entry.values.get(key, 0))

    def _users(self, total: int) -> list[User]:
        world = self._world
        rows: Any = self._rows.users(total, unique_names(lambda name: users.is_username_taken(world, name)))
        created = users.create_many(self._ctx, list(rows))
        for user in created:
            token = tokens.create(self._ctx, user, value=f"{user.username}-token")
            world.tokens.change(token, created_at=user.created_at)
        return created

    def _join(self, people: Sequence[User], containers: Sequence[object]) -> None:
        """Make each user a member of one container; the first member of a new group becomes its owner."""
        for number, (user, container) in enumerate(zip(people, cycle(containers), strict=False)):
            if isinstance(container, Project | Group) and members.find_member(self._world, container, user) is None:
                # The users are distributed in rounds, one to each container, and each round has a level of its own.
                level = _LEVELS[number // len(containers) % len(_LEVELS)]
                # Only groups have members who are owners, and a group that existed before has an owner already.
                if level == Level.OWNER and (isinstance(container, Project) or container is self._target):
                    level = Level.MAINTAINER
                member = members.add_member(self._ctx, container, user, level)
                self._world.members.change(member, created_at=max(user.created_at, container.created_at))

    def _groups(self, total: int) -> list[Group]:
        parent = self._target
        if not total:
            return []
        if not isinstance(parent, Group | None):
            self._entry.fail("groups can only be generated at the top level or in a group", "groups")
        parent_id = parent.id if parent else None
        rows: Any = self._rows.groups(total, self._path_check(parent_id), self._visibilities(parent))
        return groups.create_many(self._ctx, parent, list(rows))

    def _projects(self, total: int, groups_: Sequence[Group]) -> list[Project]:
        if not total:
            return []
        if isinstance(self._target, User):
            target_namespaces: Sequence[Namespace] = [namespaces.user_namespace(self._world, self._target)]
        else:
            target_namespaces = groups_ or ([self._target] if isinstance(self._target, Group) else [])
        if not target_namespaces:
            self._entry.fail("projects need groups, or 'into' with a group or user", "projects")
        return [
            project
            for namespace, share in _shares(total, target_namespaces)
            for project in self._projects_in(namespace, share)
        ]

    def _projects_in(self, namespace: Namespace, total: int) -> list[Project]:
        creator = default_creator(self._world, namespace)
        visibilities = self._visibilities(namespace if isinstance(namespace, Group) else None)
        rows: list[Any] = list(self._rows.projects(total, self._path_check(namespace.id), visibilities))
        created = projects.create_many(self._ctx, namespace, creator, rows)
        for project in created:
            membership = members.find_member(self._world, project, creator)
            if membership is not None:
                self._world.members.change(membership, created_at=project.created_at)
        return created

    def _path_check(self, parent_id: int | None) -> Callable[[str], bool]:
        world = self._world

        def is_taken(path: str) -> bool:
            if world.namespaces.find("place", (parent_id, path)):
                return True
            return bool(
                world.projects.find("place", (parent_id, path)) or world.projects.find("name", (parent_id, path))
            )

        return unique_names(is_taken)

    def _visibilities(self, parent: Group | None) -> Sequence[Visibility]:
        visibility = self._entry.values.get("visibility")
        highest = rank(parent.visibility) if parent else max(map(rank, _VISIBILITIES))
        return (
            [visibility] if visibility else [visibility for visibility in _VISIBILITIES if rank(visibility) <= highest]
        )

    def _spread(
        self, key: str, containers: Sequence[T], kinds: tuple[type, ...], generate: Callable[[T, int], object]
    ) -> None:
        total = self._count(key)
        if not total:
            return
        if not isinstance(containers[0], kinds):
            kind_names = " or ".join(f"a {kind.__name__.lower()}" for kind in kinds)
            self._entry.fail(f"{key} need projects, or 'into' with {kind_names}", key)
        for container, share in _shares(total, containers):
            generate(container, share)

    def _labels(self, container: Routable, total: int) -> None:
        known_titles = {label.title for label in labels.list_available(self._world, container)}
        labels.create_many(self._ctx, container, list(self._rows.labels(total, unique_names(known_titles))))

    def _milestones(self, container: Routable, total: int) -> None:
        known_titles = {milestone.title for milestone in milestones.list_available(self._world, container)}
        milestones.create_many(self._ctx, container, list(self._rows.milestones(total, unique_names(known_titles))))

    def _issues(self, project: Project, total: int) -> None:
        rows = self._rows.issues(total, self._project_contents(project))
        # In batches, so that the rows of all issues are never in memory at once.
        for first in range(0, total, _BATCH):
            batch = list(islice(rows, _BATCH))
            issues.create_many(self._ctx, project, batch)
            report_progress(f"{first + len(batch):,} of {total:,} issues of {project.path}")

    def _project_contents(self, project: Project) -> ProjectContents:
        world = self._world
        return ProjectContents(
            self._author_ids(project),
            [label.id for label in labels.list_available(world, project)],
            [milestone.id for milestone in milestones.list_available(world, project)],
            premium=has_feature(world, "premium", project),
            ultimate=has_feature(world, "ultimate", project),
        )

    def _merge_requests(self, project: Project, total: int) -> None:
        """One request per branch without one; if there are no such branches, generate them. The rest are closed."""
        branches = self._branches_without_request(project) or self._generate_branches(project, total)
        project = self._world.projects[project.id]
        seed = self._world.setup.seed
        random = SeededRandom(seed, f"{self._purpose} merge requests {project.id}")
        reviews = Reviews(
            random, words_of(seed), self._project_contents(project), project.default_branch or "", self._ctx.now()
        )
        rows = list(reviews.rows(total, branches, project.id))
        for merge_request in merge_requests.create_many(self._ctx, project, rows):
            diff_versions.declare_version(self._ctx, merge_request)

    def _branches_without_request(self, project: Project) -> list[BranchLine]:
        """Return the branches of a project's declared commits that have no merge request."""
        project = self._world.projects[project.id]
        record = repositories.record_of(self._world, project)
        branches = (
            list_branches(record.declared.commits, project.default_branch or "") if record and record.declared else []
        )
        used = {
            merge_request.source_branch
            for merge_request in merge_requests.list_project_merge_requests(self._world, project)
        }
        return [branch for branch in branches if branch.name not in used]

    def _generate_branches(self, project: Project, total: int) -> list[BranchLine]:
        """Generate branches, some of them merged, and return those without a merge request."""
        # Enough commits for one commit and one merge per branch, besides the initial commit.
        self._history(project, HistorySize(2 * total + 1, total, 0, self._authors(project), self._ctx.now()))
        return self._branches_without_request(project)

    def _histories(self, containers: Sequence[object]) -> None:
        totals = [self._count(key) for key in ("commits", "branches", "tags")]
        if not any(totals):
            return
        if not isinstance(containers[0], Project):
            self._entry.fail("commits need projects, or 'into' with a project", "commits")
        shares = [[share for _, share in _shares(count, containers)] for count in totals]
        for project, commits, branches, tags in zip(containers, *shares, strict=True):
            if branches and branches >= commits:
                self._entry.fail(f"a project with {branches} branches needs more than {commits} commits", "branches")
            if tags and not commits:
                self._entry.fail("tags need commits", "tags")
            if commits:
                self._history(project, HistorySize(commits, branches, tags, self._authors(project), self._ctx.now()))

    def _history(self, project: Project, size: HistorySize) -> None:
        """Generate the history of a project, or continue its declared history."""
        # Records are immutable; the project may have been changed since it was passed on.
        project = self._world.projects[project.id]
        record = repositories.record_of(self._world, project)
        if record is not None and record.declared is None:
            self._entry.fail("can only be added to a repository that is declared by its commits", "commits")
        declared_before = record.declared if record else None
        main = project.default_branch or default_branch(self._world)
        title, purpose = project.name, f"{self._purpose} {project.id}"
        seed = self._world.setup.seed
        history = History(seed, purpose, size, main, title, declared_before.commits if declared_before else ())
        declared = Declared(
            history.write,
            declared_before.readme if declared_before else README,
            declared_before is not None and declared_before.closes,
            declared_before is not None and declared_before.names_owners,
        )
        repositories.declare_repository(self._ctx, project, declared, main)
        protection.protect_default(self._ctx, project, main)

    def _pipelines(self, project: Project, total: int) -> None:
        """Generate pipelines with jobs for the commits of a project, which get generated if there are none."""
        if total and repositories.is_empty(self._world, project):
            commits = min(total, _COMMITS_FOR_PIPELINES)
            self._history(project, HistorySize(commits, 0, 0, self._authors(project), self._ctx.now()))
        project = self._world.projects[project.id]
        main = project.default_branch or default_branch(self._world)
        author_ids = self._author_ids(project)
        people = People(author_ids, {self._world.users[id_].email: id_ for id_ in author_ids})
        source = PipelineRows(
            SeededRandom(self._world.setup.seed, f"{self._purpose} pipelines {project.id}"),
            people,
            main,
            self._own_merge_requests(project),
            self._ctx.now(),
        )
        rows = source.rows(total, list_pushes(repositories.open_repository(self._world, project), main))
        self._create_pipelines(project, rows)

    def _releases(self, project: Project, total: int) -> None:
        """Generate releases of the tags of a project; if there are no tags, generate them with their commits."""
        if total and not repositories.open_repository(self._world, project).tags():
            size = HistorySize(_COMMITS_PER_TAG * total, 0, total, self._authors(project), self._ctx.now())
            self._history(project, size)
        self._publish("releases", project, total)

    def _publish(self, key: str, project: Project, total: int) -> None:
        """Generate releases, packages or container repositories of a project."""
        seed = self._world.setup.seed
        random = SeededRandom(seed, f"{self._purpose} {key} {project.id}")
        current = self._world.projects[project.id]
        published = Published(self._ctx, current, random, words_of(seed), self._author_ids(current))
        getattr(published, key)(total)

    def _clusters(self, container: Routable, total: int) -> None:
        seed = self._world.setup.seed
        random = SeededRandom(seed, f"{self._purpose} clusters {container.id}")
        generate_clusters(self._ctx, container, total, random, words_of(seed))

    def _own_merge_requests(self, project: Project) -> list[MergeRequest]:
        requests = merge_requests.list_project_merge_requests(self._world, project)
        return [merge_request for merge_request in requests if merge_request.source_project_id == project.id]

    def _create_pipelines(self, project: Project, rows: Sequence[tuple[Row, Sequence[Row]]]) -> None:
        is_protected = cache(partial(protection.is_protected, self._world, project))
        new: list[Any] = [{**row, "protected": is_protected(row["ref"], tag=row["tag"])} for row, _ in rows]
        created = pipelines.create_many(self._ctx, project, new)
        jobs.create_many(
            self._ctx,
            (
                {**job_row, "pipeline_id": pipeline.id, "project_id": project.id}
                for pipeline, (_, job_rows) in zip(created, rows, strict=True)
                for job_row in job_rows
            ),
        )

    def _authors(self, project: Project) -> list[tuple[str, str]]:
        users_ = (self._world.users[id_] for id_ in self._author_ids(project))
        return [(user.name, user.email) for user in users_]

    def _author_ids(self, project: Project) -> list[int]:
        """Return the ids of the authors of a project's issues: its members, or its creator if there are none."""
        member_ids = [member.user_id for member in members.list_inherited(self._world, project)]
        namespace = self._world.namespaces[project.namespace_id]
        return member_ids or [project.creator_id or default_creator(self._world, namespace).id]


def _shares(total: int, containers: Sequence[T]) -> Iterator[tuple[T, int]]:
    """Distribute a total evenly over containers; the first ones get one more if there is a remainder."""
    base, remainder = divmod(total, len(containers))
    return ((container, base + (number < remainder)) for number, container in enumerate(containers))
