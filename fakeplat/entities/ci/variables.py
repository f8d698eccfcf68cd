"""Views of CI variables. Source: docs/platform/variables.md."""

from fakeplat.core.operations.entity import Entity, attr, computed, constant
from fakeplat.model.ci import CiVariable, PipelineVariable
from fakeplat.policy.context import ReadContext


class CiVariableView(Entity[CiVariable]):
    """A variable."""

    ctx: ReadContext

    variable_type = attr()
    key = attr()

    @computed
    def value(self) -> str | None:
        return None if self.record.hidden else self.record.value

    protected = attr()
    masked = attr()
    raw = attr(since="15.7")


class InstanceVariableView(CiVariableView):
    """A variable of the instance."""

    description = attr(since="16.8")


class ContainerVariableView(CiVariableView):
    """A variable of a project or group."""

    hidden = attr(since="17.4")
    description = attr(since="16.2")


class GroupVariableView(ContainerVariableView):
    """A variable of a group."""

    environment_scope = attr(since="13.11")


class ProjectVariableView(ContainerVariableView):
    """A variable of a project."""

    environment_scope = attr()


class PipelineVariableView(Entity[PipelineVariable]):
    """A variable of a pipeline or a pipeline schedule."""

    # These values have no ids, by which views of them could be cached.
    cached_by_id = False

    variable_type = attr()
    key = attr()
    value = attr()
    raw = constant(False, bool, since="15.7")
