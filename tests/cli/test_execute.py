"""`--execute` runs the scripts of jobs. Source: docs/ci.md."""

import asyncio
from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from attrs import define

from fakeplat.cli.executor import execute_jobs, format_duration
from fakeplat.cli.job_files import collect_files, extract_archive
from fakeplat.cli.options import UsageError
from fakeplat.harness.caller import UserClient
from fakeplat.http.server import RunningWorld, WorldServer
from fakeplat.model.ci import Job
from fakeplat.workbench.options import Options

ENDED = {"success", "failed", "canceled", "skipped"}


@define
class Executing:
    """A world whose jobs are executed."""

    world: RunningWorld
    changed: asyncio.Event

    @property
    def ada(self) -> UserClient:
        return UserClient(self.world.bench.platform, self.world.url, "ada-token")

    def commit(self, configuration: str, **files: str) -> int:
        """Commit a configuration to a new branch and return the id of its pipeline."""
        actions: list[dict[str, Any]] = [
            {"action": "update", "file_path": ".gitlab-ci.yml", "content": configuration},
            *({"action": "create", "file_path": name, "content": content} for name, content in files.items()),
        ]
        body = {"branch": "run", "start_branch": "master", "commit_message": "Run", "actions": actions}
        reply = self.ada.post("projects/acme%2Fsite/repository/commits", json=body)
        assert 201 == reply.status, reply
        pipelines = self.ada.get("projects/acme%2Fsite/pipelines?ref=run").json()
        return int(pipelines[0]["id"])

    async def wait(self, pipeline: int, ended: set[str] = ENDED) -> dict[str, Job]:
        """Wait until a pipeline has ended, and return its jobs by name; the last attempt of each."""
        async with asyncio.timeout(120):
            while self.world.bench.platform.view.pipelines[pipeline].status not in ended:
                self.changed.clear()
                await self.changed.wait()
        return {job.name: job for job in self.world.bench.platform.view.jobs.where("pipeline", pipeline)}


@pytest.fixture(params=["13.12"])
async def executing(request: pytest.FixtureRequest) -> AsyncIterator[Executing]:
    server, changed = WorldServer(), asyncio.Event()
    instance = {"version": request.param, "default_branch": "master"}
    world = await server.open(Options("starter", None, instance, "real", usual="real").bench())
    world.bench.platform.observers.append(lambda _entry, _handler: changed.set())
    async with execute_jobs(world):
        yield Executing(world, changed)
    await server.close_all()


async def test_a_pipeline_of_two_jobs_is_executed(executing: Executing) -> None:
    """Two jobs run their scripts in a clone, and the second has the artifacts of the first."""
    pipeline = executing.commit(
        """
        variables: {GREETING: "Hello $CI_COMMIT_REF_NAME"}
        before_script: ["echo before"]
        build:
          stage: build
          tags: [special]
          script:
            - cat input.txt
            - mkdir out
            - echo "$GREETING" > out/greeting.txt
            - chmod 755 out/greeting.txt
          after_script: ["echo after $CI_JOB_STATUS"]
          artifacts: {paths: [out/]}
        test:
          stage: test
          script: ["cat out/greeting.txt", "test -x out/greeting.txt", "git rev-parse HEAD"]
        """,
        **{"input.txt": "from the repository\n"},
    )
    jobs = await executing.wait(pipeline)

    build, test = jobs["build"], jobs["test"]
    assert ["success", "success"] == [build.status, test.status]
    assert all(text in build.log for text in ("$ echo before", "before\n", "from the repository\n", "after success"))
    assert "Hello run\n" in test.log
    assert executing.world.bench.platform.view.pipelines[pipeline].sha in test.log
    archive = executing.world.bench.platform.view.job_artifacts.find("type", (build.id, "archive"))
    assert archive is not None
    assert ["out/greeting.txt"] == ZipFile(BytesIO(archive.content)).namelist()


async def test_the_exit_code_decides(executing: Executing) -> None:
    """A script that fails fails its job, unless its exit code is allowed; a retry runs it again."""
    pipeline = executing.commit(
        """
        bad: {stage: build, script: ["echo one; exit 3", "echo never"], retry: 1, allow_failure: true}
        allowed: {stage: build, script: ["exit 4"], allow_failure: {exit_codes: [4]}}
        last: {stage: test, script: ["false | true"]}
        after: {stage: deploy, script: ["echo never"]}
        """
    )
    jobs = await executing.wait(pipeline)

    every = executing.world.bench.platform.view.jobs.where("pipeline", pipeline)
    assert 2 == len([job for job in every if job.name == "bad" and job.status == "failed"])
    assert "never" not in jobs["bad"].log.replace("echo never", "")
    assert ("failed", True) == (jobs["allowed"].status, jobs["allowed"].allow_failure)
    assert ("failed", "script_failure") == (jobs["last"].status, jobs["last"].failure_reason)
    assert "skipped" == jobs["after"].status


async def test_a_job_that_takes_too_long_fails(executing: Executing) -> None:
    """The time limit of a job ends its script and what that has started."""
    pipeline = executing.commit('slow: {script: ["sleep 600 & sleep 600"], timeout: "1 second"}')
    job = (await executing.wait(pipeline))["slow"]

    assert ("failed", "job_execution_timeout") == (job.status, job.failure_reason)


