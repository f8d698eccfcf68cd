"""New projects from custom templates: projects of a group that the settings or a request name.

Source: docs/platform/projects.md.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple, Unpack

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.domain.import_export import imports
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import projects
from fakeplat.domain.projects.project_fields import NewProject
from fakeplat.model.people import Group, Namespace, User
from fakeplat.model.projects import FEATURES, Project
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext, WriteContext

# What an archive says of a project, and a request may say otherwise.
_OVERRIDES: Final = ("description", "visibility", *(f"{feature}_access_level" for feature in FEATURES))


class CustomTemplate(NamedTuple):
    """What a request says of the template: its name or its id, and the group that has the templates."""

    name: str | None
    project_id: int | None
    group_id: int | None


def get_template(ctx: ReadContext, namespace: Namespace, named: CustomTemplate) -> Project:
    """Return the template that a request names, or refuse with 400 as the validation of a new project does."""
    template = _find_by_id(ctx, named) if named.project_id is not None else _find_by_name(ctx, named)
    if template is None and named.project_id is not None:
        raise InvalidRecord({"template_project_id": [f"{named.project_id} is unknown or invalid"]})
    if template is None:
        raise InvalidRecord({"template_name": [f"'{named.name}' is unknown or invalid"]})
    _check_hierarchy(ctx, namespace, named)
    return template


def _find_by_id(ctx: ReadContext, named: CustomTemplate) -> Project | None:
    return next((project for project in _list_templates(ctx, named) if project.id == named.project_id), None)


def _find_by_name(ctx: ReadContext, named: CustomTemplate) -> Project | None:
    text = (named.name or "").lower()
    matching = (
        project
        for project in _list_templates(ctx, named)
        if any(text in (value or "").lower() for value in (project.path, project.name, project.description))
    )
    return min(matching, key=lambda project: (project.name.lower(), project.id), default=None)


def _list_templates(ctx: ReadContext, named: CustomTemplate) -> Iterable[Project]:
    group_id = named.group_id or ctx.world.settings.custom_project_templates_group_id
    found = ctx.world.projects.where("namespace", group_id) if group_id is not None else ()
    return [project for project in found if can_see(ctx, project)]


def _check_hierarchy(ctx: ReadContext, namespace: Namespace, named: CustomTemplate) -> None:
    """Refuse to use the templates of a group outside of its parent; personal projects may use all of them."""
    group = ctx.world.namespaces.get(named.group_id or 0)
    owner = ctx.world.namespaces.get(group.parent_id or 0) if isinstance(group, Group) else None
    if not isinstance(namespace, Group) or owner is None:
        return
    allowed = {owner.id, *(below.id for below in namespaces.list_descendants(ctx.world, owner))}
    if namespace.id not in allowed:
        raise InvalidRecord({"namespace": ["is not a descendant of the Group owning the template"]})


def create_from_template(
    ctx: WriteContext, namespace: Namespace, creator: User, template: Project, **fields: Unpack[NewProject]
) -> Project:
    """Create a project that becomes a copy of a template in the background."""
    # Imported here, as few worlds export anything.
    from fakeplat.domain.import_export.project_export import build_project_archive

    archive = build_project_archive(ctx, template, None)
    attributes: NewProject = {**fields, "import_status": imports.SCHEDULED}
    project = projects.create(ctx, namespace, creator, **attributes)
    overrides = {name: getattr(project, name) for name in _OVERRIDES if name in fields}
    imports.fill_project(ctx, project, creator, archive, overrides)
    return project
