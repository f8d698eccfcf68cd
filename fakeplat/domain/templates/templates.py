"""Templates that come with the platform, and those in the repositories of projects.

The names are the platform's; the contents are short and our own.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import repositories
from fakeplat.domain.templates import licenses
from fakeplat.model.projects import Project
from fakeplat.model.world import World

Kind = Literal["gitignores", "dockerfiles", "gitlab_ci_ymls"]
ProjectKind = Literal[
    "dockerfiles", "gitignores", "gitlab_ci_ymls", "licenses", "metrics_dashboard_ymls", "issues", "merge_requests"
]
_FOLDER: Final = Path(__file__).parent
_FOLDERS_IN_REPOSITORY: Final = {
    "issues": ".gitlab/issue_templates",
    "merge_requests": ".gitlab/merge_request_templates",
}
_DISCLAIMER: Final = "# This file is a template, and is to be adapted to a project before use.\n"
_DASHBOARD: Final = (
    "dashboard: Default\npanel_groups:\n- group: Group\n  panels:\n  - title: Panel\n    type: area-chart\n"
    "    metrics:\n    - id: metric\n      query_range: up\n"
)


@frozen
class Template:
    """A template. The key is the name by which it is found."""

    key: str
    name: str
    content: str


def list_templates(kind: Kind) -> Sequence[Template]:
    """Return the templates of a kind."""
    return list(_read(kind).values())


def find_template(kind: Kind, name: str) -> Template | None:
    """Return the template of a kind with a name."""
    return _read(kind).get(name)


def list_project_templates(world: World, project: Project, kind: ProjectKind) -> Sequence[Template]:
    """Return the templates of a kind that a project has."""
    return list(_templates_of(world, project, kind).values())


def find_project_template(world: World, project: Project, kind: ProjectKind, name: str) -> Template | None:
    """Return the template of a kind with a name that a project has."""
    return _templates_of(world, project, kind).get(name)


def _templates_of(world: World, project: Project, kind: ProjectKind) -> Mapping[str, Template]:
    match kind:
        case "issues" | "merge_requests":
            return _read_repository(world, project, _FOLDERS_IN_REPOSITORY[kind])
        case "licenses":
            all_licenses = licenses.list_licenses()
            return {license_.key: Template(license_.key, license_.name, license_.content) for license_ in all_licenses}
        case "metrics_dashboard_ymls":
            return {"Default": Template("Default", "Default", _DASHBOARD)}
        case _:
            return _read(kind)


def _read_repository(world: World, project: Project, folder: str) -> Mapping[str, Template]:
    """Return the Markdown files directly in a folder of the default branch, without their ending."""
    git = repositories.open_repository(world, project)
    branch = project.default_branch or ""
    tree = git.entry(branch, folder) if git.find_branch(branch) else None
    if tree is None or tree.kind != "tree":
        return {}
    files = [entry for entry in git.tree(branch, folder) if entry.kind == "blob" and entry.name.endswith(".md")]
    names = {entry.name.removesuffix(".md"): git.objects.blob(entry.sha) for entry in files}
    return {name: Template(name, name, content.decode("utf-8", "replace")) for name, content in names.items()}


@cache
def _read(kind: Kind) -> Mapping[str, Template]:
    lines = (_FOLDER / f"{kind}.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(": ", 1) for line in lines)
    return {name: Template(name, name, _CONTENTS[kind](name, text)) for name, text in pairs}


def _gitignore(name: str, patterns: str) -> str:
    return f"# {name}\n" + "".join(f"{pattern}\n" for pattern in patterns.split(" "))


def _dockerfile(_name: str, steps: str) -> str:
    return _DISCLAIMER + "".join(f"{step}\n" for step in steps.split("|"))


def _ci_configuration(name: str, image_and_command: str) -> str:
    image, _, command = image_and_command.partition("|")
    job = name.lower().replace("-", "_")
    # A block scalar, so that no character of the command has a meaning in YAML.
    return f'{_DISCLAIMER}image: "{image}"\n\n"{job}":\n  script:\n    - |-\n      {command}\n'


_CONTENTS: Final = {"gitignores": _gitignore, "dockerfiles": _dockerfile, "gitlab_ci_ymls": _ci_configuration}
