"""What suggestions show. Source: docs/platform/external.md ('Suggestions')."""

from fakeplat.core.operations.entity import Entity, attr, shown
from fakeplat.domain.merge_requests import suggestions
from fakeplat.model.suggestions import Suggestion
from fakeplat.policy.context import Context


class SuggestionView(Entity[Suggestion]):
    """A suggestion: the lines that it replaces, and by what."""

    cx: Context

    id = attr(int)

    @shown
    def from_line(self) -> int:
        return suggestions.lines_of(self.cx.world, self.record).first

    @shown
    def to_line(self) -> int:
        return suggestions.lines_of(self.cx.world, self.record).last

    @shown
    def appliable(self) -> bool:
        return not suggestions.inapplicable_reason(self.cx.world, self.record)

    applied = attr(bool)
    from_content = attr(str)
    to_content = attr(str)
