"""Traces: one HTML file that shows what happened in a world, request by request, without a server or a network.

`pytest --fakeplat-trace=DIR` writes one for each failed test, `fakeplat bundle show FILE --html` one of a bundle.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from fakeplat.core.extras import explain_missing, is_installed
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.ci.jobs import list_latest
from fakeplat.harness.fake import Fakeplat
from fakeplat.harness.report_files import name_file, write_file
from fakeplat.platform import HandledRequest, Platform
from fakeplat.workbench.changes import WorldDiff, diff_worlds
from fakeplat.workbench.deliveries import Delivery
from fakeplat.workbench.journal_entries import JournalEntry
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.lints import find_lints
from fakeplat.workbench.mails import Mail
from fakeplat.workbench.natural_keys import natural_key

if TYPE_CHECKING:
    from fakeplat.console.graphs import PipelineGraph
    from fakeplat.core.store.state import State
    from fakeplat.model.ci import Pipeline
    from fakeplat.model.world import World

EVERY_TEST: Final = "all:"
"""Before the folder, in the option: write the traces of all tests, not of those that failed only."""

_NO_CHANGES: Final = WorldDiff()


class StateRecorder:
    """An observer of requests that remembers the states of the world before and after each."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self._last = platform.state
        self._states: dict[int, tuple[State, State]] = {}

    def __call__(self, handled: HandledRequest, _handler: object) -> None:
        """Remember the states of a request."""
        after = self.platform.state
        self._states[handled.number] = self._last, after
        self._last = after

    def diff_request(self, number: int) -> WorldDiff:
        """Return what changed between the request before and the end of this one."""
        before, after = self._states.get(number, (None, None))
        return _NO_CHANGES if before is None or after is None or before is after else diff_worlds(before, after)


@frozen
class Message:
    """The headers and the body of a request or a response, with stars for secrets."""

    title: str
    headers: Sequence[tuple[str, str]]
    body: str


@frozen
class Event:
    """Something that happened at a time of the world."""

    kind: Literal["request", "delivery", "mail", "clock"]
    time: str
    subject: "JournalEntry | Delivery | Mail | str"
    messages: Sequence[Message] = ()
    changes: WorldDiff = _NO_CHANGES


@frozen
class DrawnPipeline:
    """A pipeline with the graph of its jobs."""

    pipeline: "Pipeline"
    project: str
    drawn: "PipelineGraph"


def check_trace_extra() -> None:
    """Raise InvalidOption if the templates of traces cannot be used."""
    if not is_installed("console"):
        raise InvalidOption(f"traces: {explain_missing('console')}")


def render_trace(fake: Fakeplat, entries: Sequence[JournalEntry], recorder: StateRecorder, title: str) -> str:
    """Return the trace of some requests to a world as an HTML page."""
    from fakeplat.console.rendering import read_style_sheet, render_part

    callers = sorted(Counter(entry.user or "nobody" for entry in entries).items())
    return render_part(
        "trace.html",
        title=title,
        scenario=fake.bench.scenario,
        release=fake.bench.platform.view.instance.version,
        style=read_style_sheet(),
        callers=callers,
        numbers={name: number for number, (name, _) in enumerate(callers, 1)},
        refused=sum(entry.status >= 400 or not entry.status for entry in entries),
        lints=find_lints(entries),
        faults=fake.bench.interceptors.faults.list(),
        events=list(_with_clock(_list_events(fake, entries, recorder))),
        graphs=list(_draw_pipelines(fake.bench.platform.view)),
    )


def _list_events(fake: Fakeplat, entries: Sequence[JournalEntry], recorder: StateRecorder) -> list[Event]:
    events = [_describe_request(entry, recorder) for entry in entries]
    events += [_describe_delivery(delivery) for delivery in fake.bench.deliveries]
    events += [Event("mail", mail.time, mail, (Message("E-mail", (), mail.body),)) for mail in fake.bench.mails]
    # What a request caused stands after it: the sort is stable.
    return sorted(events, key=lambda event: event.time)


def _describe_request(entry: JournalEntry, recorder: StateRecorder) -> Event:
    from fakeplat.console.masking import mask_body, mask_headers

    parts = ("Request", entry.headers, entry.body), ("Response", entry.response.headers, entry.response.content)
    messages = [
        Message(title, mask_headers(headers), mask_body(body, headers.get("content-type", "")))
        for title, headers, body in parts
    ]
    return Event("request", entry.time, entry, messages, recorder.diff_request(entry.number))


def _describe_delivery(delivery: Delivery) -> Event:
    from fakeplat.console.masking import mask_body, mask_headers

    kind = delivery.headers.get("content-type", "application/json")
    message = Message("Request", mask_headers(delivery.headers), mask_body(delivery.body, kind))
    return Event("delivery", delivery.time, delivery, (message,))


def _with_clock(events: Sequence[Event]) -> Iterator[Event]:
    """Yield the events, and an event for each time that the clock was moved between them."""
    last: int | None = None
    for event in events:
        now = from_iso(event.time)
        if last is not None and now - last >= SECOND:
            yield Event("clock", event.time, str(timedelta(milliseconds=now - last)))
        yield event
        last = now


def _draw_pipelines(world: "World") -> Iterator[DrawnPipeline]:
    from fakeplat.console.graphs import draw_pipeline

    for pipeline in world.pipelines:
        # A trace is one page, so the jobs in it have no pages to link.
        drawn = draw_pipeline(list_latest(world, pipeline.id), {})
        yield DrawnPipeline(pipeline, natural_key(world, world.projects.get(pipeline.project_id)), drawn)


class TraceWriter:
    """Writes the traces of tests into a folder. ``is_for_all``: of those that passed, too."""

    def __init__(self, option: str, root: Path) -> None:
        self.is_for_all = option.startswith(EVERY_TEST)
        self._folder = root / option.removeprefix(EVERY_TEST)
        self._recorders: list[StateRecorder] = []

    def create_recorder(self, platform: Platform) -> StateRecorder:
        """Return the observer of a new world."""
        recorder = StateRecorder(platform)
        self._recorders.append(recorder)
        return recorder

    def write(self, fake: Fakeplat, entries: Sequence[JournalEntry], test: str, number: int) -> str:
        """Write the trace of a test's world; return its address, or why it cannot be written."""
        recorder = next(one for one in self._recorders if one.platform is fake.bench.platform)
        path = self._folder / name_file(test, number, ".html")
        return write_file(path, render_trace(fake, entries, recorder, test).encode()) or path.as_uri()

    def keep(self, platforms: Sequence[Platform]) -> None:
        """Forget the worlds that are not among these."""
        self._recorders = [one for one in self._recorders if any(one.platform is platform for platform in platforms)]
