"""Views of suggestions. Source: docs/platform/external.md ('Suggestions')."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.merge_requests import suggestions
from fakeplat.model.suggestions import Suggestion
from fakeplat.policy.context import ReadContext


class SuggestionView(Entity[Suggestion]):
    """A suggestion: the range of lines and their replacement."""

    ctx: ReadContext

    id = attr()

    @computed
    def from_line(self) -> int:
        return suggestions.get_lines(self.ctx.world, self.record).first

    @computed
    def to_line(self) -> int:
        return suggestions.get_lines(self.ctx.world, self.record).last

    @computed
    def appliable(self) -> bool:
        return not suggestions.inapplicable_reason(self.ctx.world, self.record)

    applied = attr()
    from_content = attr()
    to_content = attr()
