"""The operations, one module per section of the specification; each module is imported on first use.

``lazy_routes.csv`` lists the operations of each module with their routes; `make generate` writes it. A module that
the table does not name is imported at once. The rows without a module are those of `UNBUILT_ROUTES`.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

from fakeplat.core.declared_modules import list_module_names, read_table
from fakeplat.core.operations.operation import OPERATIONS, LazyRoute

COLUMNS: Final = ("module", "name", "method", "path", "digits", "endings", "dashed", "since", "until")
UNBUILT_ROUTES: Final[list[LazyRoute]] = []
"""Operations that are not built and have a word where the route of a built one has a parameter, as in ``users/self``.

They are routes, too, so that the word is not read as an id in the releases that have them.
"""
_HERE: Final = Path(__file__).parent


def read_lazy_routes() -> list[list[str]]:
    """Return the stored table of lazy routes."""
    return read_table(_HERE / "lazy_routes.csv")


def build_lazy_route_rows() -> Iterator[tuple[str, ...]]:
    """Yield the table of lazy routes as declared; a module without operations has one row with its name only."""
    routes = [operation.lazy_route for operation in OPERATIONS]
    for module in list_module_names(_HERE):
        module_routes = [route for route in routes if route.module == f"{__name__}.{module}"]
        for route in module_routes:
            yield build_row(module, route)
        if not module_routes:
            yield module, *("" for _ in COLUMNS[1:])


def build_row(module: str, route: LazyRoute) -> tuple[str, ...]:
    """Return the row of a route in the table."""
    digits, endings = " ".join(route.digits), " ".join(route.endings)
    return module, route.name, route.method, route.path, digits, endings, route.dashed, route.since, route.until


def _build_route(row: list[str]) -> LazyRoute:
    module, name, method, path, digits, endings, *rest = row
    full_name = module and f"{__name__}.{module}"
    return LazyRoute(full_name, name, method, path, tuple(digits.split()), tuple(endings.split()), *rest)


def _register_lazy_routes() -> None:
    table = read_lazy_routes()
    # A row without a name stands for a module without operations, which need not be imported at all.
    routes = [_build_route(row) for row in table if row[1]]
    OPERATIONS.add_lazy_routes(route for route in routes if route.module)
    UNBUILT_ROUTES.extend(route for route in routes if not route.module)
    # A new module works before `make generate` has run; it only costs its import.
    for unlisted in sorted({*list_module_names(_HERE)} - {row[0] for row in table}):
        import_module(f"{__name__}.{unlisted}")


_register_lazy_routes()
