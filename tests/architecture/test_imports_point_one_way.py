from collections.abc import Iterator

from tests.architecture.sources import Import, find_cycle, list_imports, package_modules

ORDER = (
    {"core"},
    {"git", "ci_config"},
    {"model"},
    {"policy"},
    {"domain"},
    {"entities"},
    {"api"},
    {"catalog"},
    {"pipeline"},
    {"platform"},
    {"console", "http", "graphql", "mcp", "scenario", "tape", "workbench"},
    {"releases"},
    {"harness"},
    {"cli", "asgi", "conftest_plugin", "__main__", "entry points"},
)
RANK = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms}


def find_package(module: str) -> str:
    """The room of a dotted name: `fakeplat.core.store.table` is in core, `fakeplat` itself is entry points."""
    parts = module.split(".")
    if parts[0] != "fakeplat":
        return parts[0]
    return parts[1] if len(parts) > 1 and parts[1] in RANK else "entry points"


def list_package_imports() -> Iterator[tuple[str, str, Import]]:
    for import_ in list_imports(package_modules()):
        if import_.imported.split(".")[0] in {"fakeplat", "conftest_plugin"}:
            yield find_package(import_.importer.name), find_package(import_.imported), import_


def test_every_module_stands_in_a_package_of_the_order() -> None:
    """Each module of the package belongs to a package with a known layer."""
    strangers = [
        module.filename
        for module in package_modules()
        if module.name not in {"fakeplat", "conftest_plugin"} and find_package(module.name) == "entry points"
    ]

    assert [] == strangers


def test_no_import_is_relative() -> None:
    """Imports of the package are absolute."""
    assert [] == [str(import_) for import_ in list_imports(package_modules()) if import_.imported.startswith(".")]


def test_no_package_imports_one_of_a_higher_layer() -> None:
    """A package imports only itself and packages of the same or a lower layer."""
    upward = [str(import_) for importer, imported, import_ in list_package_imports() if RANK[imported] > RANK[importer]]

    assert [] == upward


def test_packages_of_one_layer_have_no_import_cycle() -> None:
    """The packages have no import cycle, not even within a layer."""
    graph: dict[str, set[str]] = {}
    for importer, imported, _ in list_package_imports():
        if importer != imported:
            graph.setdefault(importer, set()).add(imported)

    assert [] == find_cycle(graph)
