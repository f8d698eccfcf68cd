"""Repositories of projects: how they are read, and the one place where their refs move.

Source: docs/platform/specification.md ('Repository'), docs/platform/git-over-http.md ('Push effects').
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from immutables import Map

from fakeplat.core.store.frozen import frozen
from fakeplat.domain import signals
from fakeplat.domain.repository import protection
from fakeplat.domain.repository import readme_and_license as landmarks
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES, TAGS, Declared, DeclaredCommit, Refs, Repository
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.history_builder import Change
    from fakeplat.git.objects import Objects
    from fakeplat.git.records import Person
    from fakeplat.git.repository import Repository as Git
    from fakeplat.model.users import User

ZERO: Final = "0" * 40
_OPENED: Final = 256


@frozen
class Push:
    """One ref that moved, as it is told to whoever listens (event ``ref_moved``).

    ``before`` and ``after`` are hashes, 40 zeros where the ref was not there or is no more. ``user_id``: who pushed.
    """

    project_id: int
    ref: str
    before: str
    after: str
    user_id: int | None
    options: tuple[str, ...] = ()


def open_repository(world: World, project: Project) -> "Git":
    """A project's repository, to be asked; an empty one where nothing was pushed. What was declared is built now."""
    record = record_of(world, project)
    objects = world.setup.store.objects
    if record is None:
        return _git(objects, Map(), _first_head(world, project))
    refs, head = find_repository(world, record)
    return _git(objects, refs, head)


def record_of(world: World, project: Project) -> Repository | None:
    """The record of a project's repository; None where nothing was ever pushed."""
    return world.repositories.find("project", project.id)


def find_repository(world: World, record: Repository) -> tuple[Refs, str]:
    """The refs of a repository, and the ref that HEAD stands for."""
    if record.refs is not None:
        return record.refs, record.head
    return _built(world, record)


def is_empty(world: World, project: Project) -> bool:
    """Whether a project has no branch; what is declared but not built is never empty."""
    record = record_of(world, project)
    return record is None or (record.refs is not None and not any(name.startswith(BRANCHES) for name in record.refs))


def declare(ctx: WriteContext, project: Project, declared: Declared, head: str) -> Repository:
    """Give a project the repository that a scenario says, in the place of any; ``head`` is its default branch."""
    return _put(ctx, project, None, head, declared)


def adopt(ctx: WriteContext, project: Project, refs: Refs, head: str | None) -> Repository:
    """Give a project refs to what the store holds, in the place of any. ``head``: the ref that HEAD stood for."""
    wanted = head or _first_head(ctx.world, project)
    chosen = default_of(refs, wanted)
    return _put(ctx, project, refs, chosen or wanted.removeprefix(BRANCHES), None)


def _put(ctx: WriteContext, project: Project, refs: Refs | None, head: str, declared: Declared | None) -> Repository:
    table, before = ctx.world.repositories, record_of(ctx.world, project)
    whole = BRANCHES + head
    if refs is None or whole in refs:
        ctx.world.projects.change(ctx.world.projects[project.id], default_branch=head)
    if before is not None:
        return table.change(before, refs=refs, head=whole, declared=declared)
    return table.add(Repository(table.next_id(), project.id, refs, whole, declared))


def move_refs(
    ctx: WriteContext,
    project: Project,
    updates: Mapping[str, str | None],
    user: "User | None",
    options: Sequence[str] = (),
) -> None:
    """Point refs (whole names) to other hashes; None takes one away. Nobody's rights are asked.

    The first branch ever pushed makes the default branch: of those pushed together HEAD's, else ``master``, else the
    first by name. Tells ``ref_moved`` for each.
    """
    signals.refs_changing.send(ctx, project)
    record = record_of(ctx.world, project) or _new(ctx, project)
    refs, head = find_repository(ctx.world, record)
    before = {name: refs.get(name, ZERO) for name in updates}
    had_branches = any(name.startswith(BRANCHES) for name in refs)
    for name, sha in updates.items():
        refs = refs.set(name, sha) if sha else refs.delete(name) if name in refs else refs
    ctx.world.repositories.change(record, refs=refs, head=head, declared=None)
    ctx.world.projects.change(ctx.world.projects[project.id], last_activity_at=ctx.now_iso)
    if not had_branches:
        _settle_default(ctx, ctx.world.projects[project.id], refs, head)
    for name, sha in updates.items():
        pushed = Push(project.id, name, before[name], sha or ZERO, user.id if user else None, tuple(options))
        if pushed.before != pushed.after:
            ctx.emit("ref_moved", pushed)
            signals.ref_changed.send(ctx, pushed)


def keep_objects(ctx: WriteContext, project: Project, refs: Mapping[str, str]) -> None:
    """Set refs that are the platform's own (``refs/merge-requests/1/head``): nothing follows from it."""
    record = record_of(ctx.world, project) or _new(ctx, project)
    known, head = find_repository(ctx.world, record)
    if any(known.get(name) != sha for name, sha in refs.items()):
        ctx.world.repositories.change(record, refs=known.update(refs), head=head, declared=None)


def make_default(ctx: WriteContext, project: Project, branch: str) -> Project:
    """Let HEAD stand for another branch, which is there."""
    record = record_of(ctx.world, project) or _new(ctx, project)
    refs, _ = find_repository(ctx.world, record)
    ctx.world.repositories.change(record, refs=refs, head=BRANCHES + branch, declared=None)
    return ctx.world.projects.change(ctx.world.projects[project.id], default_branch=branch)


