"""The npm package, as far as it can be checked without Node.js."""

import json
import re
import tomllib
from typing import Any

from tests.architecture.sources import ROOT
from tools.typescript import list_route_names

FOLDER = ROOT / "javascript"


def read_manifest() -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(FOLDER.joinpath("package.json").read_text("utf-8"))
    return manifest


def test_both_packages_have_one_version_and_license() -> None:
    """The npm package has the version and the license of the Python package."""
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))["project"]
    assert {name: project[name] for name in ("name", "version", "license")} == {
        name: read_manifest()[name] for name in ("name", "version", "license")
    }
    assert ROOT.joinpath("LICENSE").read_bytes() == FOLDER.joinpath("LICENSE").read_bytes()


def test_the_package_has_no_dependencies_at_run_time() -> None:
    """The npm package has dependencies for its development only."""
    assert set() == {name for name in read_manifest() if name.endswith("ependencies")} - {"devDependencies"}


def test_each_export_has_a_module() -> None:
    """Each export of the npm package is compiled from a module of that name, for `import` and for `require`."""
    modules = {path.stem for path in FOLDER.glob("src/*.ts")}
    for name, paths in read_manifest()["exports"].items():
        module = name.removeprefix(".").removeprefix("/") or "index"
        assert {"import": f"./dist/{module}.js", "require": f"./dist/commonjs/{module}.js"} == paths
        assert module in modules


def test_each_control_route_has_a_method() -> None:
    """The npm package calls every control route, but those that repeat another."""
    sources = "".join(FOLDER.joinpath(f"src/{name}.ts").read_text("utf-8") for name in ("server", "world"))
    called = set(re.findall(r'\.call\("(\w+)"', sources))
    # A snapshot is named in the body; the worlds of a server are those that its client has created.
    assert {"make_snapshot_by_path", "list_worlds", "get_world"} == set(list_route_names()) - called
