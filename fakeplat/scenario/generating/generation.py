"""Making by chance what an entry of the list `generate` asks for: places first, then what goes into them."""

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import Any, Final, NoReturn, TypeVar, cast, get_args

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.domain.issues import issues
from fakeplat.domain.merge_requests import diff_versions, merge_requests
from fakeplat.domain.people import groups, members, namespaces, tokens, users
from fakeplat.domain.people.members import Place
from fakeplat.domain.planning import labels, milestones
from fakeplat.domain.projects import projects
from fakeplat.domain.repository import protection, repositories
from fakeplat.model.levels import Level, Visibility, rank
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.model.repositories import Declared
from fakeplat.model.users import User
from fakeplat.policy.features import has_feature
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.generating.histories import README, History, HistorySize
from fakeplat.scenario.generating.reviews import BranchLine, Reviews, list_branches
from fakeplat.scenario.generating.rows import ProjectContents, Rows, unique_names
from fakeplat.scenario.generating.seeded_random import SeededRandom
from fakeplat.scenario.generating.words import words_of
from fakeplat.scenario.sections.projects import default_creator

_PURPOSE: Final = "generate"
_KINDS: Final = ("user", "group", "project")
_LEVELS: Final = (Level.OWNER, Level.MAINTAINER, Level.DEVELOPER, Level.DEVELOPER, Level.REPORTER, Level.GUEST)
_VISIBILITIES: Final[tuple[Visibility, ...]] = get_args(Visibility)

T = TypeVar("T")


