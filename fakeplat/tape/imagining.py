"""Repositories that a tape tells of without showing what is in them: the smallest that fits stands in for each.

It has one commit, with a README where the project shows one, and the tags that were seen. Each further branch that was
seen stands one commit ahead of it. Messages, authors and dates are those that the tape shows.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

from fakeplat.tape.kinds import PROJECT
from fakeplat.tape.observing import BRANCHES, TAGS, Document, Observed, documents
from fakeplat.tape.saying import Said

_FIRST: Final = "Initial commit"
_BLOB: Final = "/-/blob/"


def imagined(seen: Observed, projects: list[Said]) -> Counter[str]:
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


def _commits(seen: Observed, record: Document) -> list[Said]:
    """The commits of a project's repository; none where it shows that it has none, or nothing of it."""
    names = (record["id"], record["path_with_namespace"])
    branches = _by_name(seen.parts_of(PROJECT, names, BRANCHES))
    tags = {name: one.get("message") or None for name, one in _by_name(seen.parts_of(PROJECT, names, TAGS)).items()}
    default = record.get("default_branch")
    if not isinstance(default, str):
        return []
    readme = _readme(record, default)
    if record.get("empty_repo", not (branches or tags or readme)):
        return []
    first = {
        **_shown(branches.get(default, {}), _FIRST),
        "branch": default,
        **({"files": {readme: f"# {record.get('name') or default}\n"}} if readme else {}),
        **({"tags": tags} if tags else {}),
    }
    others = ({**_shown(one, f"Begin {name}"), "branch": name, "start": default} for name, one in branches.items())
    return [first, *(other for other in others if other["branch"] != default)]


def _by_name(many: list[Document] | None) -> dict[str, Document]:
    return {one["name"]: one for one in many or () if one.get("name")}


def _shown(branch: Mapping[str, Any], otherwise: str) -> Said:
    """The commit that a branch shows."""
    commit = next(documents(branch.get("commit")), {})
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
