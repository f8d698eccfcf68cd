"""The repository of a project: commits to create, or a repository or bundle to import.

Commits are created when they are first read. What only git can validate, such as merges, is checked while loading.
"""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from fakeplat.core.schema.mistakes import Mistake, nearest_name
from fakeplat.core.schema.shapes import (
    BASE64,
    DATE_TIME,
    NULLABLE_TEXT,
    TEXT,
    Alias,
    Choice,
    ListOf,
    MapOf,
    Nullable,
    Object,
    Union,
)
from fakeplat.core.store.persistent_map import Map
from fakeplat.core.timestamps import SECOND, from_iso, to_iso
from fakeplat.domain.merge_requests import closing_issues
from fakeplat.domain.repository import protection, readme_and_license, repositories
from fakeplat.domain.settings import default_branch
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, CODE_OWNERS_PATHS, Declared, DeclaredCommit, DeclaredFile, Repository
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry, EntryError
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections.projects.projects import default_creator
from fakeplat.scenario.sections.repository import protected
from fakeplat.scenario.sections.repository.commit_plan import CommitPlan

# The modes of git's tree entries for files: regular, executable, symbolic link.
_MODES: Final = {"100644": 0o100644, "100755": 0o100755, "120000": 0o120000}
_BASE64: Final = "base64"
_FILE: Final = Object(
    {"content": TEXT, "encoding": Choice("text", _BASE64), "mode": Choice(*_MODES, *map(int, _MODES))},
    required=("content",),
)
_COMMIT: Final = Object(
    {
        "message": TEXT,
        "author": Union(TEXT, Object({"name": TEXT, "email": TEXT}, required=("name", "email"))),
        "date": DATE_TIME,
        "branch": TEXT,
        "start": TEXT,
        "from": Alias("start"),
        "merges": ListOf(TEXT),
        "files": MapOf(Nullable(Union(TEXT, _FILE))),
        "tags": Union(ListOf(TEXT), MapOf(NULLABLE_TEXT)),
    },
    required=("message",),
    descriptions={
        "author": "Username, or name and email. Default: the project's creator.",
        "date": "Default: the date of the previous commit, or of the project.",
        "branch": "Branch of the commit. Default: that of the previous commit, or the default branch.",
        "start": "Branch or tag from which a new branch starts. Default: a branch without history.",
        "merges": "Branches and tags to merge into the branch.",
        "files": "By path: text, or content with encoding and mode; null deletes a file or folder.",
        "tags": "Names of tags, or a map of names to the messages of annotated tags.",
    },
)
_DESCRIPTIONS: Final = {
    "commits": "Commits, the oldest first.",
    "path": "Path of a local git repository or bundle, relative to this file.",
    "bundle": "A git bundle in base64.",
    "head": "Default branch.",
}


def _create(entry: Entry) -> Repository:
    project = entry.owner
    record = _declare(entry, project) if "commits" in entry.values else _import(entry, project)
    # Checked on the entry, because the section may be an empty list or may not have been loaded yet.
    if protected.BRANCHES.key not in (entry.parent.subsections if entry.parent else ()):
        project = entry.world.projects[project.id]
        if project.default_branch is not None:
            protection.protect_default(entry.ctx, project, project.default_branch)
    return record


def _import(entry: Entry, project: Project) -> Repository:
    from fakeplat.git.errors import GitError
    from fakeplat.git.import_repository import from_bundle, import_repository

    objects = entry.world.setup.store.objects
    key = "path" if "path" in entry.values else "bundle"
    try:
        if key == "path":
            imported = import_repository(objects, entry.folder / entry.values["path"])
        else:
            imported = from_bundle(objects, entry.values["bundle"])
    except (GitError, OSError) as error:
        entry.fail(f"cannot be imported: {error}", key)
    branch = entry.values.get("head") or project.default_branch
    head = BRANCHES + branch if branch else imported.head
    _check_head(entry, [name.removeprefix(BRANCHES) for name in imported.refs if name.startswith(BRANCHES)])
    return repositories.adopt_refs(entry.ctx, project, Map(imported.refs), head)


def _check_head(entry: Entry, branches: Iterable[str]) -> None:
    head, names = entry.values.get("head"), list(branches)
    if head is not None and head not in names:
        entry.fail(f"unknown branch {head!r}", "head", nearest_name(head, names))


def _declare(entry: Entry, project: Project) -> Repository:
    default = entry.values.get("head") or project.default_branch or default_branch(entry.world)
    commits = tuple(_parse_commits(entry, project, default))
    if not commits:
        entry.fail("needs commits", "commits")
    plan = CommitPlan(commits)
    if plan.mistakes:
        raise EntryError(
            *(
                _commit_mistake(entry, mistake.position, mistake.text, *mistake.keys, nearest=mistake.nearest)
                for mistake in plan.mistakes
            )
        )
    branches = {BRANCHES + name: "" for name in plan.branches}
    _check_head(entry, plan.branches)
    head = repositories.choose_default_branch(branches, BRANCHES + default) or default
    if plan.asks_git:
        _build_commits(entry, commits)
    readme = readme_and_license.find_readme(path for path in plan.branches[head] if "/" not in path)
    closes = any(closing_issues.has_closing_words(commit.message) for commit in commits)
    names_owners = any(path in CODE_OWNERS_PATHS for commit in commits for path in commit.files)
    declared = Declared(lambda: commits, readme, closes, names_owners)
    return repositories.declare_repository(entry.ctx, project, declared, head)


