"""The functional tests of a client, which its authors run against servers in containers, run against fakeplat."""

import os
import subprocess
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from pathlib import Path

import orjson
import pytest

from tests.clients.environments import MINUTE, SUITES, PythonClient
from tests.clients.server import serving

PYTHON_GITLAB = PythonClient(
    "python-gitlab",
    "8.6.0",
    extras="[graphql]",
    plugins=("pytest-console-scripts==1.4.1", "responses>=0.26"),
    with_source=True,
)
# Nobody takes the jobs: the suite registers a runner where it needs one.
SCENARIO = {"extends": "empty", "job_outcomes": [{"outcome": "stuck"}]}
WITHOUT_PAID = "not gitlab_premium and not gitlab_ultimate"

FAILING: dict[str, dict[str, str]] = {
    "api 16.11.10 free": {},
    "api latest free": {},
    "api latest ultimate": {},
    "cli latest free": {},
}
"""What fails in a folder of the suite, with a release and a tier, and why."""


def list_failures(report: Path) -> dict[str, str]:
    """Return the tests of a JUnit report that failed, with the message of each."""
    failures = {}
    for case in ET.parse(report).iter("testcase"):
        problem = next((child for child in case if child.tag in {"failure", "error"}), None)
        if problem is not None:
            name = f"{case.attrib['classname'].removeprefix('tests.functional.')}::{case.attrib['name']}"
            failures[name] = str(problem.get("message"))
    return failures


@pytest.mark.clients
@pytest.mark.parametrize(
    "instance", [pytest.param(name, marks=pytest.mark.xdist_group(f"functional {name}")) for name in FAILING]
)
def test_the_functional_tests_of_python_gitlab_pass(tmp_path: Path, instance: str) -> None:
    """The tests that python-gitlab runs against a real server pass, but for those that are named here."""
    PYTHON_GITLAB.make()
    folder, version, tier = instance.split()
    scenario, report, programs = tmp_path / "world.json", tmp_path / "report.xml", tmp_path / "bin"
    # The suite sends dates of today.
    scenario.write_bytes(
        orjson.dumps({**SCENARIO, "clock": {"start": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}})
    )
    programs.mkdir()
    python = PYTHON_GITLAB.program("python")
    docker = f'#!/bin/sh\nexec {python} {SUITES / "docker_services.py"} "$@"\n'
    programs.joinpath("docker").write_text(docker, "utf-8")
    programs.joinpath("docker").chmod(0o755)
    settings = (f"instance.version={version}", f"instance.tier={tier}")
    options = ["--scenario", str(scenario), "--clock", "virtual", *(f"--set={setting}" for setting in settings)]
    marks = [] if tier == "ultimate" else ["-m", WITHOUT_PAID]
    with serving(tmp_path, *options) as ready:
        done = subprocess.run(
            [
                *(python, "-m", "pytest", "-q", "-p", "docker_services", "--script-launch-mode=subprocess"),
                *("-p", "no:cacheprovider", "--tb=short", f"--junitxml={report}", *marks, f"tests/functional/{folder}"),
            ],
            cwd=PYTHON_GITLAB.source,
            env={
                "PATH": os.pathsep.join([str(programs), str(python.parent), os.environ["PATH"]]),
                "PYTHONPATH": str(SUITES),
                "TMPDIR": str(tmp_path),
                "FAKEPLAT_URL": ready["url"],
            },
            capture_output=True,
            text=True,
            timeout=5 * MINUTE,
            check=False,
        )
    failures = list_failures(report)
    assert sorted(FAILING[instance]) == sorted(failures), f"{failures}\n{done.stdout}"