def copy_repository(ctx: WriteContext, source: Project, target: Project) -> None:
    """Give a project the branches and tags of another, next to its own; the objects are the same ones."""
    git = open_repository(ctx.world, source)
    record = record_of(ctx.world, target) or _new(ctx, target)
    own, head = find_repository(ctx.world, record)
    had_branches = any(name.startswith(BRANCHES) for name in own)
    refs: Refs = Map({**{n: sha for n, sha in git.refs.items() if n.startswith((BRANCHES, TAGS))}, **own})
    head = head if had_branches else git.head or head
    ctx.world.repositories.change(record, refs=refs, head=head, declared=None)
    if not had_branches:
        _settle_default(ctx, target, refs, head)


def git_person(ctx: WriteContext, user: "User", *, name: str | None = None, email: str | None = None) -> "Person":
    """Somebody as an author or committer, now."""
    from fakeplat.git.records import Person

    return Person(name or user.name, email or user.email, ctx.now() // 1000)


def readme(world: World, project: Project) -> str | None:
    """The path of the README on the default branch; of what is declared but not built, as it was declared."""
    record = record_of(world, project)
    if record is not None and record.refs is None:
        return record.declared.readme if record.declared else None
    return landmarks.find_readme(root_names(world, project))


def license_path(world: World, project: Project) -> str | None:
    """The path of the licence on the default branch."""
    return landmarks.find_license_file(root_names(world, project))


def license_of(world: World, project: Project) -> landmarks.License | None:
    """The licence on the default branch, by its content; None where there is no such file."""
    path = license_path(world, project)
    return None if path is None else landmarks.detect_license(open_repository(world, project).file("HEAD", path))


def root_names(world: World, project: Project) -> list[str]:
    """The names of the files at the root of the default branch."""
    git = open_repository(world, project)
    return [] if git.head not in git.refs else [one.path for one in git.tree("HEAD") if one.kind == "blob"]


def languages(world: World, project: Project) -> dict[str, float]:
    """The share of each language in per cent, largest first: as a scenario says, else as the default branch has it."""
    if project.languages:
        return dict(project.languages)
    git = open_repository(world, project)
    return git.languages() if git.head in git.refs else {}


def measure_size(world: World, project: Project) -> tuple[int, int]:
    """How many commits the default branch has, and how many bytes all that refs lead to has. Kept while refs stand."""
    git = open_repository(world, project)
    kept: dict[object, tuple[int, int]] = git.objects.kept.setdefault("measured", {})
    key = (git.head, frozenset(git.refs.values()))
    if key not in kept:
        kept[key] = (git.count() if git.head in git.refs else 0, git.size())
    return kept[key]


def _first_head(world: World, project: Project) -> str:
    """What HEAD stands for where nothing was pushed yet."""
    return f"{BRANCHES}{project.default_branch or world.instance.default_branch}"


def _new(ctx: WriteContext, project: Project) -> Repository:
    table = ctx.world.repositories
    return table.add(Repository(table.next_id(), project.id, Map(), _first_head(ctx.world, project)))


def _settle_default(ctx: WriteContext, project: Project, refs: Refs, head: str) -> None:
    chosen = default_of(refs, head)
    if chosen is None:
        return
    make_default(ctx, project, chosen)
    protection.protect_default(ctx, project, chosen)


def default_of(refs: Mapping[str, str], head: str) -> str | None:
    """The default branch among the first that were pushed; None where none was."""
    branches = sorted(name.removeprefix(BRANCHES) for name in refs if name.startswith(BRANCHES))
    for wanted in (head.removeprefix(BRANCHES), "master"):
        if wanted in branches:
            return wanted
    return next(iter(branches), None)


def _git(objects: "Objects", refs: Refs, head: str) -> "Git":
    """The repository with these refs: the one that was opened before, with all that it worked out, if there is one."""
    from fakeplat.git.repository import Repository as Git

    kept: dict[int, tuple[Refs, Git]] = objects.kept.setdefault("opened", {})
    known = kept.get(id(refs))
    if known is not None and known[0] is refs and known[1].head == head and known[1].objects is objects:
        return known[1]
    if len(kept) >= _OPENED:
        kept.clear()
    made = Git(objects, refs, head)
    kept[id(refs)] = (refs, made)
    return made


def _built(world: World, record: Repository) -> tuple[Refs, str]:
    """The refs of what a scenario declares; built once for all worlds made from it."""
    objects, declared = world.setup.store.first, record.declared
    built: dict[Declared | None, tuple[Refs, str]] = objects.kept.setdefault("declared", {})
    if declared not in built:
        built[declared] = _build(objects, declared, record.head)
    return built[declared]


def _build(objects: "Objects", declared: Declared | None, head: str) -> tuple[Refs, str]:
    from fakeplat.git.history_builder import build_history

    if declared is None:
        return Map(), head
    return Map(build_history(objects, [change_from_declared(commit) for commit in declared.commits])), head


def change_from_declared(commit: DeclaredCommit) -> "Change":
    """A commit that a scenario says, as git makes it."""
    from fakeplat.git.history_builder import Change, File
    from fakeplat.git.records import Person

    return Change(
        commit.message,
        Person(*commit.author, commit.when),
        {path: file and File(*file) for path, file in commit.files.items()},
        branch=commit.branch,
        start=commit.start,
        merges=commit.merges,
        tags=commit.tags,
    )
