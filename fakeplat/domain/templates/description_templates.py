"""Templates for descriptions of work items: those of a project, of the groups above it and of the instance.

Source: docs/platform/work-items.md ('Description templates').
"""

from collections.abc import Iterator
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people import namespaces
from fakeplat.domain.templates import templates
from fakeplat.domain.templates.templates import Template
from fakeplat.model.people import Group
from fakeplat.model.projects import Container, Project
from fakeplat.model.world import World
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors_of

_OWN: Final = "Project Templates"
DEFAULT: Final = "Default (Project Settings)"
"""The name of the template that the settings of a project have."""


@frozen
class DescriptionTemplate:
    """A template in the repository of a project, or in its settings."""

    name: str
    content: str
    project: Project
    category: str | None = None

    @property
    def id(self) -> tuple[int, str]:
        """What tells it apart from others, also from those of other projects with the same name."""
        return self.project.id, self.name


def list_sources(world: World, project: Project) -> Iterator[tuple[Project, str]]:
    """Yield the projects whose templates a project can use, too, with their categories; paid tiers only."""
    for above in ancestors_of(world, project):
        source = namespaces.find_template_project(world, above) if isinstance(above, Group) else None
        if source is not None and has_feature(world, "premium", above):
            yield source, f"Group {namespaces.full_name(world, above)}"
    instance = find_instance_project(world)
    if instance is not None:
        yield instance, "Instance"


def find_instance_project(world: World) -> Project | None:
    """Return the project with the templates of the instance; paid tiers only."""
    id_ = world.settings.file_template_project_id
    return world.projects.get(id_) if id_ is not None and has_feature(world, "premium") else None


def list_templates(world: World, container: Container) -> list[DescriptionTemplate]:
    """Return the templates of a project, or of the project with those of a group; that of the settings first."""
    project = container if isinstance(container, Project) else _find_project(world, container)
    if project is None:
        return []
    others = [each for source, category in list_sources(world, project) for each in _read(world, source, category)]
    own = _read(world, project, _OWN)
    # The project of a group's templates has each of them twice; the group shows them once.
    is_doubled = any(each.project.id == project.id and each.category != "Instance" for each in others)
    if isinstance(container, Group) and is_doubled:
        own = []
    default = find_default(world, project)
    return [*([default] if default is not None else []), *others, *own]


def _find_project(world: World, group: Group) -> Project | None:
    if group.file_template_project_id is not None:
        return world.projects.get(group.file_template_project_id)
    above = (each for each in ancestors_of(world, group) if isinstance(each, Group) and each.file_template_project_id)
    nearest = next(above, None)
    is_paid = nearest is not None and has_feature(world, "premium", nearest)
    return namespaces.find_template_project(world, nearest) if nearest is not None and is_paid else None


def _read(world: World, project: Project, category: str) -> list[DescriptionTemplate]:
    found = templates.list_project_templates(world, project, "issues")
    return [_describe(project, template, category) for template in found]


def _describe(project: Project, template: Template, category: str | None) -> DescriptionTemplate:
    return DescriptionTemplate(template.name, template.content, project, category)


def find_default(world: World, project: Project) -> DescriptionTemplate | None:
    """Return the template that the settings of a project have; paid tiers only."""
    text = project.issues_template if has_feature(world, "premium", project) else None
    return DescriptionTemplate(DEFAULT, text, project, _OWN) if text else None


def find_template(world: World, project: Project, name: str) -> DescriptionTemplate | None:
    """Return the template of a project with a name; its category is that of the group or instance that uses it."""
    if name == DEFAULT:
        return find_default(world, project)
    template = templates.find_project_template(world, project, "issues", name)
    categories = (category for source, category in list_sources(world, project) if source.id == project.id)
    return _describe(project, template, next(categories, None)) if template is not None else None