class Generation:
    """The making of what one entry asks for."""

    def __init__(self, entry: Entry) -> None:
        ctx = entry.ctx
        self._purpose = f"{_PURPOSE} {ctx.random_hex(_PURPOSE)}"
        self._entry, self._ctx, self._world = entry, ctx, ctx.world
        seed = ctx.world.setup.seed
        self._rows = Rows(SeededRandom(seed, self._purpose), words_of(seed), ctx.now())
        self._into = self._found()

    def _found(self) -> User | Place | None:
        path, seeding = self._entry.said.get("into"), self._entry.seeding
        if path is None:
            return None
        found = next((there for kind in _KINDS if (there := seeding.find(kind, path)) is not None), None)
        return self._unknown(path) if found is None else cast(User | Place, found)

    def _unknown(self, path: str) -> NoReturn:
        near = (self._entry.seeding.nearest(kind, path) for kind in _KINDS)
        self._entry.wrong(f"unknown group, project or user {path!r}", "into", nearest_name(path, filter(None, near)))

    def run(self) -> None:
        """Make it all, places first."""
        people = self._users(self._count("users"))
        groups_ = self._groups(self._count("groups"))
        self._join(people, groups_ or [self._into])
        projects_ = self._projects(self._count("projects"), groups_)
        places: Sequence[Any] = projects_ or groups_ or [self._into]
        self._spread("labels", places, (Project, Group), self._labels)
        self._spread("milestones", places, (Project, Group), self._milestones)
        self._spread("issues", projects_ or [self._into], (Project,), self._issues)
        self._histories(projects_ or [self._into])
        self._spread("merge_requests", projects_ or [self._into], (Project,), self._merge_requests)

    def _count(self, key: str) -> int:
        return int(self._entry.said.get(key, 0))

    def _users(self, wanted: int) -> list[User]:
        world = self._world
        rows = self._rows.users(wanted, unique_names(lambda name: users.is_username_taken(world, name)))
        made = users.create_many(self._ctx, list(rows))
        for user in made:
            token = tokens.create(self._ctx, user, value=f"{user.username}-token")
            world.tokens.change(token, created_at=user.created_at)
        return made

    def _join(self, people: Sequence[User], places: Sequence[Any]) -> None:
        """Everybody becomes a member of a place; the first of a new group owns it."""
        for number, (user, place) in enumerate(zip(people, cycle(places), strict=False)):
            if isinstance(place, Project | Group) and members.find_member(self._world, place, user) is None:
                level = _LEVELS[number // len(places) % len(_LEVELS)]
                if level == Level.OWNER and (isinstance(place, Project) or place is self._into):
                    level = Level.MAINTAINER
                member = members.add_member(self._ctx, place, user, level)
                self._world.members.change(member, created_at=max(user.created_at, place.created_at))

    def _groups(self, wanted: int) -> list[Group]:
        parent = self._into
        if not wanted:
            return []
        if not isinstance(parent, Group | None):
            self._entry.wrong("groups are made at the top or in a group", "groups")
        place = parent.id if parent else None
        rows = self._rows.groups(wanted, self._taken(place), self._visibilities(parent))
        return groups.create_many(self._ctx, parent, list(rows))

    def _projects(self, wanted: int, made: Sequence[Group]) -> list[Project]:
        if not wanted:
            return []
        if isinstance(self._into, User):
            spaces: Sequence[Namespace] = [namespaces.user_namespace(self._world, self._into)]
        else:
            spaces = made or ([self._into] if isinstance(self._into, Group) else [])
        if not spaces:
            self._entry.wrong("projects need groups, or to go into a group or user", "projects")
        return [project for space, share in _shares(wanted, spaces) for project in self._projects_in(space, share)]

    def _projects_in(self, space: Namespace, wanted: int) -> list[Project]:
        creator = default_creator(self._world, space)
        visibilities = self._visibilities(space if isinstance(space, Group) else None)
        rows = list(self._rows.projects(wanted, self._taken(space.id), visibilities))
        made = projects.create_many(self._ctx, space, creator, rows)
        for project in made:
            own = members.find_member(self._world, project, creator)
            if own is not None:
                self._world.members.change(own, created_at=project.created_at)
        return made

    def _taken(self, place: int | None) -> Callable[[str], bool]:
        world = self._world

        def taken(path: str) -> bool:
            if world.namespaces.find("place", (place, path)):
                return True
            return bool(world.projects.find("place", (place, path)) or world.projects.find("name", (place, path)))

        return unique_names(taken)

    def _visibilities(self, parent: Group | None) -> Sequence[Visibility]:
        said = self._entry.said.get("visibility")
        most = rank(parent.visibility) if parent else max(map(rank, _VISIBILITIES))
        return [said] if said else [visibility for visibility in _VISIBILITIES if rank(visibility) <= most]

    def _spread(
        self, key: str, places: Sequence[Any], kinds: tuple[type, ...], make: Callable[[Any, int], Any]
    ) -> None:
        wanted = self._count(key)
        if not wanted:
            return
        if not isinstance(places[0], kinds):
            words_ = " or ".join(f"a {kind.__name__.lower()}" for kind in kinds)
            self._entry.wrong(f"{key} need projects, or to go into {words_}", key)
        for place, share in _shares(wanted, places):
            make(place, share)

    def _labels(self, place: Place, wanted: int) -> None:
        known = {label.title for label in labels.list_available(self._world, place)}
        labels.create_many(self._ctx, place, list(self._rows.labels(wanted, unique_names(known))))

    def _milestones(self, place: Place, wanted: int) -> None:
        known = {milestone.title for milestone in milestones.list_available(self._world, place)}
        milestones.create_many(self._ctx, place, list(self._rows.milestones(wanted, unique_names(known))))

    def _issues(self, project: Project, wanted: int) -> None:
        issues.create_many(self._ctx, project, list(self._rows.issues(wanted, self._scene(project))))

    def _scene(self, project: Project) -> ProjectContents:
        world = self._world
        return ProjectContents(
            self._people(project),
            [label.id for label in labels.list_available(world, project)],
            [milestone.id for milestone in milestones.list_available(world, project)],
            premium=has_feature(world, "premium", project),
            ultimate=has_feature(world, "ultimate", project),
        )

    def _merge_requests(self, project: Project, wanted: int) -> None:
        """One for each branch of a project that has none; the rest are closed. Without any they are made."""
        found = self._lines(project) or self._new_lines(project, wanted)
        project = self._world.projects[project.id]
        seed = self._world.setup.seed
        dice = SeededRandom(seed, f"{self._purpose} merge requests {project.id}")
        reviews = Reviews(dice, words_of(seed), self._scene(project), project.default_branch or "", self._ctx.now())
        rows = [{**row, "source_project_id": project.id} for row in reviews.rows(wanted, found)]
        for made in merge_requests.create_many(self._ctx, project, rows):
            diff_versions.declare_version(self._ctx, made)

    def _lines(self, project: Project) -> list[BranchLine]:
        """The branches that a project's commits declare and that have no merge request."""
        project = self._world.projects[project.id]
        record = repositories.record_of(self._world, project)
        found = (
            list_branches(record.declared.commits, project.default_branch or "") if record and record.declared else []
        )
        taken = {one.source_branch for one in merge_requests.list_project_merge_requests(self._world, project)}
        return [line for line in found if line.name not in taken]

    def _new_lines(self, project: Project, wanted: int) -> list[BranchLine]:
        """So many branches more, some of them merged."""
        self._history(project, HistorySize(2 * wanted + 1, wanted, 0, self._authors(project), self._ctx.now()))
        return self._lines(project)

    def _histories(self, places: Sequence[Any]) -> None:
        wanted = [self._count(key) for key in ("commits", "branches", "tags")]
        if not any(wanted):
            return
        if not isinstance(places[0], Project):
            self._entry.wrong("commits need projects, or to go into a project", "commits")
        shares = [[share for _, share in _shares(count, places)] for count in wanted]
        for project, commits, branches, tags in zip(places, *shares, strict=True):
            if branches and branches >= commits:
                self._entry.wrong(f"{branches} branches in a project need more than {commits} commits", "branches")
            if tags and not commits:
                self._entry.wrong("tags need commits", "tags")
            if commits:
                self._history(project, HistorySize(commits, branches, tags, self._authors(project), self._ctx.now()))

    def _history(self, project: Project, scope: HistorySize) -> None:
        """A history of its own, or one that goes on from what is declared."""
        project = self._world.projects[project.id]
        record = repositories.record_of(self._world, project)
        if record is not None and record.declared is None:
            self._entry.wrong("only a repository that is declared by its commits can be gone on with", "commits")
        before = record.declared if record else None
        main = project.default_branch or self._ctx.instance.default_branch
        title, purpose = project.name, f"{self._purpose} {project.id}"
        seed = self._world.setup.seed
        history = History(seed, purpose, scope, main, title, before.commits if before else ())
        declared = Declared(history.write, before.readme if before else README, before is not None and before.closes)
        repositories.declare(self._ctx, project, declared, main)
        protection.protect_default(self._ctx, project, main)

    def _authors(self, project: Project) -> list[tuple[str, str]]:
        people = (self._world.users[id_] for id_ in self._people(project))
        return [(user.name, user.email) for user in people]

    def _people(self, project: Project) -> list[int]:
        """Who writes issues of a project: its members, else who made it."""
        found = [member.user_id for member in members.list_inherited(self._world, project)]
        space = self._world.namespaces[project.namespace_id]
        return found or [project.creator_id or default_creator(self._world, space).id]


def _shares(wanted: int, places: Sequence[T]) -> Iterator[tuple[T, int]]:
    """As many for each place as for any other; the first ones have one more where it does not come out even."""
    each, more = divmod(wanted, len(places))
    return ((place, each + (number < more)) for number, place in enumerate(places))