@pytest.mark.parametrize(("seconds", "text"), [(5, "5s"), (60, "1m0s"), (3_600, "1h0m0s"), (93_784, "26h3m4s")])
def test_durations_are_those_of_the_runner(seconds: int, text: str) -> None:
    """A time limit is written in hours, minutes and seconds, from the first that is not zero on."""
    assert text == format_duration(seconds)


async def test_a_cancelled_job_ends(executing: Executing) -> None:
    """Cancelling a job ends its script, and nothing of the job is run after it."""
    pipeline = executing.commit(
        'slow: {script: ["sleep 600"], after_script: ["echo after"], artifacts: {paths: [README.md], when: always}}'
    )
    await executing.wait(pipeline, {"running"})
    executing.ada.post(f"projects/acme%2Fsite/pipelines/{pipeline}/cancel")

    job = (await executing.wait(pipeline))["slow"]
    assert ("canceled", False) == (job.status, "after" in job.log)
    assert [] == list(executing.world.bench.platform.view.job_artifacts.where("job", job.id))


async def test_files_variables_and_caches(executing: Executing) -> None:
    """A variable of the type file is the path of one, a masked one is hidden, and a cache goes to the next job."""
    ada = executing.ada
    for fields in (
        {"key": "CONFIG", "value": "in a file", "variable_type": "file"},
        {"key": "SECRET", "value": "very-secret-value", "masked": True},
    ):
        assert 201 == ada.post("projects/acme%2Fsite/variables", json=fields).status
    pipeline = executing.commit(
        """
        cache: {key: "$CI_COMMIT_REF_SLUG", paths: [kept/]}
        first: {stage: build, script: ["cat $CONFIG", "echo $SECRET", "mkdir kept", "echo cached > kept/it"]}
        second: {stage: test, script: ["cat kept/it"], variables: {GIT_STRATEGY: none}}
        """
    )
    jobs = await executing.wait(pipeline)

    assert ["success", "success"] == [jobs[name].status for name in ("first", "second")]
    assert "in a file" in jobs["first"].log
    assert "very-secret-value" not in jobs["first"].log
    assert "cached\n" in jobs["second"].log


async def test_reports_are_uploaded(executing: Executing) -> None:
    """A report of tests is uploaded also by a job that fails."""
    xml = '<testsuite><testcase classname=\\"a\\" name=\\"works\\"/></testsuite>'
    pipeline = executing.commit(
        f"""
        test:
          script: ['printf "{xml}" > report.xml', "exit 1"]
          artifacts: {{reports: {{junit: report.xml}}}}
        """
    )
    await executing.wait(pipeline)
    report = executing.ada.get(f"projects/acme%2Fsite/pipelines/{pipeline}/test_report").json()

    assert 1 == report["total_count"]


async def test_variables_come_from_dotenv_reports(executing: Executing) -> None:
    """The variables of a dotenv report are in the environment of later jobs, and in the name of an environment."""
    pipeline = executing.commit(
        """
        build:
          stage: build
          script: ["echo VERSION=1.2 > build.env", "echo 'TEXT=two words' >> build.env"]
          artifacts: {reports: {dotenv: build.env}}
        use: {stage: test, script: ['echo "got $VERSION and $TEXT"']}
        """
    )
    jobs = await executing.wait(pipeline)

    assert ["success", "success"] == [jobs[name].status for name in ("build", "use")]
    assert "got 1.2 and two words\n" in jobs["use"].log


@pytest.mark.parametrize("executing", ["latest"], indirect=True)
async def test_hooks_run_before_the_sources(executing: Executing) -> None:
    """The script of a hook runs before the sources are fetched; one that fails fails the job."""
    pipeline = executing.commit(
        """
        good:
          hooks: {pre_get_sources_script: ["ls -A | wc -l | tr '\\n' ':'", "echo early"]}
          script: ["test -f README.md", "echo late"]
        bare: {variables: {GIT_CHECKOUT: "false"}, script: ["test ! -e README.md", "git cat-file -e $CI_COMMIT_SHA"]}
        bad: {hooks: {pre_get_sources_script: ["exit 7"]}, script: ["echo never"], allow_failure: {exit_codes: 7}}
        """
    )
    jobs = await executing.wait(pipeline)

    assert {"good": "success", "bare": "success", "bad": "failed"} == {name: job.status for name, job in jobs.items()}
    log = jobs["good"].log
    assert "0:" in log
    assert log.index("early\n") < log.index("Fetching changes...") < log.index("late\n")
    assert "never" not in jobs["bad"].log


async def test_a_virtual_clock_is_refused() -> None:
    """Scripts take real time, so the clock must be the real one."""
    server = WorldServer()
    world = await server.open(Options("starter", None, {}, "virtual", usual="real").bench())
    with pytest.raises(UsageError, match="--execute needs the real clock"):
        async with execute_jobs(world):
            pass
    await server.close_all()


def test_files_outside_are_left_alone(tmp_path: Any) -> None:
    """Artifacts have no files outside of the project, and archives put none there."""
    (tmp_path / "secret").write_text("x")
    project = tmp_path / "project"
    project.mkdir()
    (project / "link").symlink_to(tmp_path / "secret")
    assert [] == collect_files(project, ["../secret", str(tmp_path / "secret"), "link", "/", ".."], [])
    stream = BytesIO()
    with ZipFile(stream, "w") as archive:
        archive.writestr("../evil", "x")
    extract_archive(stream.getvalue(), project)
    assert not (tmp_path / "evil").exists()
