"""Included files: how many, and those of child pipelines. What else is included is in `files/documents.yml`."""

from fakeplat.ci_config.configuration import load
from fakeplat.ci_config.includes import Include, child_document
from fakeplat.core.release import profile_of

PROFILE = profile_of((13, 5))


def fetch(include: Include) -> str:
    return "included: {script: x}\n"


def test_a_child_pipeline_includes_the_files_of_its_bridge() -> None:
    """A child pipeline includes files of its repository, of another project, and of a job's artifacts."""
    bridge = load(
        "job: {trigger: {include: [x.yml, {project: acme/ci, file: y.yml, ref: v1}, {artifact: z.yml, job: m}]}}\n"
        "m: {stage: build, script: x}\n",
        fetch,
        PROFILE,
    ).jobs[0]
    assert bridge.trigger is not None
    fetched: list[Include] = []

    def remember(include: Include) -> str:
        fetched.append(include)
        return f"job{len(fetched)}: {{script: x}}"

    child = load(child_document(bridge.trigger.includes), remember, PROFILE)

    assert ["job1", "job2", "job3"] == [job.name for job in child.jobs]
    assert [
        Include("local", "x.yml"),
        Include("file", "y.yml", project="acme/ci", ref="v1"),
        Include("artifact", "z.yml", job="m"),
    ] == fetched


def test_a_hundred_files_are_included() -> None:
    """A configuration includes at most 100 files; one more is refused."""
    hundred = "".join(f"- {n}.yml\n" for n in range(100))

    assert () == load(f"include:\n{hundred}", fetch, PROFILE).errors
    assert ("Maximum of 100 nested includes are allowed!",) == load(
        f"include:\n{hundred}- 100.yml\n", fetch, PROFILE
    ).errors
