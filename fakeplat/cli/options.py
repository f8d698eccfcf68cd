"""The options that `serve` and `run` share, and the world that they make."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import orjson

from fakeplat.http.hall import Hall
from fakeplat.scenario import ScenarioError
from fakeplat.workbench.bench import Bench
from fakeplat.workbench.keywords import UnusableOption, refuse_unknown
from fakeplat.workbench.options import CLOCKS, STARTER, Options

F = TypeVar("F", bound=Callable[..., Any])


class Unusable(click.ClickException):
    """Arguments or files that cannot be used: one line, status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """The line."""
        click.echo(f"fakeplat: {self.format_message()}", file=file, err=True)


def serving(function: F) -> F:
    """Add the options of a server."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


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
)


def bench(scenario: str, seed: int | None, settings: tuple[str, ...], clock: str | None, *, explain: bool) -> Bench:
    """The world that the options describe."""
    try:
        options = Options(scenario, seed, _instance(settings), clock or {}, usual="real", explain=explain)
        return options.bench()
    except (ScenarioError, UnusableOption, OSError) as error:
        raise Unusable(str(error)) from None


def _instance(settings: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        room, _, key = name.partition(".")
        if not (equals and key):
            raise UnusableOption(f"--set {setting}: write instance.KEY=VALUE")
        refuse_unknown({room: None}, ("instance",), "--set")
        found[key] = _value(text)
    return found


def _value(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def hall(host: str, allowed: tuple[str, ...], key_file: Path | None) -> Hall:
    """The server of the worlds."""
    return Hall(host, allowed, _key(key_file) if key_file else None, keeps_answers=False)


def _key(path: Path) -> str:
    from secrets import token_urlsafe

    from fakeplat.cli.files import write_private

    try:
        if path.exists():
            return path.read_text("utf-8").strip()
        key = token_urlsafe(24)
        write_private(path, key)
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}") from None
    return key
