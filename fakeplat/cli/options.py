"""Options shared by `serve` and `run`, and the server and world that they describe."""

from collections.abc import Callable, Sequence
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext, SSLError, SSLObject
from typing import IO, Any, Final, TypeVar

import click
from attrs import evolve

from fakeplat.cli.output import print_event
from fakeplat.cli.progress import progress
from fakeplat.http.connection import ConnectionCount
from fakeplat.http.dispatcher import LIMITS
from fakeplat.http.listener import max_connections
from fakeplat.http.server import WorldServer
from fakeplat.model.instance import Instance
from fakeplat.platform import HandledRequest
from fakeplat.scenario import ScenarioError, showing_progress
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.bounded_log import MEGABYTE
from fakeplat.workbench.journal import BODIES, JournalLimits
from fakeplat.workbench.journal_entries import JournalEntry
from fakeplat.workbench.keywords import InvalidOption, refuse_unknown
from fakeplat.workbench.options import CLOCKS, STARTER, Options, check_instance, parse_option

F = TypeVar("F", bound=Callable[..., Any])

_OWN_NAMES: Final = ("localhost", "127.0.0.1", "::1")


class UsageError(click.ClickException):
    """Invalid arguments or files: one line on standard error, status 2."""

    exit_code = 2

    def show(self, file: IO[str] | None = None) -> None:
        """Print the message."""
        click.echo(f"fakeplat: {self.format_message()}", file=file, err=True)


class IncompleteOutput(UsageError):
    """The output is incomplete: one line on standard error, status 1."""

    exit_code = 1


def server_options(function: F) -> F:
    """Add the options of a server."""
    # Decorators are applied from the inside, so the help shows the options in the order of the table.
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def _seconds_option(name: str, default: float, help_text: str) -> Callable[[F], F]:
    return click.option(
        name,
        type=click.FloatRange(0, min_open=True),
        default=default,
        show_default=True,
        metavar="SECONDS",
        help=help_text,
    )


settings_option: Final = click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting, such as instance.tier=ultimate."
)

_OPTIONS = (
    click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on."),
    click.option("--scenario", default=STARTER, show_default=True, metavar="NAME-or-FILE", help="The initial world."),
    click.option("--seed", type=int, help="Seed of all random values."),
    settings_option,
    click.option("--clock", type=click.Choice(CLOCKS), help="Kind of clock; default: the scenario's, else real."),
    click.option("--base-url", metavar="URL", help="The origin in all URLs of responses, instead of the Host header."),
    click.option("--allow-host", multiple=True, metavar="NAME", help="Another host name that clients may use."),
    click.option(
        "--explain", is_flag=True, help="Give the true reason of each refusal in the header X-Fakeplat-Reason."
    ),
    click.option("--allow-egress", is_flag=True, help="Send webhooks to other machines too, not to this one only."),
    click.option(
        "--record",
        type=click.Path(path_type=Path),
        help="Record all requests to this tape; an existing file is replaced.",
    ),
    click.option("--record-deliveries", is_flag=True, help="Record deliveries to webhooks on the tape too."),
    click.option("--log", is_flag=True, help="Print each request, with its status and the reason of a refusal."),
    click.option(
        "--tls",
        type=click.Path(path_type=Path),
        is_flag=False,
        flag_value="fakeplat-ca.pem",
        metavar="[FILE]",
        help="Serve over HTTPS; the certificate authority is written to FILE. Needs fakeplat[tls].",
    ),
    click.option(
        "--ssh-port",
        type=click.IntRange(0, 65535),
        help="Serve git over SSH on this port, too; 0 selects a free one. Needs fakeplat[ssh].",
    ),
    click.option(
        "--execute",
        is_flag=True,
        help="Run the scripts of jobs on this machine, without a sandbox, instead of playing the jobs. Linux only.",
    ),
    click.option("--ready-file", type=click.Path(path_type=Path), help="Written when the server is ready."),
    click.option(
        "--control-key-file", type=click.Path(path_type=Path), help="Key of the control routes; created if missing."
    ),
    click.option(
        "--journal-size",
        type=click.IntRange(0),
        default=64,
        show_default=True,
        metavar="MB",
        help="Maximal size of a world's journal; the oldest requests are dropped.",
    ),
    click.option(
        "--journal-bodies",
        type=click.Choice(BODIES),
        default="requests",
        show_default=True,
        help="Bodies stored in the journal; warnings are derived from those of requests.",
    ),
    _seconds_option("--idle-timeout", 75, "Close a connection after this time without a request."),
    _seconds_option("--head-timeout", 10, "Maximal time to receive the head of a request."),
    _seconds_option("--body-timeout", 30, "Maximal time between two parts of a body."),
    click.option(
        "--max-headers",
        type=click.IntRange(1),
        default=100,
        show_default=True,
        help="Maximal number of headers in a request.",
    ),
    click.option(
        "--max-connections",
        type=click.IntRange(1),
        help="Maximal number of open connections; default: as many as files may be open.",
    ),
)


