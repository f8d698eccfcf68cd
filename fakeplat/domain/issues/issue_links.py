"""Links between issues. Source: docs/platform/issue-links.md, docs/decisions/rulings.md (12)."""

from collections.abc import Iterator
from typing import Final, Literal

from fakeplat.core.operations.errors import (
    Conflict,
    ForbiddenWithMessage,
    NotFound,
    NotFoundWithMessage,
    RecordNotFound,
    Unprocessable,
)
from fakeplat.domain import signals
from fakeplat.domain.issues import issue_access
from fakeplat.domain.purging import purge
from fakeplat.model.issues import Issue, IssueLink
from fakeplat.model.world import World
from fakeplat.policy import documented
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import YES, Decision, caller_name, can, can_see, explain_hidden
from fakeplat.policy.behaviours import FORBIDDEN_LINK_TEXT, UNLINKABLE_ISSUE_TEXT
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

Type = Literal["relates_to", "blocks", "is_blocked_by"]
_PAID: Final = ("blocks", "is_blocked_by")
_OTHER_SIDE: Final[dict[str, Type]] = {
    "relates_to": "relates_to",
    "blocks": "is_blocked_by",
    "is_blocked_by": "blocks",
}


def create(ctx: WriteContext, source: Issue, target: Issue, link_type: Type = "relates_to") -> IssueLink:
    """Link two issues; the caller must be able to administer both."""
    if link_type in _PAID and not _has_blocking_links(ctx.world, source):
        reason = f"link_type {link_type} requires the premium tier, as instance.documented is off"
        raise ForbiddenWithMessage("Blocked issues not available for current license", reason=reason)
    # The order of the checks is the platform's: a duplicate is 409 even for callers who are refused otherwise.
    if find_link_between(ctx.world, source.id, target.id):
        raise Conflict("Issue(s) already assigned")
    decision = _may_administer(ctx, source, target)
    if not decision.allowed:
        raise _unlinkable(ctx, decision)
    if source.id == target.id:
        raise Unprocessable(f"#{target.iid} cannot be added: cannot be related to itself")
    link = insert_link(ctx, source, target, link_type)
    signals.issues_linked.send(ctx, source, target)
    return link


def _unlinkable(ctx: ReadContext, decision: Decision) -> ForbiddenWithMessage | NotFoundWithMessage:
    text = ctx.profile.choose(FORBIDDEN_LINK_TEXT)
    if text:
        return ForbiddenWithMessage(text, reason=decision.why)
    return NotFoundWithMessage(ctx.profile.choose(UNLINKABLE_ISSUE_TEXT), reason=decision.why)


def _has_blocking_links(world: World, issue: Issue) -> bool:
    """Return whether issues can block each other: on every tier by the documentation, on paid tiers of the platform."""
    return documented.Ruling.BLOCKING_LINKS_ARE_FREE.holds(world) or has_feature(world, "premium", issue)


def insert_link(ctx: WriteContext, source: Issue, target: Issue, link_type: Type) -> IssueLink:
    """Insert a link, without permission checks; ``is_blocked_by`` is stored as ``blocks`` in the other direction."""
    if link_type == "is_blocked_by":
        return insert_link(ctx, target, source, "blocks")
    table, now = ctx.world.issue_links, ctx.now_iso
    return table.add(IssueLink(table.next_id(), source.id, target.id, now, now, link_type))


def find_link_between(world: World, issue_id: int, other_id: int) -> IssueLink | None:
    """Return the link between two issues (by id) in either direction; None without one."""
    # The key has no direction, so a single lookup finds the link from either side.
    return world.issue_links.find("pair", frozenset((issue_id, other_id)))


def delete(ctx: WriteContext, link: IssueLink) -> None:
    """Delete a link; the caller must be able to administer both issues."""
    source, target = (ctx.world.issues[id_] for id_ in (link.source_id, link.target_id))
    decision = _may_administer(ctx, source, target)
    if not decision.allowed:
        raise NotFoundWithMessage("No Issue Link found", reason=decision.why)
    purge(ctx, link)
    signals.issues_unlinked.send(ctx, source, target)


def get_link(ctx: ReadContext, id_: int) -> IssueLink:
    """Return the link with an id; 404 without one, or if the caller cannot see its target."""
    link = ctx.world.issue_links.get(id_)
    if link is None:
        raise RecordNotFound(reason=f"there is no issue link with the id {id_}")
    target = ctx.world.issues[link.target_id]
    project = ctx.world.projects[target.project_id]
    if not can_see(ctx, project):
        raise NotFound("Project", reason=lambda: f"the target of issue link {id_}: {explain_hidden(ctx, project)}")
    if not is_readable(ctx, target):
        raise RecordNotFound(reason=lambda: f"the target of issue link {id_} is hidden from {caller_name(ctx)}")
    return link


def get_link_of(ctx: ReadContext, issue: Issue, id_: int) -> IssueLink:
    """Return a link of an issue by its id; 404 without one, or if the caller cannot see its target."""
    link = get_link(ctx, id_)
    if issue.id not in (link.source_id, link.target_id):
        raise RecordNotFound(reason=f"issue link {id_} is none of issue {issue.iid}")
    return link


def list_linked_issues(ctx: ReadContext, issue: Issue) -> Iterator[Issue]:
    """Yield the issues linked to an issue that the caller can see, in the order of the links."""
    for link in ctx.world.issue_links.where("issue", issue.id):
        other = ctx.world.issues[other_end_of(link, issue.id)]
        if is_readable(ctx, other):
            yield other


def count_blocked(world: World, issue: Issue) -> int:
    """Return the number of open issues that an issue blocks."""
    blocked = (link.target_id for link in world.issue_links.where("issue", issue.id) if _blocks(link, issue.id))
    return sum(world.issues[id_].state == "opened" for id_ in blocked)


def _blocks(link: IssueLink, id_: int) -> bool:
    return link.link_type == "blocks" and link.source_id == id_


def other_end_of(link: IssueLink, id_: int) -> int:
    """Return the id of the issue at the other end of a link."""
    return link.target_id if link.source_id == id_ else link.source_id


def link_type_from(link: IssueLink, id_: int) -> str:
    """Return the type of a link from the point of view of the issue with an id."""
    return link.link_type if link.source_id == id_ else _OTHER_SIDE[link.link_type]


def move_links(ctx: WriteContext, old: Issue, new: Issue) -> None:
    """Transfer the links of an issue to the issue that it was moved to."""
    table = ctx.world.issue_links
    # A list, because changing a link moves it within the index that is iterated.
    for link in list(table.where("issue", old.id)):
        end = "source_id" if link.source_id == old.id else "target_id"
        table.change(link, **{end: new.id})


def is_readable(ctx: ReadContext, issue: Issue) -> bool:
    """Return whether the caller can see an issue."""
    project = ctx.world.projects[issue.project_id]
    return (
        can_see(ctx, project)
        and can(ctx, Ability.READ_ISSUES, project)
        and issue_access.is_visible(ctx, issue, project)
    )


def _may_administer(ctx: ReadContext, *ends: Issue) -> Decision:
    """Return whether the caller may link all of the issues; a refusal explains the first failure."""
    decisions = (issue_access.decide_on_links(ctx, ctx.world.projects[issue.project_id]) for issue in ends)
    return next((decision for decision in decisions if not decision.allowed), YES)
