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
from fakeplat.model.issue_links import IssueLink
from fakeplat.model.issues import Issue
from fakeplat.model.world import World
from fakeplat.policy import documented
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import YES, Decision, caller_name, can, can_see, decide, explain_hidden
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
    """Link two issues; whoever does so administers both."""
    if link_type in _PAID and not _has_blocking_links(ctx.world, source):
        reason = f"link_type {link_type} is part of the tier premium; instance.documented is off"
        raise ForbiddenWithMessage("Blocked issues not available for current license", reason=reason)
    if find_link_between(ctx.world, source.id, target.id):
        raise Conflict("Issue(s) already assigned")
    ruling = _may_administer(ctx, source, target)
    if not ruling.allowed:
        raise NotFoundWithMessage("No Issue found for given params", reason=ruling.why)
    if source.id == target.id:
        raise Unprocessable(f"#{target.iid} cannot be added: cannot be related to itself")
    link = insert_link(ctx, source, target, link_type)
    signals.issues_linked.send(ctx, source, target)
    return link


def _has_blocking_links(world: World, issue: Issue) -> bool:
    """Whether issues can block each other: everywhere by the specification, on a paid tier of the platform."""
    return documented.Ruling.BLOCKING_LINKS_ARE_FREE.holds(world) or has_feature(world, "premium", issue)


def insert_link(ctx: WriteContext, source: Issue, target: Issue, link_type: Type) -> IssueLink:
    """Link two issues; nobody's rights are asked. What is blocked by another is kept the other way round."""
    if link_type == "is_blocked_by":
        return insert_link(ctx, target, source, "blocks")
    table, now = ctx.world.issue_links, ctx.now_iso
    link = table.add(IssueLink(table.next_id(), source.id, target.id, now, now, link_type))
    ctx.emit("issue_linked", link)
    return link


def find_link_between(world: World, one: int, other: int) -> IssueLink | None:
    """The link of two issues (by id), whichever is its source."""
    return world.issue_links.find("pair", frozenset((one, other)))


def delete(ctx: WriteContext, link: IssueLink) -> None:
    """Take a link away; whoever does so administers both ends."""
    source, target = (ctx.world.issues[id_] for id_ in (link.source_id, link.target_id))
    ruling = _may_administer(ctx, source, target)
    if not ruling.allowed:
        raise NotFoundWithMessage("No Issue Link found", reason=ruling.why)
    purge(ctx, link)
    signals.issues_unlinked.send(ctx, source, target)
    ctx.emit("issue_unlinked", link)


def find(ctx: ReadContext, id_: int) -> IssueLink:
    """The link with an id, whose ends the caller sees; or 404."""
    found = ctx.world.issue_links.get(id_)
    if found is None:
        raise RecordNotFound(reason=f"no issue link has the id {id_}")
    target = ctx.world.issues[found.target_id]
    project = ctx.world.projects[target.project_id]
    if not can_see(ctx, project):
        raise NotFound("Project", reason=lambda: f"the target of issue link {id_}: {explain_hidden(ctx, project)}")
    if not is_readable(ctx, target):
        raise RecordNotFound(reason=lambda: f"the target of issue link {id_} is hidden from {caller_name(ctx)}")
    return found


def list_linked_issues(ctx: ReadContext, issue: Issue) -> Iterator[Issue]:
    """The other ends of an issue's links that the caller sees, in the order of the links."""
    for link in ctx.world.issue_links.where("issue", issue.id):
        other = ctx.world.issues[other_end_of(link, issue.id)]
        if is_readable(ctx, other):
            yield other


def other_end_of(link: IssueLink, id_: int) -> int:
    """The id of the issue at the other end."""
    return link.target_id if link.source_id == id_ else link.source_id


def type_from(link: IssueLink, id_: int) -> str:
    """What a link is, as seen from the issue with an id."""
    return link.link_type if link.source_id == id_ else _OTHER_SIDE[link.link_type]


def move_links(ctx: WriteContext, old: Issue, new: Issue) -> None:
    """Give the links of an issue to the one that it became."""
    table = ctx.world.issue_links
    for link in list(table.where("issue", old.id)):
        end = "source_id" if link.source_id == old.id else "target_id"
        table.change(link, **{end: new.id})


def is_readable(ctx: ReadContext, issue: Issue) -> bool:
    """Whether an issue exists for the caller."""
    project = ctx.world.projects[issue.project_id]
    return (
        can_see(ctx, project)
        and can(ctx, Ability.READ_ISSUES, project)
        and issue_access.is_visible(ctx, issue, project)
    )


def _may_administer(ctx: ReadContext, *ends: Issue) -> Decision:
    """Whether the caller administers all of some issues; why not is said of the first."""
    rulings = (decide(ctx, Ability.ADMIN_ISSUE, ctx.world.projects[issue.project_id]) for issue in ends)
    return next((ruling for ruling in rulings if not ruling.allowed), YES)
