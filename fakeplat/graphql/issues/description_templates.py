"""Templates for descriptions of work items. Source: docs/platform/work-items.md ('Description templates')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.domain.people import namespaces
from fakeplat.domain.templates import description_templates
from fakeplat.domain.templates.description_templates import DescriptionTemplate
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.lookups import find_namespace
from fakeplat.graphql.people.groups import GROUP, NAMESPACE
from fakeplat.graphql.schema_builder import QUERY, Input, Type
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.authorization import caller_name, can_see
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import ancestors_of

_SINCE: Final = "17.6"
_CONTENT: Final = "17.9"
_FIELD: Final = "workItemDescriptionTemplates(name: String, search: String): WorkItemDescriptionTemplateConnection"
TEMPLATE: Final = Type("WorkItemDescriptionTemplate", "A template for descriptions of work items.", since=_SINCE)
TEMPLATE.attributes(
    {"name: String": "The name.", "content: String": "The text in Markdown.", "category: String": "Where it is from."}
)


@TEMPLATE.field("projectId: Int")
def project_id(_ctx: ReadContext, template: DescriptionTemplate) -> int:
    """The ID of the project with the template."""
    return template.project.id


@NAMESPACE.field(_FIELD, since=_SINCE)
@GROUP.field(_FIELD, since=_SINCE)
def templates_of(
    ctx: ReadContext, container: Routable, name: str | None = None, search: str | None = None
) -> Sequence[DescriptionTemplate] | None:
    """The templates of the project, or of the group's project for templates; null without any."""
    # The platform accepts both arguments and ignores them.
    del name, search
    if not isinstance(container, Project | Group):
        return None
    return description_templates.list_templates(ctx.world, container) or None


Input(
    "WorkItemDescriptionTemplateContentInput",
    "Which template is shown.",
    '''
"""The full path of the project or group that uses the template."""
fromNamespace: String
"""The name of the template."""
name: String!
"""The ID of the project with the template."""
projectId: Int!
''',
    since=_CONTENT,
)


@QUERY.field(
    "workItemDescriptionTemplateContent(templateContentInput: WorkItemDescriptionTemplateContentInput!): "
    "WorkItemDescriptionTemplate",
    since=_CONTENT,
)
def find_template(ctx: ReadContext, template_content_input: Mapping[str, Any]) -> DescriptionTemplate | None:
    """A template of a project that the caller sees, or whose templates a project or group that they see uses."""
    project = ctx.world.projects.get(template_content_input["project_id"])
    if project is None:
        return None
    user_path = template_content_input.get("from_namespace")
    if not can_see(ctx, project) and not _is_used(ctx, project, user_path):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} sees no templates of project {project.id}")
    return description_templates.find_template(ctx.world, project, template_content_input["name"])


def _is_used(ctx: ReadContext, project: Project, full_path: str | None) -> bool:
    """Return whether the templates of a project are those of the instance, or of the groups above a path."""
    instance = description_templates.find_instance_project(ctx.world)
    if instance is not None and instance.id == project.id:
        return True
    if full_path is None:
        return False
    container = namespaces.find_project_by_path(ctx.world, full_path) or find_namespace(ctx, full_path)
    if container is None or not can_see(ctx, container):
        return False
    above = (each for each in ancestors_of(ctx.world, container) if isinstance(each, Group))
    sources = (namespaces.find_template_project(ctx.world, group) for group in above)
    return any(source is not None and source.id == project.id for source in sources)
