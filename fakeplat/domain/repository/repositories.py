"""Repositories of projects: how they are opened, and the only functions that move their refs.

Source: docs/platform/repository.md, docs/platform/git-over-http.md ('Push effects').
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from fakeplat.core.store.persistent_map import Map
from fakeplat.core.store.records import evolve_record
from fakeplat.domain import signals
from fakeplat.domain.people import users
from fakeplat.domain.repository import protection, readme_and_license
from fakeplat.domain.settings import default_branch
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS, ZERO_SHA, Declared, DeclaredCommit, Push, Refs, Repository
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.history_builder import Change
    from fakeplat.git.objects import Objects
    from fakeplat.git.records import Person
    from fakeplat.git.repository import Repository as Git
    from fakeplat.model.people import User

_MAX_OPEN: Final = 256


def open_repository(world: World, project: Project) -> "Git":
    """Open a project's repository for reading, empty if nothing was pushed. A declared one is built on first use."""
    record = record_of(world, project)
    objects = world.setup.store.objects
    if record is None:
        return _open(objects, Map(), _first_head(world, project), ())
    # Keyed by identity, because hashing a map of many refs is slow. The tuple keeps the record alive, so that its id is
    # not reused.
    opened: dict[int, tuple[Repository, Git]] = objects.caches.setdefault("opened", {})
    known_record, known = opened.get(id(record), (None, None))
    # A quarantine shares the caches of the store below it.
    if known is not None and known_record is record and known.objects is objects:
        return known
    # Dropping all is cheaper than tracking use; a repository that is needed again is opened again.
    if len(opened) >= _MAX_OPEN:
        opened.clear()
    git = _open(objects, *get_repository(world, record), record.former)
    opened[id(record)] = record, git
    return git


def record_of(world: World, project: Project) -> Repository | None:
    """Return the record of a project's repository; None if nothing was ever pushed."""
    return world.repositories.find("project", project.id)


def get_repository(world: World, record: Repository) -> tuple[Refs, str]:
    """Return the refs of a repository, and the ref that HEAD points to."""
    if record.refs is not None:
        return record.refs, record.head
    return _build_once(world, record)


def disk_path(project: Project) -> str:
    """Return where the platform stores the repository of a project: under the hash of its id."""
    digest = sha256(str(project.id).encode()).hexdigest()
    return f"@hashed/{digest[:2]}/{digest[2:4]}/{digest}"


def is_empty(world: World, project: Project) -> bool:
    """Return whether a project has no branch; a declared repository that is not built yet is never empty."""
    record = record_of(world, project)
    return record is None or (record.refs is not None and not _has_branches(record.refs))


def _has_branches(refs: Refs) -> bool:
    return any(name.startswith(BRANCHES) for name in refs)


def declare_repository(ctx: WriteContext, project: Project, declared: Declared, head: str) -> Repository:
    """Declare the repository of a project, replacing any other; ``head`` is its default branch."""
    return _set_repository(ctx, project, None, head, declared)


def adopt_refs(ctx: WriteContext, project: Project, refs: Refs, head: str | None) -> Repository:
    """Set a project's refs to objects in the store, replacing any others. ``head``: the ref that HEAD pointed to."""
    # Not by `move_refs`, which would report pushes.
    head_ref = head or _first_head(ctx.world, project)
    branch = choose_default_branch(refs, head_ref)
    return _set_repository(ctx, project, refs, branch or head_ref.removeprefix(BRANCHES), None)


def _set_repository(
    ctx: WriteContext, project: Project, refs: Refs | None, head: str, declared: Declared | None
) -> Repository:
    table, record = ctx.world.repositories, record_of(ctx.world, project)
    head_ref = BRANCHES + head
    # The default branch of a project exists, unless nothing is built yet (refs is None).
    if refs is None or head_ref in refs:
        ctx.world.projects.change(ctx.world.projects[project.id], default_branch=head)
    if record is not None:
        return table.change(record, refs=refs, head=head_ref, declared=declared)
    return table.add(Repository(table.next_id(), project.id, refs, head_ref, declared))


