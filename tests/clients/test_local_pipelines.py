"""gitlab-ci-local lists the jobs of our configurations that it can read, without a server.

It does not read `only` and `except`, files of other projects and URLs, and it lists jobs of pipelines that the platform
refuses.
"""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from fakeplat.ci_config.conditions import RefFacts
from fakeplat.ci_config.selection import select_jobs
from fakeplat.core.release import parse_release, profile_of
from tests.ci_config.cases import load_case, read_cases
from tests.clients.environments import NodeClient

pytestmark = pytest.mark.clients

LOCAL: Final = NodeClient("gitlab-ci-local", "4.75.1", node="24")
PAGE: Final = "runners"
GIT: Final = ("git", "-c", "user.name=ada", "-c", "user.email=ada@example.com")
_WITHOUT: Final = re.compile(r"\b(only|except):")
_OF_SCHEMA: Final = ("extended jobs in several levels, with rules that replace and variables that merge",)
"""Its schema refuses a job that extends another one and has nothing of its own."""
_BEYOND: Final = (
    "downstream projects in a matrix, which wait for a gate",
    "needs of other pipelines and projects beside those of the own one",
    "patterns in variables and comparisons of both sides",
    "jobs that exclude each other by resource, and wait for each other by environment",
    "steps in place of scripts, and inputs of single jobs",
)
"""It does not read `run`, needs of other pipelines or of single instances by name, and patterns that end with `$`."""


def select_plans(case: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the plans of a case that are about a push to a branch, and give no predefined variables."""
    is_local = all(location.startswith("local:") for location in case.get("includes", {}))
    if (
        not is_local
        or _WITHOUT.search(case["file"])
        or case["case"] in (*_OF_SCHEMA, *_BEYOND)
        or "spec:" in case["file"]
    ):
        return []
    unlike = {"is_tag", "source", "is_merge_request", "changed", "files", "errors", "refusal"}
    return [plan for plan in case["plans"] if not unlike & plan.keys() and not _gives_predefined(plan)]


def _gives_predefined(plan: Mapping[str, Any]) -> bool:
    known = ("CI_COMMIT_BRANCH", "CI_DEFAULT_BRANCH")
    return any(name.startswith("CI_") and name not in known for name in plan.get("variables", {}))


def list_readable() -> Iterator[Any]:
    """The cases with such plans."""
    for parameter in read_cases("combinations.yml"):
        if select_plans(parameter.values[0]):
            yield parameter


def write_project(folder: Path, case: Mapping[str, Any], branch: str) -> None:
    """Write the configuration and what it includes into a new repository."""
    texts = {location.removeprefix("local:"): text for location, text in case.get("includes", {}).items()}
    for path, text in {".gitlab-ci.yml": case["file"], **texts}.items():
        file = folder / path.removeprefix("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    for command in (
        ("init", "-q", "-b", branch),
        ("remote", "add", "origin", "git@git.example.com:acme/site.git"),
        ("add", "-A"),
        ("commit", "-qm", "first"),
    ):
        subprocess.run([*GIT, *command], cwd=folder, check=True, capture_output=True)


def list_theirs(folder: Path, variables: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return the names and stages of the jobs that gitlab-ci-local would run."""
    given = [argument for name, value in variables.items() for argument in ("--variable", f"{name}={value}")]
    listed = subprocess.run(
        [LOCAL.program("gitlab-ci-local"), "--list-json", *given],
        cwd=folder,
        env={"PATH": LOCAL.search_path, "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return {(job["name"], job["stage"]) for job in json.loads(listed.stdout) if job["when"] != "never"}


def list_ours(case: Mapping[str, Any], branch: str, variables: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return the names, as gitlab-ci-local writes those of instances, and stages of the jobs that we select."""
    predefined = {
        "CI_COMMIT_REF_NAME": branch,
        "CI_COMMIT_BRANCH": branch,
        "CI_DEFAULT_BRANCH": "main",
        "CI_PIPELINE_SOURCE": "push",
    }
    profile = profile_of(parse_release(case.get("release", "13.5")))
    facts = RefFacts(ref=branch, variables=dict(variables), predefined=predefined, profile=profile)
    selected = select_jobs(load_case(case), facts)
    return {(re.sub(r" (\d+/\d+)$", r": [\1]", job.name).replace(", ", ","), job.stage) for job in selected.jobs}


@pytest.mark.parametrize("case", list(list_readable()))
def test_gitlab_ci_local_lists_the_same_jobs(case: Mapping[str, Any], tmp_path: Path) -> None:
    """A pipeline has the jobs and stages that gitlab-ci-local lists for the branch and the variables."""
    LOCAL.make()
    for number, plan in enumerate(select_plans(case)):
        folder = tmp_path / str(number)
        folder.mkdir()
        variables = {name: text for name, text in plan.get("variables", {}).items() if not name.startswith("CI_")}
        write_project(folder, case, plan["ref"])

        assert list_theirs(folder, variables) == list_ours(case, plan["ref"], variables)
