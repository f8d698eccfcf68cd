"""Start-up is a feature: the serve path loads none of the heavy libraries."""

import subprocess
import sys
import tomllib
from importlib.metadata import distribution

from packaging.requirements import Requirement

from tests.architecture.sources import ROOT

HEAVY = (
    "aiohttp",
    "asyncssh",
    "cryptography",
    "faker",
    "fakeplat.console",
    "fakeplat.git",
    "graphql",
    "jinja2",
    "jsonschema",
    "markdown_it",
    "multipart",
    "pygit2",
    "ruamel.yaml",
    "pysequoia",
    "pytest",
)
SERVE = """
import sys
import fakeplat.cli.serve
from fakeplat.workbench.options import Options
Options(usual="real").bench()
print(*sys.modules)
"""
WHEN_ASKED_FOR = ("fakeplat.api.", "fakeplat.entities.", "fakeplat.scenario.generating.")
PLUGIN = "import sys, conftest_plugin; print(*sys.modules)"


def list_loaded_modules(code: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_serving_a_built_in_scenario_loads_nothing_heavy() -> None:
    """Serving a built-in scenario imports no heavy module."""
    assert set() == list_loaded_modules(SERVE).intersection(HEAVY)


def test_serving_imports_no_operation_and_no_view() -> None:
    """Starting a server imports no module of operations or views."""
    assert set() == {name for name in list_loaded_modules(SERVE) if name.startswith(WHEN_ASKED_FOR)}


def test_serving_imports_only_the_sections_of_the_scenario() -> None:
    """Starting a server imports no scenario section that the scenario does not use."""
    prefix = "fakeplat.scenario.sections."
    unused = ("clusters", "epics", "packages.packages", "ci.pipelines", "deployments.environments", "snippets", "wikis")

    assert set() == list_loaded_modules(SERVE).intersection(f"{prefix}{name}" for name in unused)


def test_serving_imports_no_area_that_the_world_does_not_use() -> None:
    """Starting a server imports no domain module that the world does not use."""
    unused = (
        "ci_config domain.ci domain.deployments domain.import_export domain.integrations domain.releases domain.wikis "
        "domain.hooks.webhooks domain.mail.messages domain.merge_requests.merging domain.notes.notes "
        "domain.receivers.access domain.receivers.ci domain.receivers.issuables domain.receivers.repository "
        "model.ci model.hooks model.notes model.packages model.releases"
    )
    imported = list_loaded_modules(SERVE)
    assert [] == [name for name in unused.split() if f"fakeplat.{name}" in imported]


def test_the_plugin_loads_nothing_of_the_package() -> None:
    """Importing the plugin imports neither the package nor aiohttp."""
    assert set() == {name for name in list_loaded_modules(PLUGIN) if name.startswith(("fakeplat", "aiohttp"))}


def test_faker_is_the_only_dependency_with_a_plugin_of_pytest() -> None:
    """Faker is the only dependency that registers a pytest plugin."""
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))["project"]
    requirements = list(map(Requirement, project["dependencies"]))
    # Some are asked for in some versions of Python only.
    names = [
        requirement.name for requirement in requirements if requirement.marker is None or requirement.marker.evaluate()
    ]
    plugins = {
        name: [point.name for point in distribution(name).entry_points if point.group == "pytest11"] for name in names
    }
    assert len(names) == len(plugins)
    assert {"faker": ["faker"]} == {name: points for name, points in plugins.items() if points}


def test_only_generate_imports_faker() -> None:
    """A world imports Faker only if it has generated records."""
    code = """
import sys
from fakeplat.workbench.options import Options
Options(scenario={"extends": "starter"}).bench()
print("faker" in sys.modules)
counts = {"users": 3, "groups": 1, "projects": 2, "issues": 5, "commits": 4}
bench = Options(scenario={"extends": "empty", "generate": [counts]}).bench()
print("faker" in sys.modules)
print(len(bench.platform.view.issues.all()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ["False", "True", "5"] == done.stdout.split()