def _commit_mistake(entry: Entry, position: int, text: str, *keys: str | int, nearest: str | None = None) -> Mistake:
    return Mistake(text, (*entry.path, "commits", position, *keys), nearest)


def _build_commits(entry: Entry, commits: Sequence[DeclaredCommit]) -> None:
    """Create the commits now, in a temporary store, to find the one that git rejects."""
    from fakeplat.git.errors import GitError, MergeConflict
    from fakeplat.git.history_builder import build_history

    # An overlay: the objects are discarded, and created again when the repository is first read.
    objects = entry.world.setup.store.objects.over()
    changes = [repositories.change_from_declared(commit) for commit in commits]
    try:
        build_history(objects, changes)
    # The builder does not tell which commit is at fault, so ever longer beginnings are built until one fails.
    except GitError:
        for position in range(len(changes)):
            try:
                build_history(objects, changes[: position + 1])
            except MergeConflict as conflict:
                raise EntryError(_commit_mistake(entry, position, f"merge conflict in {conflict}", "merges")) from None
            except GitError as error:
                raise EntryError(
                    _commit_mistake(entry, position, f"git cannot create the commit: {error}", "files")
                ) from None


def _parse_commits(entry: Entry, project: Project, branch: str) -> Iterable[DeclaredCommit]:
    when = from_iso(entry.since) // SECOND
    for position, values in enumerate(entry.values["commits"]):
        # Git stores whole seconds.
        when = from_iso(values["date"]) // SECOND if values.get("date") else when
        branch = values.get("branch", branch)
        yield DeclaredCommit(
            values["message"],
            _parse_author(entry, project, position, values.get("author")),
            when,
            branch,
            values.get("start"),
            values.get("merges", ()),
            {path: _parse_file(entry, position, path, file) for path, file in values.get("files", {}).items()},
            _parse_tags(values.get("tags", {})),
        )


def _parse_author(
    entry: Entry, project: Project, position: int, author: str | Mapping[str, str] | None
) -> tuple[str, str]:
    if isinstance(author, Mapping):
        return author["name"], author["email"]
    if author is None:
        creator = _get_creator(entry.world, project)
        return creator.name, creator.email
    user = entry.loader.find("user", author)
    if user is None:
        nearest = entry.loader.suggest_name("user", author)
        raise EntryError(_commit_mistake(entry, position, f"unknown user {author!r}", "author", nearest=nearest))
    return user.name, user.email


def _get_creator(world: World, project: Project) -> User:
    creator = world.users.get(project.creator_id or 0)
    return creator or default_creator(world, world.namespaces[project.namespace_id])


def _parse_file(entry: Entry, position: int, path: str, value: str | Mapping[str, str] | None) -> DeclaredFile | None:
    if value is None:
        return None
    if isinstance(value, str):
        return DeclaredFile(value.encode())
    mode = _MODES[str(value.get("mode", "100644"))]
    if value.get("encoding") != _BASE64:
        return DeclaredFile(value["content"].encode(), mode)
    if not BASE64.allows(value["content"]):
        raise EntryError(Mistake("must be base64", (*entry.path, "commits", position, "files", path, "content")))
    return DeclaredFile(BASE64.read(value["content"]), mode)


def _parse_tags(tags: Mapping[str, str | None] | Sequence[str]) -> Mapping[str, str | None]:
    return tags if isinstance(tags, Mapping) else dict.fromkeys(tags)


def _export(world: World, project: Project) -> Iterable[tuple[Repository, EntryData]] | None:
    record = repositories.record_of(world, project)
    # A repository without refs is empty, and a bundle cannot be empty.
    if record is None or (record.refs is not None and not record.refs):
        return None
    return [(record, _serialize(world, record))]


def _serialize(world: World, record: Repository) -> EntryData:
    """Return the declared commits, or a bundle if the repository has changed since."""
    if record.declared is not None and record.refs is None:
        return {"commits": [_serialize_commit(commit) for commit in record.declared.commits]}
    from fakeplat.git.bundles import write_bundle

    content = write_bundle(world.setup.store.objects, record.refs or {}, record.head)
    return {"bundle": b64encode(content).decode()}


def _serialize_commit(commit: DeclaredCommit) -> EntryData:
    name, email = commit.author
    return {
        "message": commit.message,
        "author": {"name": name, "email": email},
        "date": to_iso(commit.when * SECOND),
        "branch": commit.branch,
        **({"start": commit.start} if commit.start else {}),
        **({"merges": list(commit.merges)} if commit.merges else {}),
        **({"files": {path: _serialize_file(file) for path, file in commit.files.items()}} if commit.files else {}),
        **({"tags": dict(commit.tags)} if commit.tags else {}),
    }


def _serialize_file(file: DeclaredFile | None) -> str | dict[str, str] | None:
    if file is None:
        return None
    mode = {} if file.mode == _MODES["100644"] else {"mode": f"{file.mode:o}"}
    try:
        text = file.content.decode()
    except UnicodeDecodeError:
        return {"content": b64encode(file.content).decode(), "encoding": _BASE64, **mode}
    return {"content": text, **mode} if mode else text


SECTION: Final = Section(
    "repository",
    within=("project",),
    rank=FURTHER,
    keys=Object(
        {"commits": ListOf(_COMMIT), "path": TEXT, "bundle": BASE64, "head": TEXT},
        one_of=("commits", "path", "bundle"),
        descriptions=_DESCRIPTIONS,
    ),
    create=_create,
    export=_export,
    single=True,
)
