"""The operations, one module per section of the specification; each module is imported when it is first asked for.

``routes.csv`` says which operations a module declares and what leads to them; `make generate` writes it. A module
that it does not name is imported at once.
"""

import csv
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

from fakeplat.core.operations.operation import OPERATIONS, LazyRoute

COLUMNS: Final = ("module", "name", "method", "path", "digits", "endings")
_HERE: Final = Path(__file__).parent


def module_names() -> list[str]:
    """The names of all modules that may declare operations."""
    return sorted(file.stem for file in _HERE.glob("[!_]*.py"))


def read_lazy_routes() -> list[list[str]]:
    """The table of promises as it is."""
    return [*csv.reader((_HERE / "lazy_routes.csv").read_text("utf-8").splitlines())][1:]


def lazy_route_rows() -> Iterator[tuple[str, ...]]:
    """The table of promises as it should be, module by module; one without operations is only named."""
    routes = [operation.lazy_route for operation in OPERATIONS]
    for module in module_names():
        own = [route for route in routes if route.module == f"{__name__}.{module}"]
        for one in own:
            yield module, one.name, one.method, one.path, " ".join(one.digits), " ".join(one.endings)
        if not own:
            yield module, "", "", "", "", ""


def _register_lazy_routes() -> None:
    table = read_lazy_routes()
    OPERATIONS.add_lazy_routes(
        LazyRoute(f"{__name__}.{module}", name, method, path, tuple(digits.split()), tuple(endings.split()))
        for module, name, method, path, digits, endings in table
        if name
    )
    for unnamed in sorted({*module_names()} - {row[0] for row in table}):
        import_module(f"{__name__}.{unnamed}")


_register_lazy_routes()
