"""`tools/new_operation.py` writes skeletons that work once they are filled in."""

import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from tests.architecture.sources import ROOT

CHECK = """
import fakeplat.api
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.model.world import World
from fakeplat.scenario import schema
print(*(f"{operation.method} {operation.path}" for operation in OPERATIONS if operation.area.name == "Geo sites"))
print(World.geo_sites.name, "geo_sites" in str(schema()))
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for folder in ("fakeplat", "tools"):
        copytree(ROOT / folder, tmp_path / folder, ignore=ignore_patterns("__pycache__"))
    (tmp_path / "tests/api").mkdir(parents=True)
    return tmp_path


def run(checkout: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *arguments], cwd=checkout, capture_output=True, text=True, check=False)


def test_the_skeletons_of_an_area_declare_its_operations(checkout: Path) -> None:
    """The first skeleton creates its area, later ones are added to it, and each has a failing test."""
    for method, path in (("GET", ""), ("POST", ""), ("GET", "/:id")):
        done = run(checkout, "tools/new_operation.py", method, f"/geo_sites{path}")
        assert (0, "") == (done.returncode, done.stderr)

    checked = run(checkout, "-c", CHECK)
    root = "/api/v4/geo_sites"
    assert f"GET {root} POST {root} GET {root}/:id\ngeo_sites True\n" == checked.stdout, checked.stderr
    tests = (checkout / "tests/api/test_geo_sites.py").read_text("utf-8")
    for name in ("list_geo_sites", "create_geo_site", "get_geo_site"):
        assert f"def test_{name}(" in tests


def test_a_skeleton_declares_release_and_tier(checkout: Path) -> None:
    """A skeleton declares the releases and the tier from the table of operations that are not built."""
    table = checkout / "fakeplat/releases/unbuilt/operations.csv"
    rows = (
        "list_teapots,GET,/api/v4/teapots,premium,Teapots,15.2,16.0,a page,yes\n"
        "get_teapot,GET,/api/v4/teapots/:id,,Teapots,,,a page,yes\n"
    )
    table.write_text(table.read_text("utf-8") + rows, "utf-8")

    for path in ("/teapots", "/teapots/:id"):
        assert 0 == run(checkout, "tools/new_operation.py", "GET", path).returncode

    declarations = (checkout / "fakeplat/api/teapots.py").read_text("utf-8").split("@area.operation")[1:]
    options = ('since="15.2"', 'until="16.0"', 'tier="premium"')
    assert [[1, 1, 1], [0, 0, 0]] == [[text.count(option) for option in options] for text in declarations]


def test_an_operation_of_an_existing_area_goes_into_its_module(checkout: Path) -> None:
    """A skeleton of an existing area is added to its module, not to a new one."""
    table = checkout / "fakeplat/releases/unbuilt/operations.csv"
    row = "delete_repository_teapots,DELETE,/api/v4/projects/:id/repository/teapots,,Repository,,,a page,yes\n"
    table.write_text(table.read_text("utf-8") + row, "utf-8")

    done = run(checkout, "tools/new_operation.py", "DELETE", "/projects/:id/repository/teapots")

    assert 0 == done.returncode, done.stderr
    assert "  fakeplat/api/repository/repository.py\n" in done.stdout
    assert not (checkout / "fakeplat/api/repository.py").exists()
    assert row not in table.read_text("utf-8")


def test_an_unknown_operation_has_no_skeleton(checkout: Path) -> None:
    """An operation that is not in the table of operations that are not built is refused."""
    done = run(checkout, "tools/new_operation.py", "GET", "/coffee")

    assert (1, "GET /api/v4/coffee is not in fakeplat/releases/unbuilt/operations.csv\n") == (
        done.returncode,
        done.stderr,
    )
