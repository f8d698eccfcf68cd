"""Templates of configurations. Source: docs/platform/graphql.md."""

from typing import Final

from fakeplat.domain.templates import templates
from fakeplat.domain.templates.templates import Template
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=14.0"
TEMPLATE: Final = Type("CiTemplate", "A template of a configuration.", since=_SINCE)
TEMPLATE.attributes({"name: String!": "The name.", "content: String!": "The configuration."})


@PROJECT.field("ciTemplate(name: String!): CiTemplate", since=_SINCE)
def find_template(_ctx: ReadContext, _project: Project, name: str) -> Template | None:
    """The template of configurations with a name."""
    return templates.find_template("gitlab_ci_ymls", name)
