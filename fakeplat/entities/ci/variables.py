"""Views of CI variables. Source: docs/platform/variables.md."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.core.release import since
from fakeplat.model.ci_variables import CiVariable
from fakeplat.model.pipelines import PipelineVariable
from fakeplat.policy.context import ReadContext


class CiVariableView(Entity[CiVariable]):
    """A variable of the instance."""

    ctx: ReadContext

    variable_type = attr()
    key = attr()
    value = attr()
    protected = attr()
    masked = attr()


class GroupVariableView(CiVariableView):
    """A variable of a group."""

    environment_scope = attr(when=since("13.11"))


class ProjectVariableView(CiVariableView):
    """A variable of a project."""

    environment_scope = attr()


class PipelineVariableView(Entity[PipelineVariable]):
    """A variable of a pipeline or a pipeline schedule."""

    # These values have no ids, by which views of them could be cached.
    cached_by_id = False

    variable_type = attr()
    key = attr()
    value = attr()
