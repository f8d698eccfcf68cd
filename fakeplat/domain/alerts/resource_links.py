"""Links of incidents to meetings, chats and other pages. Source: docs/platform/alerts.md ('Linked resources')."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from fakeplat.domain.issues import zoom_meetings
from fakeplat.domain.notes import noteables, system_notes
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, ValidationErrors, check_url, too_long
from fakeplat.model.alerts import ResourceLink, ResourceLinkType
from fakeplat.model.issues import Issue
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_SLACK: Final = re.compile(r"https://[a-zA-Z0-9]+\.slack\.com/[a-z]\w+", re.ASCII)
_PAGERDUTY: Final = re.compile(r"https://[a-zA-Z0-9]+\.pagerduty\.com/incidents/[a-zA-Z0-9]+")
_PREFIXES: Final[Mapping[ResourceLinkType, str]] = {
    "zoom": "Zoom #",
    "slack": "Slack #",
    "pagerduty": "PagerDuty incident #",
}
_NO_URL: Final = "must be a valid URL"
_DUPLICATE: Final = "already exists for this incident"
_MAX_LINK: Final = 2200


def may_administer(ctx: ReadContext, issue: Issue) -> bool:
    """Return whether the caller may see and change the links of an issue: Reporters, of incidents, in paid tiers."""
    return (
        issue.kind == "incident"
        and has_feature(ctx.world, "premium", issue)
        and noteables.is_visible(ctx, issue)
        and can(ctx, Ability.ADMIN_RESOURCE_LINK, ctx.world.projects[issue.project_id])
    )


def list_links(ctx: ReadContext, incident: Issue) -> Sequence[ResourceLink]:
    """Return the links of an incident, oldest first."""
    links = ctx.world.resource_links.where("incident", incident.id)
    return sorted(links, key=lambda record: (record.created_at, record.id))


def create(
    ctx: WriteContext, incident: Issue, link: str, text: str | None = None, kind: ResourceLinkType | None = None
) -> ResourceLink:
    """Add a link to an incident as the caller, or refuse with 400."""
    added = insert(ctx, incident, link, text, kind)
    _write_note(ctx, added, "added")
    return added


def insert(
    ctx: WriteContext, incident: Issue, link: str, text: str | None = None, kind: ResourceLinkType | None = None
) -> ResourceLink:
    """Insert a link, whose text and type follow from the address if they are not given; 400 for an invalid one."""
    link_type = kind or _choose_type(link)
    shown = text if text and text.strip() else _build_text(link, link_type)
    _validate(ctx, incident, link, shown)
    table, now = ctx.world.resource_links, ctx.now_iso
    return table.add(ResourceLink(table.next_id(), incident.id, link, shown, now, now, link_type))


def _choose_type(link: str) -> ResourceLinkType:
    if zoom_meetings.find_link(link) is not None:
        return "zoom"
    if _SLACK.search(link):
        return "slack"
    return "pagerduty" if _PAGERDUTY.search(link) else "general"


def _build_text(link: str, link_type: ResourceLinkType) -> str:
    """Return the text of a link: the address, or the last part of its path with the name of the service."""
    if link_type == "general":
        return link
    return _PREFIXES[link_type] + link.rstrip("/").rpartition("/")[2].partition("?")[0]


def _validate(ctx: ReadContext, incident: Issue, link: str, text: str) -> None:
    errors = ValidationErrors()
    if link.strip():
        check_url(errors, "link", link)
    else:
        errors.add("link", BLANK)
        errors.add("link", _NO_URL)
    too_long(errors, "link", link, _MAX_LINK)
    is_known = any(other.link.lower() == link.lower() for other in list_links(ctx, incident))
    errors.when(is_known, "link", _DUPLICATE)
    too_long(errors, "link_text", text)
    errors.refuse()


def delete(ctx: WriteContext, link: ResourceLink) -> None:
    """Delete a link as the caller."""
    purge(ctx, link)
    _write_note(ctx, link, "removed")


def _write_note(ctx: WriteContext, link: ResourceLink, verb: str) -> None:
    word = "resource" if link.link_type == "general" else link.link_type.capitalize()
    system_notes.write(ctx, ("issue", link.incident_id), ctx.signed_in_user, f"{verb} a {word} link")
