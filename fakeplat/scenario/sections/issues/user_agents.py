"""The user agents with which issues and snippets were created."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.operations.vendor_names import twin_of
from fakeplat.core.schema.shapes import BOOLEAN, TEXT, Alias, Object
from fakeplat.core.store.references import Subject
from fakeplat.domain.people import user_agents
from fakeplat.model.issues import Issue
from fakeplat.model.people import UserAgentDetail
from fakeplat.model.snippets import Snippet
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, EntryData, Section

_SUBMITTED: Final = "antispam_submitted"


def _subject(owner: Issue | Snippet) -> Subject:
    return (type(owner).__name__.lower(), owner.id)


def _create(entry: Entry) -> UserAgentDetail:
    values = entry.values
    return user_agents.insert_user_agent(
        entry.ctx,
        _subject(entry.owner),
        values["user_agent"],
        values["ip_address"],
        submitted=values.get(_SUBMITTED, False),
    )


def _export(world: World, owner: Issue | Snippet) -> Iterable[tuple[UserAgentDetail, EntryData]] | None:
    detail = user_agents.find_user_agent(world, _subject(owner))
    return [(detail, _serialize(detail))] if detail else None


def _serialize(detail: UserAgentDetail) -> EntryData:
    data = {"user_agent": detail.user_agent, "ip_address": detail.ip_address}
    return {**data, _SUBMITTED: True} if detail.antispam_submitted else data


SECTION: Final = Section(
    "user_agent_detail",
    within=("issue", "snippet"),
    rank=ISSUES,
    keys=Object(
        {"user_agent": TEXT, "ip_address": TEXT, _SUBMITTED: BOOLEAN, str(twin_of(_SUBMITTED)): Alias(_SUBMITTED)},
        required=("user_agent", "ip_address"),
    ),
    create=_create,
    export=_export,
    single=True,
)
