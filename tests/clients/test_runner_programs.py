"""gitlab-python-runner, unchanged, takes and runs the jobs of a world."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.ci_jobs import wait_for_runner
from tests.clients.environments import PythonClient

RUNNER = PythonClient("gitlab-python-runner", "14.3.20", plugins=("gitlab-emulator==1.4.0", "setuptools<81"))
CONFIGURATION = """
build:
  stage: build
  tags: [python]
  script: ["mkdir out", "echo built by $CI_JOB_NAME > out/file"]
  artifacts: {paths: [out/]}
test:
  stage: test
  tags: [python]
  script: ["cat out/file", "test $FAILS != yes"]
"""
pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(clock="real", version="13.12")]


def run(*arguments: str | Path, folder: Path) -> int:
    """Run the program; return its status, which is that of the job."""
    RUNNER.make()
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONUNBUFFERED": "1", "LC_ALL": "C.UTF-8"}
    command = [RUNNER.program("python"), "-m", "GitlabPyRunner", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode


def start_pipeline(fake: Fakeplat, fails: str) -> Any:
    ada = fake.as_user("ada")
    action = {
        "action": "update",
        "file_path": ".gitlab-ci.yml",
        "content": CONFIGURATION + f"variables: {{FAILS: '{fails}'}}\n",
    }
    body = {"branch": "run", "start_branch": "master", "commit_message": "Run", "actions": [action]}
    assert 201 == ada.post("projects/acme%2Fsite/repository/commits", json=body).status
    return ada.get("projects/acme%2Fsite/pipelines?ref=run").json()[0]["id"]


@pytest.mark.parametrize(("fails", "expected"), [("no", "success"), ("yes", "failed")])
def test_gitlab_python_runner_runs_a_pipeline(fakeplat: Fakeplat, tmp_path: Path, fails: str, expected: str) -> None:
    """The runner registers, runs two jobs that share artifacts, and its exit status decides."""
    wait_for_runner(fakeplat)
    token = fakeplat.as_user("root").get("projects/acme%2Fsite").json()["runners_token"]
    assert 0 == run("--register", fakeplat.url, "--regtoken", token, "--tag", "python", folder=tmp_path)
    pipeline = start_pipeline(fakeplat, fails)
    statuses = [run("--start", "gitlab-runner.yml", "--once", folder=tmp_path) for _job in range(2)]
    assert [0, int(expected == "failed")] == statuses

    ada = fakeplat.as_user("ada")
    jobs = {job["name"]: job for job in ada.get(f"projects/acme%2Fsite/pipelines/{pipeline}/jobs").json()}
    log = ada.get(f"projects/acme%2Fsite/jobs/{jobs['test']['id']}/trace").text
    assert ("success", expected) == (jobs["build"]["status"], jobs["test"]["status"]), log
    assert "built by build" in log
