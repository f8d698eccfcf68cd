"""Imports inside functions defer what a session may never need, or break a cycle; each has its reason here."""

import ast
from collections.abc import Iterator
from functools import cache

from tests.architecture.sources import Import, Module, find_cycle, list_imported_names, package_modules

LIBRARIES = frozenset(
    "aiohttp bz2 cryptography defusedxml difflib email http importlib ipaddress jinja2 json markdown_it markupsafe"
    " mdit_py_plugins multidict multipart nh3 orjson pygit2 pysequoia re2 resource ruamel secrets trustme uvloop xml"
    " yarl zipfile".split()
)
"""Imported with their first use: each costs milliseconds or is an extra, and most sessions need few of them."""
PACKAGES = {
    "fakeplat.ci_config": "A world has no pipeline before the first configuration.",
    "fakeplat.console": "Nobody may open a page.",
    "fakeplat.git": "A world without commits needs no git.",
    "fakeplat.graphql": "Nobody may ask the endpoint.",
    "fakeplat.harness": "The command line and the plugin start without a world.",
    "fakeplat.mcp": "Nobody may call a tool.",
    "fakeplat.scenario": "A world may begin with a snapshot.",
    "fakeplat.tape": "Each command needs one of the parts.",
}
"""Packages whose imports may be late anywhere."""
PAIRS = {
    ("cli", "cli"): "Each command needs its own modules.",
    ("cli", "http"): "Few servers have workers.",
    ("cli", "releases"): "Only valid scenarios are compared with a release.",
    ("conftest_plugin", "core"): "The plugin costs what pytest costs.",
    ("conftest_plugin", "workbench"): "The plugin costs what pytest costs.",
    ("console", "domain"): "Few pages show a text that is rendered.",
    ("core.params", "core.params"): "Only refused parameters are explained.",
    ("core.schema", "core.schema"): "Only wrong documents are explained.",
    ("domain.audit", "model.activity"): "Audit events are a paid feature.",
    ("domain.ci", "domain.clusters"): "Most worlds have no agents and clusters.",
    ("domain.groups", "domain.integrations"): "Most worlds have no integrations.",
    ("domain.hooks", "domain.hooks"): "Most worlds have no webhooks.",
    ("domain.import_export", "domain.import_export"): "An export begins with a request.",
    ("domain.integrations", "domain.integrations"): "Most worlds have no integrations.",
    ("domain.issues", "domain.alerts"): "Few lists are sorted by the statuses of incidents.",
    ("domain.issues", "domain.epics"): "Epics are a paid feature.",
    ("domain.mail", "domain.reviews"): "Most worlds read no mails.",
    ("domain.merge_requests", "domain.markup"): "Few notes suggest a change.",
    ("domain.merge_requests", "domain.notes"): "Few merge requests have conflicts.",
    ("domain.projects", "domain.import_export"): "Few projects come from custom templates.",
    ("domain.projects", "domain.integrations"): "Most worlds have no integrations.",
    ("domain.reviews", "domain.reviews"): "Only later releases tell which files are generated.",
    ("domain.wikis", "domain.markup"): "Few worlds render pages.",
    ("harness", "http"): "Each client library has its adapter.",
    ("harness", "workbench"): "Few tests use every tool.",
    ("http", "http"): "Each server needs its own parts.",
    ("http", "workbench"): "Nothing may be delivered.",
    ("http.control", "domain.ci"): "Each route needs one tool.",
    ("model", "model"): "The classes of records are imported with the first of them.",
    ("pipeline", "domain.ci"): "Few requests come from jobs.",
    ("pipeline", "domain.people"): "Only later releases record the use of tokens.",
    ("pipeline", "domain.progress"): "Most worlds have no pipelines to wait for.",
    ("pipeline", "pipeline"): "Few requests come with fine-grained tokens, or from jobs.",
    ("scenario", "domain.instance"): "Free worlds have no licence.",
    ("scenario", "domain.packages"): "Few projects delete files of packages by themselves.",
    ("scenario", "model.setting_rules"): "Few scenarios change the settings.",
    ("scenario.sections", "domain.integrations"): "Each section needs one area.",
    ("scenario.sections", "domain.merge_requests"): "Each section needs one area.",
    ("workbench", "domain"): "Each tool shows one area.",
    ("workbench", "workbench"): "Few tests use every tool.",
}
"""Packages that import from others late, below `fakeplat`, and why. The names of the imported may be cut short."""


