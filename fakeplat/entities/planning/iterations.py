"""Views of iterations."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.planning import iterations
from fakeplat.model.iterations import Iteration
from fakeplat.policy.context import ReadContext


class IterationView(Entity[Iteration]):
    """An iteration."""

    ctx: ReadContext

    id = attr()
    iid = attr()
    group_id = attr()
    title = attr()
    description = attr()

    @computed
    def state(self) -> int:
        return iterations.state_of(self.ctx, self.record)

    created_at = attr()
    updated_at = attr()
    start_date = attr()
    due_date = attr()
