"""Conversion of resource events: changes of labels, milestones, states and weights."""

from collections.abc import Callable, Mapping

from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.natural_keys import Names, username
from fakeplat.tape.export.subresources import LABEL_EVENTS, MILESTONE_EVENTS, STATE_EVENTS, WEIGHT_EVENTS
from fakeplat.tape.records.json_objects import Document
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import LABEL, MILESTONE, PROJECT


def to_scenario(observations: Observations, owner: tuple[object, ...], within: str, names: Names) -> Entry:
    """Return the resource events of an issue or merge request; ``owner`` is the id and the path of its project."""
    converters: Mapping[str, Callable[[Document], Entry]] = {
        LABEL_EVENTS: lambda event: {LABEL: names.title_of(LABEL, event.get(LABEL)), "action": event.get("action")},
        MILESTONE_EVENTS: lambda event: {
            MILESTONE: names.title_of(MILESTONE, event.get(MILESTONE)),
            "action": event.get("action"),
            "state": event.get("state"),
        },
        STATE_EVENTS: lambda event: {"state": event.get("state")},
        WEIGHT_EVENTS: lambda event: {"weight": event.get("weight")},
    }
    entries: Entry = {
        name: [
            {**_common_fields(event), **convert(event)}
            for event in observations.subresources_of(PROJECT, owner, name, within) or ()
        ]
        for name, convert in converters.items()
    }
    return {name: events for name, events in entries.items() if events}


def _common_fields(event: Document) -> Entry:
    at = event.get("created_at")
    return {"user": username(event.get("user")), **({"created_at": at} if at else {})}
