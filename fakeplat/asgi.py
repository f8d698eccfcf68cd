"""A world as an ASGI application for servers: ``uvicorn fakeplat.asgi:app``, and with ``--ssl-…`` over TLS.

The environment has its options: FAKEPLAT_SCENARIO, FAKEPLAT_SEED, FAKEPLAT_CLOCK, FAKEPLAT_TIER, FAKEPLAT_VERSION,
FAKEPLAT_BASE_URL, and FAKEPLAT_ALLOW_HOST, a list of further host names with commas.
"""

import os
import sys
from typing import Any, Final, cast

from fakeplat.core.operations.reasons import did_you_mean
from fakeplat.harness.keywords import WorldKeywords, create_options
from fakeplat.http.adapters.asgi import AsgiApplication
from fakeplat.http.adapters.embedding import Embedding
from fakeplat.http.origins import parse_base_url
from fakeplat.scenario import ScenarioError
from fakeplat.workbench.keywords import InvalidOption

_OPTIONS: Final = ("scenario", "clock", "tier", "version")
_OF_RUN: Final = ("FAKEPLAT_URL", "FAKEPLAT_LISTEN_URL", "FAKEPLAT_TOKEN")
"""What `fakeplat run` tells the command that it runs, which may start such an application itself."""


def create_app() -> AsgiApplication:
    """Create an application with a world of its own, whose options are in the environment."""
    _check_names()
    keywords: dict[str, Any] = {name: value for name in _OPTIONS if (value := _read(name)) is not None}
    seed = _read("seed")
    if seed is not None:
        # What is not a number is refused with the other options.
        keywords["seed"] = int(seed) if seed.removeprefix("-").isdecimal() else seed
    keywords.setdefault("clock", "real")
    hosts = [host.strip() for host in (_read("allow_host") or "").split(",") if host.strip()]
    base_url = _read("base_url")
    origin = None if base_url is None else parse_base_url(base_url)
    bench = create_options(cast(WorldKeywords, keywords)).bench()
    return AsgiApplication(Embedding(bench, base_url=origin, allowed=hosts))


def _check_names() -> None:
    """Raise InvalidOption for a misspelt variable, which would be ignored."""
    known = [f"FAKEPLAT_{option.upper()}" for option in (*_OPTIONS, "seed", "base_url", "allow_host")]
    for name in os.environ:  # noqa: TID251
        # Others may have variables of their own with this prefix.
        if name.startswith("FAKEPLAT_") and name not in (*known, *_OF_RUN) and did_you_mean(name, known):
            raise InvalidOption(f"environment: there is no option {name}{did_you_mean(name, known)}")


def _read(option: str) -> str | None:
    # An ASGI server imports the application, and passes it no options.
    return os.environ.get(f"FAKEPLAT_{option.upper()}")  # noqa: TID251


def __getattr__(name: str) -> AsgiApplication:
    if name != "app":
        raise AttributeError(f"module 'fakeplat.asgi' has no attribute {name!r}")
    # Created once, when the server looks it up.
    try:
        app = globals()["app"] = create_app()
    except (InvalidOption, ScenarioError) as error:
        # The server would print a traceback of its own.
        sys.stderr.write(f"fakeplat: {error}\n")
        raise SystemExit(2) from None
    return app
