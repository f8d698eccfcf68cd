"""The repository of a project: commits to be made, or a repository or bundle to be taken over.

Commits are made when somebody first reads them; what only git can say of them (whether a merge conflicts) is looked at
while loading.
"""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from immutables import Map

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
from fakeplat.core.timestamps import SECOND, from_iso, to_iso
from fakeplat.domain.merge_requests import closing_issues as closing
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.repository import readme_and_license as landmarks
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES, Declared, DeclaredCommit, DeclaredFile, Repository
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry, EntryError
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections import protected
from fakeplat.scenario.sections.commit_plan import CommitPlan
from fakeplat.scenario.sections.projects import default_creator

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
        "author": "A username, or name and email; otherwise who made the project.",
        "date": "Otherwise that of the commit before, or of the project.",
        "branch": "Where it goes; otherwise where the commit before went, or the default branch.",
        "start": "The branch or tag from which a new branch starts; otherwise it has no history.",
        "merges": "Branches and tags that are merged in.",
        "files": "By path: text, or content with its encoding and mode; null takes a file or folder away.",
        "tags": "Names, or names with the messages of annotated tags.",
    },
)
_ABOUT: Final = {
    "commits": "The oldest first.",
    "path": "A local git repository, or a bundle; relative to this file.",
    "bundle": "A git bundle in base64.",
    "head": "The default branch.",
}


def _make(entry: Entry) -> Repository:
    project = entry.owner
    record = _declared(entry, project) if "commits" in entry.said else _taken_over(entry, project)
    if protected.BRANCHES.key not in (entry.above.parts if entry.above else ()):
        project = entry.world.projects[project.id]
        if project.default_branch is not None:
            protection.protect_default(entry.ctx, project, project.default_branch)
    return record


def _taken_over(entry: Entry, project: Project) -> Repository:
    from fakeplat.git.errors import GitError
    from fakeplat.git.import_repository import from_bundle, import_repository

    objects = entry.world.setup.store.objects
    key = "path" if "path" in entry.said else "bundle"
    try:
        if key == "path":
            found = import_repository(objects, entry.folder / entry.said["path"])
        else:
            found = from_bundle(objects, entry.said["bundle"])
    except (GitError, OSError) as error:
        entry.wrong(f"cannot be taken over: {error}", key)
    wanted = entry.said.get("head") or project.default_branch
    head = BRANCHES + wanted if wanted else found.head
    _check_head(entry, [name.removeprefix(BRANCHES) for name in found.refs if name.startswith(BRANCHES)])
    return repositories.adopt(entry.ctx, project, Map(found.refs), head)


def _check_head(entry: Entry, branches: Iterable[str]) -> None:
    wanted, there = entry.said.get("head"), list(branches)
    if wanted is not None and wanted not in there:
        entry.wrong(f"unknown branch {wanted!r}", "head", nearest_name(wanted, there))


def _declared(entry: Entry, project: Project) -> Repository:
    default = entry.said.get("head") or project.default_branch or entry.ctx.instance.default_branch
    commits = tuple(_commits(entry, project, default))
    if not commits:
        entry.wrong("needs commits", "commits")
    replay = CommitPlan(commits)
    if replay.faults:
        raise EntryError(
            *(_at(entry, fault.place, fault.text, *fault.keys, near=fault.near) for fault in replay.faults)
        )
    branches = {BRANCHES + name: "" for name in replay.branches}
    _check_head(entry, replay.branches)
    head = repositories.default_of(branches, BRANCHES + default) or default
    if replay.asks_git:
        _try(entry, commits)
    readme = landmarks.find_readme(path for path in replay.branches[head] if "/" not in path)
    closes = any(closing.has_closing_words(commit.message) for commit in commits)
    return repositories.declare(entry.ctx, project, Declared(lambda: commits, readme, closes), head)


def _at(entry: Entry, place: int, text: str, *keys: str | int, near: str | None = None) -> Mistake:
    return Mistake(text, (*entry.path, "commits", place, *keys), near)


