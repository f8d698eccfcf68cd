"""New projects from the platform's built-in templates. Source: docs/platform/projects.md ('Templates').

The names are the platform's, the contents are short and our own: templates/projects.toml.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, Unpack

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.import_export import imports
from fakeplat.domain.projects import projects
from fakeplat.domain.projects.project_fields import NewProject
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.repositories import git_person
from fakeplat.domain.settings import default_branch
from fakeplat.model.people import Namespace, User
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES
from fakeplat.policy.context import ReadContext, WriteContext

_FILE: Final = Path(__file__).parent.parent / "templates" / "projects.toml"


@frozen
class BuiltinTemplate:
    """A template: its title, the repository that the platform took it from, its files, and the releases with it."""

    title: str
    repository: str
    files: Mapping[str, str]
    lifetime: Lifetime


@cache
def _read_templates() -> Mapping[str, BuiltinTemplate]:
    return {name: _read_template(row) for name, row in tomllib.loads(_FILE.read_text("utf-8")).items()}


def _read_template(row: Mapping[str, Any]) -> BuiltinTemplate:
    lifetime = Lifetime(row.get("since", ""), row.get("until", ""))
    return BuiltinTemplate(row["title"], row["repository"], row["files"], lifetime)


def get_template(ctx: ReadContext, name: str) -> BuiltinTemplate:
    """Return a template of the release, or refuse with 400 as the validation of a new project does."""
    found = _read_templates().get(name)
    if found is None or not ctx.profile.has(found.lifetime):
        raise InvalidRecord({"template_name": [f"'{name}' is unknown or invalid"]})
    return found


def create_from_builtin(
    ctx: WriteContext, namespace: Namespace, creator: User, template: BuiltinTemplate, **fields: Unpack[NewProject]
) -> Project:
    """Create a project that gets the first commit of a template in the background."""
    attributes: NewProject = {**fields, "import_status": imports.SCHEDULED}
    project = projects.create(ctx, namespace, creator, **attributes)
    imports.fill_project(ctx, project, creator, _build_archive(ctx, project, creator, template), {})
    return project


def _build_archive(ctx: WriteContext, project: Project, creator: User, template: BuiltinTemplate) -> bytes:
    # Imported here, as few worlds export anything.
    from fakeplat.domain.import_export import archive_files, project_export
    from fakeplat.git.bundles import write_bundle
    from fakeplat.git.tree_editing import Create
    from fakeplat.git.writing import commit_actions

    readme = f"# {template.title}\n\nThis project was made from the template {template.repository}.\n"
    files = {"README.md": readme, **template.files}
    message = f"Initialized from '{template.title}' project template\n\nTemplate repository: {template.repository}\n"
    objects = repositories.open_repository(ctx.world, project).objects
    actions = [Create(path, content.encode()) for path, content in files.items()]
    sha = commit_actions(objects, None, actions, message, git_person(ctx, creator))
    head = BRANCHES + default_branch(ctx.world, project)
    content = {
        "VERSION": project_export.VERSION.encode(),
        **archive_files.write_tree("project", {}, {}),
        project_export.BUNDLE: write_bundle(objects, {head: sha}, head),
    }
    return archive_files.write_archive(content, ctx.now() // SECOND)
