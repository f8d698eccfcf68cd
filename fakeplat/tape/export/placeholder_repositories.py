"""Repositories that a tape tells of without showing what is in them: the smallest that fits stands in for each.

It has one commit, with a README where the project shows one, and the tags that were seen. Each further branch that was
seen, or that a merge request comes from, stands one commit ahead of it. Messages, authors and dates are those that the
tape shows; the commit of a merge request changes as many files as that says, and the first branch goes on after it
where the merge request shows that.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from fakeplat.tape.export.field_mapping import Said
from fakeplat.tape.export.json_objects import Document, iterate_objects
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import MERGE_REQUEST, PROJECT
from fakeplat.tape.export.subresources import BRANCHES, TAGS

_FIRST: Final = "Initial commit"
_MOST_FILES: Final = 100
_BLOB: Final = "/-/blob/"


def add_placeholder_repositories(seen: Observations, projects: list[Said]) -> Counter[str]:
    """Give projects the repositories that they must have had; gives what was assumed."""
    found: Counter[str] = Counter()
    said = {project["path_with_namespace"]: project for project in projects}
    for record in seen.of(PROJECT):
        project = said.get(record.get("path_with_namespace"))
        commits = [] if project is None else _commits(seen, record)
        if project is not None and commits:
            project["repository"] = {"commits": commits}
            found[f"assumed: the repository of {record['path_with_namespace']} holds next to nothing"] += 1
    return found


def _commits(seen: Observations, record: Document) -> list[Said]:
    """The commits of a project's repository; none where it shows that it has none, or nothing of it."""
    names = (record["id"], record["path_with_namespace"])
    branches = _by_name(seen.parts_of(PROJECT, names, BRANCHES))
    tags = {name: one.get("message") or None for name, one in _by_name(seen.parts_of(PROJECT, names, TAGS)).items()}
    default = record.get("default_branch")
    if not isinstance(default, str):
        return []
    readme = _readme(record, default)
    sources = _sources(seen, record, default)
    if record.get("empty_repo", not (branches or tags or readme or sources)):
        return []
    first = {
        **_shown(branches.get(default, {}), _FIRST),
        "branch": default,
        **({"files": {readme: f"# {record.get('name') or default}\n"}} if readme else {}),
        **({"tags": tags} if tags else {}),
    }
    seen_there = {name: _shown(one, f"Begin {name}") for name, one in branches.items() if name != default}
    others = {name: {**sources[name].said, **seen_there.get(name, {})} for name in sources} | {
        name: {**one, "branch": name, "start": default} for name, one in seen_there.items() if name not in sources
    }
    left = [one for name, one in others.items() if name in sources and sources[name].was_left]
    begun = [{"message": _FIRST, "branch": default}, *left] if left else []
    return [*begun, first, *(one for one in others.values() if one not in left)]


class _Source(NamedTuple):
    """The commit of a branch that a merge request comes from; ``was_left``: its target moved on since."""

    said: Said
    was_left: bool


def _sources(seen: Observations, project: Document, default: str) -> dict[str, _Source]:
    """The branches of a project that its open merge requests come from."""
    found: dict[str, _Source] = {}
    for one in seen.of(MERGE_REQUEST):
        ids = {one.get("project_id"), one.get("source_project_id", one.get("project_id"))}
        branch, state = one.get("source_branch"), one.get("state", "opened")
        if ids == {project["id"]} and state == "opened" and isinstance(branch, str) and branch != default:
            refs = next(iterate_objects(one.get("diff_refs")), {})
            said = {"message": f"Begin {branch}", "branch": branch, "start": default, "files": _files(branch, one)}
            found[branch] = _Source(said, refs.get("base_sha") != refs.get("start_sha"))
    return found


def _files(branch: str, one: Document) -> dict[str, str]:
    """As many files as a merge request says that it changes."""
    count = str(one.get("changes_count"))
    many = min(int(count), _MOST_FILES) if count.isascii() and count.isdecimal() else 1
    return {f"{branch.replace('/', '-')}-{number}.txt": f"{branch}\n" for number in range(1, many + 1)}


def _by_name(many: list[Document] | None) -> dict[str, Document]:
    return {one["name"]: one for one in many or () if one.get("name")}


def _shown(branch: Mapping[str, Any], otherwise: str) -> Said:
    """The commit that a branch shows."""
    commit = next(iterate_objects(branch.get("commit")), {})
    author = {key: commit.get(f"author_{key}") for key in ("name", "email")}
    return {
        "message": commit.get("message") or commit.get("title") or otherwise,
        **({"author": author} if all(isinstance(part, str) for part in author.values()) else {}),
        **({"date": commit["authored_date"]} if commit.get("authored_date") else {}),
    }


def _readme(record: Document, branch: str) -> str | None:
    """The path of the README that a project shows."""
    url = record.get("readme_url")
    _, _, place = url.partition(_BLOB) if isinstance(url, str) else ("", "", "")
    return unquote(place).removeprefix(f"{branch}/") or None
