"""The table of docs/hooks.md lists the declared events of webhooks."""

from fakeplat.domain.hooks.events import EVENTS, FLAGS_WITHOUT_EVENT, HookEvent
from tests.architecture.sources import ROOT

HEAD = ("| event | flag | webhooks of | test |", "|---|---|---|---|")
OWNERS = {"project": "projects", "group": "groups", "system": "the instance"}


def build_row(event: HookEvent[...]) -> str:
    owners = [
        f"{OWNERS[kind]} ({since})" if since and kind != "system" else OWNERS[kind]
        for kind, since in event.kinds.items()
    ]
    name = event.trigger.removesuffix("_hooks")
    sample = "yes" if event.sample else "no"
    return f"| `{name}` | `{event.flag}` | {', '.join(owners)} | {sample} |"


def test_the_table_of_events_is_complete() -> None:
    """The table of events has a row for each event with its flag, its kinds of webhooks and its sample."""
    page = (ROOT / "docs/hooks.md").read_text("utf-8")
    table = "\n".join((*HEAD, *(build_row(event) for event in EVENTS if event.kinds)))

    assert table in page, f"docs/hooks.md does not contain this table:\n{table}"


def test_flags_without_an_event_are_named() -> None:
    """The page of webhooks names each flag that has no event."""
    page = (ROOT / "docs/hooks.md").read_text("utf-8")
    assert [] == [flag for flag in FLAGS_WITHOUT_EVENT if f"`{flag}`" not in page]
