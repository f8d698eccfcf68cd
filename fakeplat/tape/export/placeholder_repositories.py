"""Placeholder repositories: minimal stand-ins for repositories whose contents a tape does not show.

A placeholder has one commit, with a README if the project shows one, and the observed tags. Each other observed branch,
and each source branch of a merge request, is one commit ahead. Messages, authors and dates are those on the tape. The
commit of a merge request changes as many files as the merge request shows, and the default branch has a later commit
if the merge request shows that its target moved on.
"""

from collections import Counter
from typing import Final, NamedTuple
from urllib.parse import unquote

from fakeplat.core.json_types import JsonObject
from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.subresources import BRANCHES, TAGS
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import MERGE_REQUEST, PROJECT

_INITIAL_MESSAGE: Final = "Initial commit"
_MAX_FILES: Final = 100
_BLOB: Final = "/-/blob/"


def add_placeholder_repositories(observations: Observations, projects: list[Entry]) -> Counter[str]:
    """Add repositories to the projects that must have had one; return the assumptions."""
    assumptions: Counter[str] = Counter()
    projects_by_path = {project["path_with_namespace"]: project for project in projects}
    for record in observations.of_kind(PROJECT):
        project = projects_by_path.get(record.get("path_with_namespace"))
        commits = [] if project is None else _placeholder_commits(observations, record)
        if project is not None and commits:
            project["repository"] = {"commits": commits}
            assumptions[f"assumed: the repository of {record['path_with_namespace']} holds next to nothing"] += 1
    return assumptions


def _placeholder_commits(observations: Observations, record: Document) -> list[Entry]:
    """Return the commits of a project's placeholder; none if the repository is empty or not shown."""
    names = (record["id"], record["path_with_namespace"])
    branches = _by_name(observations.subresources_of(PROJECT, names, BRANCHES))
    tags = {
        name: entry.get("message") or None
        for name, entry in _by_name(observations.subresources_of(PROJECT, names, TAGS)).items()
    }
    default = record.get("default_branch")
    if not isinstance(default, str):
        return []
    readme = _readme_path(record, default)
    sources = _source_branches(observations, record, default)
    if record.get("empty_repo", not (branches or tags or readme or sources)):
        return []
    first = {
        **_commit_of(branches.get(default, {}), _INITIAL_MESSAGE),
        "branch": default,
        **({"files": {readme: f"# {record.get('name') or default}\n"}} if readme else {}),
        **({"tags": tags} if tags else {}),
    }
    branch_commits = {name: _commit_of(entry, f"Begin {name}") for name, entry in branches.items() if name != default}
    other_commits = {name: {**sources[name].commit, **branch_commits.get(name, {})} for name in sources} | {
        name: {**entry, "branch": name, "start": default}
        for name, entry in branch_commits.items()
        if name not in sources
    }
    # A branch that is behind starts from an additional first commit, which the default branch then moves on from.
    behind = [entry for name, entry in other_commits.items() if name in sources and sources[name].is_behind]
    base = [{"message": _INITIAL_MESSAGE, "branch": default}, *behind] if behind else []
    return [*base, first, *(entry for entry in other_commits.values() if entry not in behind)]


class _Source(NamedTuple):
    """The commit of a merge request's source branch; ``is_behind``: the target has moved on."""

    commit: Entry
    is_behind: bool


def _source_branches(observations: Observations, project: Document, default: str) -> dict[str, _Source]:
    """Return the source branches of a project's open merge requests."""
    sources: dict[str, _Source] = {}
    for merge_request in observations.of_kind(MERGE_REQUEST):
        ids = {merge_request.get("project_id"), merge_request.get("source_project_id", merge_request.get("project_id"))}
        branch, state = merge_request.get("source_branch"), merge_request.get("state", "opened")
        if ids == {project["id"]} and state == "opened" and isinstance(branch, str) and branch != default:
            refs = next(iterate_objects(merge_request.get("diff_refs")), {})
            commit = {
                "message": f"Begin {branch}",
                "branch": branch,
                "start": default,
                "files": _changed_files(branch, merge_request),
            }
            sources[branch] = _Source(commit, refs.get("base_sha") != refs.get("start_sha"))
    return sources


def _changed_files(branch: str, merge_request: Document) -> dict[str, str]:
    """Return as many files as a merge request changes."""
    changes_count = str(merge_request.get("changes_count"))
    # The platform shows a very large number of changes as ``1000+``, which is not decimal.
    number_of_files = (
        min(int(changes_count), _MAX_FILES) if changes_count.isascii() and changes_count.isdecimal() else 1
    )
    return {f"{branch.replace('/', '-')}-{number}.txt": f"{branch}\n" for number in range(1, number_of_files + 1)}


def _by_name(records: list[Document] | None) -> dict[str, Document]:
    return {record["name"]: record for record in records or () if record.get("name")}


def _commit_of(branch: JsonObject, default_message: str) -> Entry:
    """Return the commit that a branch shows."""
    commit = next(iterate_objects(branch.get("commit")), {})
    author = {key: commit.get(f"author_{key}") for key in ("name", "email")}
    return {
        "message": commit.get("message") or commit.get("title") or default_message,
        **({"author": author} if all(isinstance(part, str) for part in author.values()) else {}),
        **({"date": commit["authored_date"]} if commit.get("authored_date") else {}),
    }


def _readme_path(record: Document, branch: str) -> str | None:
    """Return the path of the README that a project shows."""
    url = record.get("readme_url")
    _, _, path = url.partition(_BLOB) if isinstance(url, str) else ("", "", "")
    return unquote(path).removeprefix(f"{branch}/") or None
