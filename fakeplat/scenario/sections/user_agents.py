"""With what issues and snippets were written."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.operations.vendor_names import twin_of
from fakeplat.core.schema.shapes import BOOLEAN, TEXT, Alias, Object
from fakeplat.domain.projects import user_agents
from fakeplat.model.user_agents import UserAgentDetail
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, Section, Told

_SUBMITTED: Final = "antispam_submitted"


def _subject(owner: Any) -> tuple[str, int]:
    return (type(owner).__name__.lower(), owner.id)


def _make(entry: Entry) -> UserAgentDetail:
    said = entry.said
    return user_agents.insert_user_agent(
        entry.ctx,
        _subject(entry.owner),
        said["user_agent"],
        said["ip_address"],
        submitted=said.get(_SUBMITTED, False),
    )


def _tell(world: World, owner: Any) -> Iterable[tuple[UserAgentDetail, Told]] | None:
    found = user_agents.find_user_agent(world, _subject(owner))
    return [(found, _told(found))] if found else None


def _told(found: UserAgentDetail) -> Told:
    told = {"user_agent": found.user_agent, "ip_address": found.ip_address}
    return {**told, _SUBMITTED: True} if found.antispam_submitted else told


SECTION: Final = Section(
    "user_agent_detail",
    under=("issue", "snippet"),
    rank=ISSUES,
    keys=Object(
        {"user_agent": TEXT, "ip_address": TEXT, _SUBMITTED: BOOLEAN, str(twin_of(_SUBMITTED)): Alias(_SUBMITTED)},
        required=("user_agent", "ip_address"),
    ),
    make=_make,
    tell=_tell,
    single=True,
)
