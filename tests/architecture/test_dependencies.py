"""What the package imports is what its distribution asks for."""

import sys
import tomllib
from importlib.metadata import packages_distributions
from itertools import chain

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.sources import ROOT, Import, list_imports, package_modules

OWN = {"conftest_plugin", "fakeplat"}
# Who uses an adapter has the library that it adapts, and what that library asks for.
OF_THE_USER = {
    "fakeplat/harness/client.py": {"pytest_asyncio"},
    "fakeplat/http/adapters/httpx.py": {"anyio", "httpx"},
    "fakeplat/http/adapters/requests.py": {"requests", "urllib3"},
}


def test_imported_libraries_are_declared() -> None:
    """Libraries that come along with others are asked for as well: the others may do without them one day."""
    declared, distributions = _declared_distributions(), packages_distributions()
    undeclared = [
        str(import_)
        for import_ in list_imports(package_modules())
        if _is_third_party(import_)
        # Libraries that only some versions of Python need may be missing here.
        and declared.isdisjoint(map(canonicalize_name, distributions.get(_top_level(import_), [_top_level(import_)])))
    ]

    assert [] == undeclared


def _declared_distributions() -> set[str]:
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))["project"]
    requirements = chain(project["dependencies"], *project["optional-dependencies"].values())
    return {canonicalize_name(Requirement(requirement).name) for requirement in requirements}


def _top_level(import_: Import) -> str:
    return import_.imported.partition(".")[0]


def _is_third_party(import_: Import) -> bool:
    name = _top_level(import_)
    known = OWN | sys.stdlib_module_names | OF_THE_USER.get(import_.importer.filename, set())
    return name not in known and not import_.imported.startswith(".")