def move_refs(
    ctx: WriteContext,
    project: Project,
    updates: Mapping[str, str | None],
    user: "User | None",
    options: Sequence[str] = (),
) -> None:
    """Move refs (full names) to other hashes without permission checks; None deletes a ref.

    The first push of branches sets the default branch: HEAD's branch if pushed, else ``master``, else the first by
    name.
    """
    # Receivers may still read the repository as it is before the push.
    signals.pre_push.send(ctx, project)
    record = record_of(ctx.world, project) or _create_record(ctx, project)
    refs, head = get_repository(ctx.world, record)
    before = {name: refs.get(name, ZERO_SHA) for name in updates}
    counts = _count_refs_of_events(ctx.world, before, updates)
    had_branches = _has_branches(refs)
    for name, sha in updates.items():
        # A deletion of a ref that does not exist is ignored, as by git.
        refs = refs.set(name, sha) if sha else refs.delete(name) if name in refs else refs
    lost = _list_lost(ctx.world, before, updates)
    former = tuple(dict.fromkeys([*record.former, *lost])) if lost else record.former
    _replace_refs(ctx, record, refs, head, former)
    ctx.world.projects.change(ctx.world.projects[project.id], last_activity_at=ctx.now_iso)
    # Before the receivers run, because some of them ask for the default branch.
    if not had_branches:
        _set_first_default(ctx, ctx.world.projects[project.id], refs, head)
    user_id = user.id if user else None
    pushes = [
        Push(project.id, name, before[name], sha or ZERO_SHA, user_id, tuple(options), counts[name])
        for name, sha in updates.items()
        # A push may name a ref that is there already; only refs that moved have effects.
        if before[name] != (sha or ZERO_SHA)
    ]
    signals.post_push.send(ctx, pushes)
    for pushed in pushes:
        signals.ref_moved.send(ctx, pushed)


def _list_lost(world: World, before: Mapping[str, str], updates: Mapping[str, str | None]) -> list[str]:
    """Return what refs pointed to that they do not lead to any more: they are deleted, or move by force."""
    objects = world.setup.store.objects
    return [
        old
        for name, old in before.items()
        if old != ZERO_SHA and old != (new := updates[name]) and not (new and _is_fast_forward(objects, old, new))
    ]


def _is_fast_forward(objects: "Objects", old: str, new: str) -> bool:
    from fakeplat.git.records import Kind
    from fakeplat.git.writing import can_fast_forward

    # A tag may point to any object, and is not followed.
    are_commits = all(objects.get(sha).kind is Kind.COMMIT for sha in (old, new))
    return are_commits and (old in objects.commit(new).parents or can_fast_forward(objects, old, new))


def _count_refs_of_events(world: World, before: Mapping[str, str], updates: Mapping[str, str | None]) -> dict[str, int]:
    """Return how many refs the event of each ref stands for. Many refs with the same fate have a single event."""
    limit, kinds = world.settings.push_event_activities_limit, defaultdict(list)
    for name, sha in updates.items():
        kinds[name.startswith(BRANCHES), before[name] == ZERO_SHA, not sha].append(name)
    counts = dict.fromkeys(updates, 1)
    for names in kinds.values():
        if len(names) > limit:
            counts |= {**dict.fromkeys(names, 0), names[0]: len(names)}
    return counts


def set_internal_refs(ctx: WriteContext, project: Project, refs: Mapping[str, str]) -> None:
    """Set internal refs of the platform (``refs/merge-requests/1/head``), without events or effects."""
    record = record_of(ctx.world, project) or _create_record(ctx, project)
    current, head = get_repository(ctx.world, record)
    if any(current.get(name) != sha for name, sha in refs.items()):
        _replace_refs(ctx, record, current.update(refs), head, record.former)


def _replace_refs(ctx: WriteContext, record: Repository, refs: Refs, head: str, former: tuple[str, ...]) -> None:
    # Not by `change`, which compares the values: for maps of many refs that costs more than all else.
    moved = evolve_record(record, refs=refs, head=head, declared=None, former=former)
    ctx.world.repositories.replace(record, moved)


def make_default(ctx: WriteContext, project: Project, branch: str) -> Project:
    """Point HEAD to another existing branch."""
    record = record_of(ctx.world, project) or _create_record(ctx, project)
    refs, _ = get_repository(ctx.world, record)
    ctx.world.repositories.change(record, refs=refs, head=BRANCHES + branch, declared=None)
    return ctx.world.projects.change(ctx.world.projects[project.id], default_branch=branch)


def copy_repository(ctx: WriteContext, source: Project, target: Project, branch: str = "") -> None:
    """Add the branches and tags of another project, or one branch, to a project's own; the objects are shared."""
    git = open_repository(ctx.world, source)
    record = record_of(ctx.world, target) or _create_record(ctx, target)
    existing, head = get_repository(ctx.world, record)
    had_branches = _has_branches(existing)
    # Refs of the target win: it may have been pushed to before the copy runs.
    names = (f"{BRANCHES}{branch}",) if branch else tuple(n for n in git.refs if n.startswith((BRANCHES, TAGS)))
    refs: Refs = Map({**{n: git.refs[n] for n in names if n in git.refs}, **existing})
    # A target without branches also takes over the default branch of the source, unless it gets another one only.
    head = head if had_branches else f"{BRANCHES}{branch}" if branch else git.head or head
    ctx.world.repositories.change(record, refs=refs, head=head, declared=None)
    if not had_branches:
        _set_first_default(ctx, target, refs, head)


