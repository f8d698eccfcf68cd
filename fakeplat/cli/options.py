"""The options that `serve` and `run` share, and the world that they make."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import orjson
from attrs import evolve

from fakeplat.http.connection import ConnectionCount
from fakeplat.http.dispatcher import LIMITS
from fakeplat.http.listener import max_connections
from fakeplat.http.server import WorldServer
from fakeplat.scenario import ScenarioError
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.journal import BODIES, MEGABYTE, JournalLimits
from fakeplat.workbench.keywords import InvalidOption, refuse_unknown
from fakeplat.workbench.options import CLOCKS, STARTER, Options

F = TypeVar("F", bound=Callable[..., Any])


class UsageError(click.ClickException):
    """Arguments or files that cannot be used: one line, status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """The line."""
        click.echo(f"fakeplat: {self.format_message()}", file=file, err=True)


class IncompleteOutput(UsageError):
    """What was asked for was not done whole: one line, status 1."""

    exit_code = 1


def server_options(function: F) -> F:
    """Add the options of a server."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def _seconds(name: str, default: float, text: str) -> Callable[[F], F]:
    return click.option(
        name,
        type=click.FloatRange(0, min_open=True),
        default=default,
        show_default=True,
        metavar="SECONDS",
        help=text,
    )


_OPTIONS = (
    click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on."),
    click.option(
        "--scenario", default=STARTER, show_default=True, metavar="NAME-or-FILE", help="Where the world begins."
    ),
    click.option("--seed", type=int, help="What all chance comes from."),
    click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Such as instance.tier=ultimate."),
    click.option("--clock", type=click.Choice(CLOCKS), help="real unless the scenario says."),
    click.option("--base-url", metavar="URL", help="The origin that answers name, whatever the client used."),
    click.option("--allow-host", multiple=True, metavar="NAME", help="A host name that clients may use."),
    click.option(
        "--explain", is_flag=True, help="Tell the true reason of each refusal in the header X-Fakeplat-Reason."
    ),
    click.option("--record", type=click.Path(path_type=Path), help="A tape of all requests; an old one is replaced."),
    click.option("--ready-file", type=click.Path(path_type=Path), help="Written once requests are answered."),
    click.option("--control-key-file", type=click.Path(path_type=Path), help="Holds the key of the control routes."),
    click.option(
        "--journal-size",
        type=click.IntRange(0),
        default=64,
        show_default=True,
        metavar="MB",
        help="How much the journal of a world keeps; the oldest requests are dropped.",
    ),
    click.option(
        "--journal-bodies",
        type=click.Choice(BODIES),
        default="requests",
        show_default=True,
        help="Which bodies the journal keeps; warnings are derived from those of requests.",
    ),
    _seconds("--idle-timeout", 75, "How long a connection stays open without a request."),
    _seconds("--head-timeout", 10, "How long the head of a request may take."),
    _seconds("--body-timeout", 30, "How long the next part of a body may take."),
    click.option(
        "--max-headers",
        type=click.IntRange(1),
        default=100,
        show_default=True,
        help="How many headers a request may have.",
    ),
    click.option(
        "--max-connections",
        type=click.IntRange(1),
        help="How many connections may be open; as many as files if not given.",
    ),
)


def create_workbench(
    scenario: str, seed: int | None, settings: tuple[str, ...], clock: str | None, *, explain: bool
) -> Workbench:
    """The world that the options describe."""
    try:
        options = Options(scenario, seed, _instance(settings), clock or {}, usual="real", explain=explain)
        return options.bench()
    except (ScenarioError, InvalidOption, OSError) as error:
        raise UsageError(str(error)) from None


def _instance(settings: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        room, _, key = name.partition(".")
        if not (equals and key):
            raise InvalidOption(f"--set {setting}: write instance.KEY=VALUE")
        refuse_unknown({room: None}, ("instance",), "--set")
        found[key] = _value(text)
    return found


def _value(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def create_server(
    host: str, allow_host: tuple[str, ...], control_key_file: Path | None, rest: dict[str, Any]
) -> WorldServer:
    """Return the server of the worlds; takes its options out of ``rest``."""
    journal = JournalLimits(rest.pop("journal_size") * MEGABYTE, rest.pop("journal_bodies"))
    limits = evolve(
        LIMITS,
        headers=rest.pop("max_headers"),
        **{name: rest.pop(name) for name in ("idle_timeout", "head_timeout", "body_timeout")},
    )
    connections = ConnectionCount(rest.pop("max_connections") or max_connections())
    key = _key(control_key_file) if control_key_file else None
    return WorldServer(host, allow_host, key, journal=journal, limits=limits, connections=connections)


def _key(path: Path) -> str:
    from secrets import token_urlsafe

    from fakeplat.cli.files import write_private

    try:
        if path.exists():
            return path.read_text("utf-8").strip()
        key = token_urlsafe(24)
        write_private(path, key)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    return key
