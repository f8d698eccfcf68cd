"""Links between issues."""

from typing import Final

from fakeplat.domain.issues import issue_links
from fakeplat.model.issues import IssueLink
from fakeplat.model.world import World
from fakeplat.scenario.link_sections import build_link_section
from fakeplat.scenario.sections.issues.issues import format_reference, get_issue


def _format_end(world: World, issue_id: int) -> str:
    return format_reference(world, world.issues[issue_id])


SECTION: Final = build_link_section(
    "issue_links",
    IssueLink,
    "issue",
    ("acme/site#7", "acme/site#8"),
    get_end=get_issue,
    find=issue_links.find_link_between,
    insert=issue_links.insert_link,
    format_end=_format_end,
)