def git_person(ctx: WriteContext, user: "User", *, name: str | None = None, email: str | None = None) -> "Person":
    """Return a user as a git author or committer at the current time."""
    from fakeplat.git.records import Person

    # Git counts in seconds, the world in ms.
    return Person(name or user.name, email or users.commit_email_of(ctx, user), ctx.now() // 1000)


def find_readme_path(world: World, project: Project) -> str | None:
    """Return the path of the README on the default branch; a declared repository is not built for it."""
    record = record_of(world, project)
    # Lists of projects need this for each project: building all declared repositories for it would be slow.
    if record is not None and record.refs is None:
        return record.declared.readme if record.declared else None
    return readme_and_license.find_readme(root_names(world, project))


def license_path(world: World, project: Project) -> str | None:
    """Return the path of the licence on the default branch."""
    return readme_and_license.find_license_file(root_names(world, project))


def license_of(world: World, project: Project) -> readme_and_license.License | None:
    """Return the licence on the default branch, detected by content; None without a licence file."""
    path = license_path(world, project)
    return (
        None if path is None else readme_and_license.detect_license(open_repository(world, project).file("HEAD", path))
    )


def root_names(world: World, project: Project) -> list[str]:
    """Return the names of the files at the root of the default branch."""
    git = open_repository(world, project)
    return [] if git.head not in git.refs else [entry.path for entry in git.tree("HEAD") if entry.kind == "blob"]


def languages(world: World, project: Project) -> dict[str, float]:
    """Return the percentage of each language, largest first: as declared by a scenario, else of the default branch."""
    if project.languages:
        return dict(project.languages)
    git = open_repository(world, project)
    return git.languages() if git.head in git.refs else {}


def measure_size(world: World, project: Project) -> tuple[int, int]:
    """Return the commit count of the default branch and the size of all reachable objects in bytes; cached per refs."""
    git = open_repository(world, project)
    cache: dict[object, tuple[int, int]] = git.objects.caches.setdefault("measured", {})
    # The store is shared between projects and worlds, so the key contains everything that the result depends on.
    key = (git.head, frozenset(git.refs.values()))
    if key not in cache:
        cache[key] = (git.count() if git.head in git.refs else 0, git.size())
    return cache[key]


def _first_head(world: World, project: Project) -> str:
    """Return the ref that HEAD points to before the first push."""
    return f"{BRANCHES}{project.default_branch or default_branch(world, project)}"


def _create_record(ctx: WriteContext, project: Project) -> Repository:
    table = ctx.world.repositories
    return table.add(Repository(table.next_id(), project.id, Map(), _first_head(ctx.world, project)))


def _set_first_default(ctx: WriteContext, project: Project, refs: Refs, head: str) -> None:
    branch = choose_default_branch(refs, head)
    if branch is None:
        return
    make_default(ctx, project, branch)
    protection.protect_default(ctx, project, branch)


def choose_default_branch(refs: Mapping[str, str], head: str) -> str | None:
    """Return the default branch among the first ones pushed; None without branches."""
    branches = sorted(name.removeprefix(BRANCHES) for name in refs if name.startswith(BRANCHES))
    for candidate in (head.removeprefix(BRANCHES), "master"):
        if candidate in branches:
            return candidate
    return next(iter(branches), None)


def _open(objects: "Objects", refs: Refs, head: str, former: tuple[str, ...]) -> "Git":
    from fakeplat.git.repository import Repository as Git

    return Git(objects, refs, head, former)


def _build_once(world: World, record: Repository) -> tuple[Refs, str]:
    """Return the refs of a declared repository, built once for all worlds of the same setup."""
    # The scenario's own store, so that the objects are shared by all its worlds and outlive each of them.
    objects, declared = world.setup.store.first, record.declared
    built: dict[Declared | None, tuple[Refs, str]] = objects.caches.setdefault("declared", {})
    if declared not in built:
        built[declared] = _build_declared(objects, declared, record.head)
    return built[declared]


def _build_declared(objects: "Objects", declared: Declared | None, head: str) -> tuple[Refs, str]:
    from fakeplat.git.history_builder import build_history

    if declared is None:
        return Map(), head
    return Map(build_history(objects, [change_from_declared(commit) for commit in declared.commits])), head


def change_from_declared(commit: DeclaredCommit) -> "Change":
    """Convert a declared commit to a change for the history builder."""
    from fakeplat.git.history_builder import Change, File
    from fakeplat.git.records import Person

    return Change(
        commit.message,
        Person(*commit.author, commit.when),
        # None stands for a deleted file.
        {path: file and File(*file) for path, file in commit.files.items()},
        branch=commit.branch,
        start=commit.start,
        merges=commit.merges,
        tags=commit.tags,
    )