def create_workbench(
    scenario: str, seed: int | None, settings: tuple[str, ...], clock: str | None, *, explain: bool
) -> Workbench:
    """Create the world that the options describe."""
    try:
        options = Options(scenario, seed, parse_settings(settings), clock or {}, usual="real", explain=explain)
        with progress() as report_step, showing_progress(report_step):
            return options.bench()
    except (ScenarioError, InvalidOption, OSError) as error:
        raise UsageError(str(error)) from None


def create_instance(settings: tuple[str, ...]) -> Instance:
    """Return the instance that settings describe, without a world."""
    try:
        return Instance(**check_instance(parse_settings(settings)))
    except (InvalidOption, ValueError) as error:
        raise UsageError(str(error)) from None


def create_instance_keys(settings: tuple[str, ...]) -> dict[str, Any]:
    """Return the checked keys of an instance that settings give."""
    try:
        return dict(check_instance(parse_settings(settings)))
    except (InvalidOption, ValueError) as error:
        raise UsageError(str(error)) from None


def parse_settings(settings: tuple[str, ...]) -> dict[str, Any]:
    """Return the keys of an instance that settings give. InvalidOption if one cannot be understood."""
    instance: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        section, _, key = name.partition(".")
        if not (equals and key):
            raise InvalidOption(f"--set {setting}: use instance.KEY=VALUE")
        refuse_unknown({section: None}, ("instance",), "--set")
        instance[key] = parse_option(key, text)
    return instance


def create_server(
    host: str, allow_host: tuple[str, ...], control_key_file: Path | None, rest: dict[str, Any]
) -> WorldServer:
    """Create the server, removing its options from ``rest``."""
    journal = JournalLimits(rest.pop("journal_size") * MEGABYTE, rest.pop("journal_bodies"))
    limits = evolve(
        LIMITS,
        headers=rest.pop("max_headers"),
        **{name: rest.pop(name) for name in ("idle_timeout", "head_timeout", "body_timeout")},
    )
    connections = ConnectionCount(rest.pop("max_connections") or max_connections())
    key = _read_or_create_key(control_key_file) if control_key_file else None
    return WorldServer(
        host,
        allow_host,
        key,
        journal=journal,
        limits=limits,
        connections=connections,
        allows_egress=rest.pop("allow_egress"),
        tls=_create_tls_context(rest.pop("tls"), host, allow_host),
        observers=(_print_request,) if rest.pop("log") else (),
        runs_due_tasks=True,
    )


def _create_tls_context(file: Path | None, host: str, names: Sequence[str]) -> SSLContext | None:
    """Return a context with a new certificate for this machine and for ``names``; write its authority to a file."""
    if file is None:
        return None
    try:
        import trustme
    except ImportError:
        raise UsageError("--tls needs trustme: pip install 'fakeplat[tls]'") from None
    authority = trustme.CA()
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.sslobject_class = _ExplainedHandshake
    authority.issue_cert(*dict.fromkeys((*_OWN_NAMES, host, *names))).configure_cert(context)
    try:
        authority.cert_pem.write_to_path(file)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    return context


class _ExplainedHandshake(SSLObject):
    """The TLS of a connection, which says what nobody would see: that a client speaks HTTP without TLS."""

    def do_handshake(self) -> None:
        try:
            super().do_handshake()
        except SSLError as error:
            if error.reason == "HTTP_REQUEST":
                print_event("fakeplat: a client sent a plain HTTP request; this server speaks HTTPS only")
            raise


def _print_request(entry: HandledRequest, _handler: object) -> None:
    print_event(repr(JournalEntry(entry)))


def _read_or_create_key(path: Path) -> str:
    from secrets import token_urlsafe

    from fakeplat.cli.files import write_private

    try:
        if path.exists():
            return _parse_key(path)
        key = token_urlsafe(24)
        write_private(path, key)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    return key


def _parse_key(path: Path) -> str:
    try:
        key = path.read_text("utf-8").strip()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 text: {error.reason} at byte {error.start}") from None
    if not key:
        # Every request without the header would have this key.
        raise UsageError(f"{path}: is empty; write a key to it, or remove it to create one")
    return key
