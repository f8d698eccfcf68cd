"""How labels, milestones, states and weights of issues and merge requests changed, as their resource events tell."""

from collections.abc import Callable, Mapping

from fakeplat.tape.export.field_mapping import Said
from fakeplat.tape.export.json_objects import Document
from fakeplat.tape.export.natural_keys import Names, username
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import LABEL, MILESTONE, PROJECT
from fakeplat.tape.export.subresources import LABEL_EVENTS, MILESTONE_EVENTS, STATE_EVENTS, WEIGHT_EVENTS


def to_scenario(seen: Observations, owner: tuple[object, ...], within: str, names: Names) -> Said:
    """The history of an issue or merge request of the project with an id and a path."""
    told: Mapping[str, Callable[[Document], Said]] = {
        LABEL_EVENTS: lambda event: {LABEL: names.titled(LABEL, event.get(LABEL)), "action": event.get("action")},
        MILESTONE_EVENTS: lambda event: {
            MILESTONE: names.titled(MILESTONE, event.get(MILESTONE)),
            "action": event.get("action"),
            "state": event.get("state"),
        },
        STATE_EVENTS: lambda event: {"state": event.get("state")},
        WEIGHT_EVENTS: lambda event: {"weight": event.get("weight")},
    }
    found: Said = {
        word: [{**_done(event), **tell(event)} for event in seen.parts_of(PROJECT, owner, word, within) or ()]
        for word, tell in told.items()
    }
    return {word: events for word, events in found.items() if events}


def _done(event: Document) -> Said:
    at = event.get("created_at")
    return {"user": username(event.get("user")), **({"created_at": at} if at else {})}