def _try(entry: Entry, commits: Sequence[DeclaredCommit]) -> None:
    """Have git make them now, commit by commit, to say where it cannot."""
    from fakeplat.git.errors import GitError, MergeConflict
    from fakeplat.git.history_builder import build_history

    objects = entry.world.setup.store.objects.over()
    changes = [repositories.change_from_declared(commit) for commit in commits]
    try:
        build_history(objects, changes)
    except GitError:
        for place in range(len(changes)):
            try:
                build_history(objects, changes[: place + 1])
            except MergeConflict as conflict:
                raise EntryError(_at(entry, place, f"conflict in {conflict}", "merges")) from None
            except GitError as error:
                raise EntryError(_at(entry, place, f"git cannot make it: {error}", "files")) from None


def _commits(entry: Entry, project: Project, branch: str) -> Iterable[DeclaredCommit]:
    when = from_iso(entry.since) // SECOND
    for place, said in enumerate(entry.said["commits"]):
        when = from_iso(said["date"]) // SECOND if said.get("date") else when
        branch = said.get("branch", branch)
        yield DeclaredCommit(
            said["message"],
            _author(entry, project, place, said.get("author")),
            when,
            branch,
            said.get("start"),
            said.get("merges", ()),
            {path: _file(entry, place, path, file) for path, file in said.get("files", {}).items()},
            _tags(said.get("tags", {})),
        )


def _author(entry: Entry, project: Project, place: int, said: Any) -> tuple[str, str]:
    if isinstance(said, Mapping):
        return said["name"], said["email"]
    user = _creator(entry.world, project) if said is None else entry.seeding.find("user", said)
    if user is None:
        near = entry.seeding.nearest("user", said)
        raise EntryError(_at(entry, place, f"unknown user {said!r}", "author", near=near))
    return user.name, user.email


def _creator(world: World, project: Project) -> Any:
    found = world.users.get(project.creator_id or 0)
    return found or default_creator(world, world.namespaces[project.namespace_id])


def _file(entry: Entry, place: int, path: str, said: Any) -> DeclaredFile | None:
    if said is None:
        return None
    if isinstance(said, str):
        return DeclaredFile(said.encode())
    mode = _MODES[str(said.get("mode", "100644"))]
    if said.get("encoding") != _BASE64:
        return DeclaredFile(said["content"].encode(), mode)
    if not BASE64.allows(said["content"]):
        raise EntryError(Mistake("must be base64", (*entry.path, "commits", place, "files", path, "content")))
    return DeclaredFile(BASE64.read(said["content"]), mode)


def _tags(said: Any) -> Mapping[str, str | None]:
    return said if isinstance(said, Mapping) else dict.fromkeys(said)


def _tell(world: World, project: Project) -> Iterable[tuple[Repository, Told]] | None:
    record = repositories.record_of(world, project)
    if record is None or (record.refs is not None and not record.refs):
        return None
    return [(record, _told(world, record))]


def _told(world: World, record: Repository) -> Told:
    """The commits as they were said; or a bundle, where something changed since."""
    if record.declared is not None and record.refs is None:
        return {"commits": [_told_commit(commit) for commit in record.declared.commits]}
    from fakeplat.git.bundles import write_bundle

    content = write_bundle(world.setup.store.objects, record.refs or {}, record.head)
    return {"bundle": b64encode(content).decode()}


def _told_commit(commit: DeclaredCommit) -> dict[str, Any]:
    name, email = commit.author
    return {
        "message": commit.message,
        "author": {"name": name, "email": email},
        "date": to_iso(commit.when * SECOND),
        "branch": commit.branch,
        **({"start": commit.start} if commit.start else {}),
        **({"merges": list(commit.merges)} if commit.merges else {}),
        **({"files": {path: _told_file(file) for path, file in commit.files.items()}} if commit.files else {}),
        **({"tags": dict(commit.tags)} if commit.tags else {}),
    }


def _told_file(file: DeclaredFile | None) -> Any:
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
    under=("project",),
    rank=FURTHER,
    keys=Object(
        {"commits": ListOf(_COMMIT), "path": TEXT, "bundle": BASE64, "head": TEXT},
        one_of=("commits", "path", "bundle"),
        descriptions=_ABOUT,
    ),
    make=_make,
    tell=_tell,
    single=True,
)
