"""Programs about pipelines: they read jobs, logs and variables, and check configurations."""

import json
from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import PythonClient
from tests.clients.tools import Tool, clone, write_configuration

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(version="latest")]

TRACE = PythonClient("gitlab-trace", "0.8.0")
STATISTICS = PythonClient("glci-stats", "1.1.1")
VERIFY = PythonClient("gitlab-ci-verify", "2.11.12")
VARIABLES = PythonClient("glvar", "0.5")
SITE = "projects/acme%2Fsite"


@pytest.fixture
def finished(fakeplat: Fakeplat) -> int:
    """A job that has succeeded."""
    pipeline = fakeplat.as_user("mia").post(f"{SITE}/pipeline", json={"ref": "main"}).json()
    fakeplat.settle()
    (job,) = fakeplat.as_user("mia").get(f"{SITE}/pipelines/{pipeline['id']}/jobs").json()
    return int(job["id"])


def test_gitlab_trace_shows_the_last_pipeline(fakeplat: Fakeplat, tmp_path: Path, finished: int) -> None:
    """gitlab-trace lists the jobs of a branch's last pipeline and prints a log; another branch has none."""
    write_configuration(fakeplat, tmp_path, "mia")
    tool = Tool(TRACE, tmp_path)
    expected = fakeplat.as_user("mia").get(f"{SITE}/jobs/{finished}/trace").text

    assert f"--job={finished} - success - test" in tool.run("gitlab-trace", "-p", "acme/site", "-b", "main")
    assert expected.strip() in tool.run("gitlab-trace", "-p", "acme/site", "--job", str(finished))
    printed = tool.run("gitlab-trace", "-p", "acme/site", "-b", "nope", status=1)
    assert "Project acme/site doesn't have any pipelines for branch nope" in printed


def test_glci_stats_measures_jobs(fakeplat: Fakeplat, tmp_path: Path, finished: int) -> None:
    """glci-stats finds the jobs of a period with their durations."""
    job = fakeplat.as_user("mia").get(f"{SITE}/jobs/{finished}").json()
    options = ("--gitlab-url", fakeplat.url.rstrip("/"), "--project", "acme/site", "--format", "json")
    period = ("--start", "2020-01-01T00:00:00Z", "--end", "2021-01-01T00:00:00Z")
    printed = Tool(STATISTICS, tmp_path, GITLAB_TOKEN=fakeplat.token("mia")).run("glci-stats", *options, *period)

    (row,) = json.loads(printed)["per_job_name"]
    assert ("test", 1, job["duration"]) == (row["name"], row["stats"]["count"], row["stats"]["max_s"])


def test_gitlab_ci_verify_asks_the_platform(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlab-ci-verify has the platform check the configuration of the clone, before and after a mistake."""
    folder = clone(fakeplat.url, fakeplat.token("mia"), "acme/site", tmp_path)
    tool = Tool(VERIFY, folder, GITLAB_TOKEN=fakeplat.token("mia"))
    options = ("--gitlab-base-url", fakeplat.url.rstrip("/"), "--gitlab-token", fakeplat.token("mia"))

    valid = tool.run("gitlab-ci-verify", "--verbose", *options)
    folder.joinpath(".gitlab-ci.yml").write_text("test: {stage: nope, script: x}\n", "utf-8")
    invalid = tool.run("gitlab-ci-verify", "--verbose", *options)

    assert "lint request succeeded for remote 127.0.0.1 : valid = true" in valid
    assert "lint request succeeded for remote 127.0.0.1 : valid = false" in invalid
    assert ["lint_project_ci_content", "lint_project_ci_content"] == [
        request.operation for request in fakeplat.requests if request.path.endswith("/ci/lint")
    ]


def test_glvar_reads_variables(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """glvar reads a variable of the project, or of its group, and gives it to a command."""
    for path, key in ((SITE, "SECRET"), ("groups/acme", "SHARED")):
        body = {"key": key, "value": f"{key.lower()} value"}
        assert 201 == fakeplat.as_user("ada").post(f"{path}/variables", json=body).status
    tool = Tool(VARIABLES, tmp_path, GLVAR_PROJECT="acme/site")
    tool.run("glvar", "config", "setup", "--url", fakeplat.url, "--token", fakeplat.token("ada"), "--no-keyring")

    assert "secret value" in tool.run("glvar", "get", "SECRET")
    assert "shared value" in tool.run("glvar", "run", "SHARED", "--", "printenv", "SHARED")
    assert "Variable not found: NOPE" in tool.run("glvar", "get", "NOPE", status=1)
