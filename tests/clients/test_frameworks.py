"""Django's test runner and a Jupyter kernel use fakeplat as the pages about them show."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.clients.environments import PythonClient
from tests.docs.pages import Block, list_blocks

pytestmark = pytest.mark.clients

DJANGO = PythonClient("Django", "5.2.19", plugins=("python-gitlab==8.6.0", "requests>=2.32"), with_fakeplat=True)
NOTEBOOK = PythonClient("nbclient", "0.11.0", plugins=("ipykernel>=7", "python-gitlab==8.6.0"), with_fakeplat=True)
SETTINGS = "tracker_site/settings.py"


def run(*command: str | Path, folder: Path) -> str:
    """Run a command in a folder, with warnings as errors; return what it printed."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONWARNINGS": "error"}
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert 0 == result.returncode, result.stdout + result.stderr
    return result.stdout + result.stderr


# Django


def examples(page: str) -> list[Block]:
    """Return the blocks of a page that need an environment of their own."""
    return [block for block in list_blocks(page) if block.language == "py"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new project of Django with the files of the page; what the page shows of the settings is added to them."""
    DJANGO.make()
    folder = tmp_path_factory.mktemp("django")
    run(DJANGO.program("django-admin"), "startproject", "tracker_site", folder, folder=folder)
    for block in examples("docs/django.md"):
        path = folder / str(block.title)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a" if block.title == SETTINGS else "w") as file:
            file.write(block.code)
    for package in ("tracker", "tracker/management", "tracker/management/commands", "tracker/tests"):
        (folder / package / "__init__.py").touch()
    return folder


@pytest.mark.xdist_group("django")
@pytest.mark.parametrize("options", [(), ("--parallel", "2")], ids=["one-process", "two-processes"])
def test_the_runner_of_django_runs_the_example(project: Path, options: tuple[str, ...]) -> None:
    """`manage.py test` runs every test of the Django page, in one process and in two."""
    expected = sum(len(re.findall("    def test_", block.code)) for block in examples("docs/django.md"))

    printed = run(DJANGO.program("python"), "manage.py", "test", "--buffer", *options, folder=project)

    assert f"Ran {expected} tests" in printed
    assert "\nOK\n" in printed


# Notebooks

# Runs a notebook, prints the results of its cells as JSON, and fails with the error of a cell.
RUN_NOTEBOOK = """
import json, sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in json.load(sys.stdin)])
NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
print(json.dumps([
    [output["data"]["text/plain"] for output in cell.outputs if output.output_type == "execute_result"]
    for cell in notebook.cells
]))
"""
REMEMBER = """import socket
from urllib.request import urlopen
ports = []
def remember(platform):
    urlopen(f"{platform.url}/_fakeplat/health").close()
    ports.append(int(platform.url.rpartition(":")[2]))
def which_are_open():
    opened = []
    for port in ports:
        with socket.socket() as client:
            opened.append(client.connect_ex(("127.0.0.1", port)) == 0)
    return opened
"""


def run_cells(folder: Path, *cells: str) -> list[Any]:
    """Execute cells in a new kernel; return the result of each, or None."""
    NOTEBOOK.make()
    result = subprocess.run(
        [NOTEBOOK.program("python"), "-c", RUN_NOTEBOOK],
        input=json.dumps(cells),
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert 0 == result.returncode, result.stderr
    return [results[0] if results else None for results in json.loads(result.stdout)]


@pytest.mark.xdist_group("notebook")
def test_a_kernel_runs_the_example(tmp_path: Path) -> None:
    """The cells of the notebook page run in order in one world."""
    results = run_cells(tmp_path, *(block.code for block in examples("docs/notebooks.md")))

    assert [None, "dev", "202", None] == [results[0], results[2].strip("'"), results[5], results[6]]
    assert "Printer jams" in results[1]
    assert "(403,\n 'delete_project',\n 'remove_project needs Owner (50)" in results[3]
    assert "3" == results[4]


@pytest.mark.xdist_group("notebook")
def test_a_cell_that_starts_a_world_can_be_run_again(tmp_path: Path) -> None:
    """Running the starting cell again closes the previous world, and `stop` closes the last."""
    start, *_, stop = (block.code for block in examples("docs/notebooks.md"))
    use, look = "remember(platform)", "which_are_open()"

    results = run_cells(tmp_path, REMEMBER, start, use, start, use, start, use, look, stop, look)

    assert ("[False, False, True]", "[False, False, False]") == (results[-3], results[-1])
