"""fakeplat: a stateful in-memory fake of a source-hosting and CI platform's REST API v4.

Public names are imported on first access, so that importing the package is cheap.
"""

from typing import TYPE_CHECKING, Any, Final

from fakeplat.core.release import VERSION as __version__  # noqa: N811  # Python's convention

if TYPE_CHECKING:
    from fakeplat.core.operations.http_messages import Request, Response
    from fakeplat.harness.fake import Fakeplat
    from fakeplat.harness.harness import start
    from fakeplat.harness.replayed import ReplayedTape
    from fakeplat.platform import Platform
    from fakeplat.scenario import Scenario
    from fakeplat.workbench.bench import Workbench
    from fakeplat.workbench.deprecations import FakeplatWarning
    from fakeplat.workbench.options import Options

__all__ = [
    "Fakeplat",
    "FakeplatWarning",
    "Options",
    "Platform",
    "ReplayedTape",
    "Request",
    "Response",
    "Scenario",
    "Workbench",
    "__version__",
    "start",
]

_MODULES: Final = {
    "Workbench": "fakeplat.workbench.bench",
    "FakeplatWarning": "fakeplat.workbench.deprecations",
    "Fakeplat": "fakeplat.harness.fake",
    "ReplayedTape": "fakeplat.harness.replayed",
    "start": "fakeplat.harness.harness",
    "Options": "fakeplat.workbench.options",
    "Platform": "fakeplat.platform",
    "Request": "fakeplat.core.operations.http_messages",
    "Response": "fakeplat.core.operations.http_messages",
    "Scenario": "fakeplat.scenario",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'fakeplat' has no attribute {name!r}")
    return getattr(import_module(module), name)