_BLOCKS = (ast.stmt, ast.excepthandler, ast.match_case)
"""The nodes that can contain an import."""


@cache
def _modules_by_name() -> dict[str, Module]:
    return {module.name: module for module in package_modules()}


def _resolve(imported: str) -> str:
    """Return the module of an imported name, which may be a name in it."""
    by_name, parent = _modules_by_name(), imported.rpartition(".")[0]
    return parent if imported not in by_name and parent in by_name else imported


@cache
def _list_imports(module: Module) -> tuple[tuple[ast.Import | ast.ImportFrom, bool], ...]:
    return tuple(_walk_imports(module.tree))


def _walk_imports(node: ast.AST, *, in_function: bool = False) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield each import with whether a function contains it, without those for type checkers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, in_function
        elif isinstance(child, _BLOCKS) and not (
            isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        ):
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _walk_imports(child, in_function=in_function or is_function)


@cache
def list_late_imports() -> tuple[Import, ...]:
    return tuple(
        Import(module, node.lineno, _resolve(imported))
        for module in package_modules()
        for node, in_function in _list_imports(module)
        if in_function
        for imported in list_imported_names(node)
    )


@cache
def _list_imported_first(name: str) -> frozenset[str]:
    """The modules that importing a module imports directly, its packages among them."""
    module = _modules_by_name().get(name)
    if module is None:
        return frozenset()
    nodes = [node for node, in_function in _list_imports(module) if not in_function]
    return frozenset({_resolve(imported) for node in nodes for imported in list_imported_names(node)}) | {
        name.rpartition(".")[0]
    }


@cache
def list_loaded(name: str) -> frozenset[str]:
    """All modules that are loaded once a module is."""
    loaded, pending = set[str](), [name]
    while pending:
        current = pending.pop()
        if current not in loaded:
            loaded.add(current)
            pending += _list_imported_first(current)
    return frozenset(loaded)


def is_cycle(import_: Import) -> bool:
    return import_.importer.name in list_loaded(import_.imported)


def is_below(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def find_reason(import_: Import) -> object:
    """The library, package or pair by which an import may be late."""
    importer, imported = import_.importer.name.removeprefix("fakeplat."), import_.imported
    if not is_below(imported, "fakeplat"):
        return next(iter(LIBRARIES & {imported.split(".")[0]}), None)
    own = imported.removeprefix("fakeplat.")
    return next((package for package in PACKAGES if is_below(imported, package)), None) or next(
        (pair for pair in PAIRS if is_below(importer, pair[0]) and is_below(own, pair[1])), None
    )


def test_modules_have_no_import_cycle() -> None:
    """No import leads back to its module, not even a late one, so that each module can be the first one."""
    graph = {
        module.name: {_resolve(imported) for node, _ in _list_imports(module) for imported in list_imported_names(node)}
        for module in package_modules()
    }
    assert [] == find_cycle(graph)


def test_every_late_import_has_a_reason() -> None:
    """An import inside a function imports a listed library or package, or breaks a cycle."""
    assert [] == [str(import_) for import_ in list_late_imports() if not (find_reason(import_) or is_cycle(import_))]


def test_every_late_import_defers_something() -> None:
    """No import inside a function is of a module that its module has loaded anyway."""
    assert [] == [
        str(import_)
        for import_ in list_late_imports()
        if import_.imported in list_loaded(import_.importer.name) and not is_cycle(import_)
    ]


def test_every_reason_is_needed() -> None:
    """Each listed library, package or pair has an import inside a function."""
    used = {find_reason(import_) for import_ in list_late_imports() if not is_cycle(import_)}
    assert set() == {*LIBRARIES, *PACKAGES, *PAIRS} - used
