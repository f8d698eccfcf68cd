"""CI configuration files and the jobs or errors that they give; the cases are in `files/`."""

from collections.abc import Mapping
from typing import Any

import pytest

from fakeplat.ci_config.selection import select_jobs
from fakeplat.core.release import LATEST
from tests.ci_config.cases import build_facts, load_case, read_cases, select_job_attributes


@pytest.mark.parametrize("case", [*read_cases("documents.yml"), *read_cases("jobs.yml"), *read_cases("errors.yml")])
def test_a_file_gives_its_jobs_or_errors(case: Mapping[str, Any]) -> None:
    """A file gives the jobs, stages, warnings and errors that the platform's specs state, in their order."""
    configuration = load_case(case)
    count = len(case["errors"]) if case.get("first") else None

    assert case.get("errors", []) == list(configuration.errors)[:count]
    assert list(case.get("jobs", {})) == [job.name for job in configuration.jobs]
    assert case.get("jobs", {}) == {
        job.name: select_job_attributes(job, case["jobs"][job.name]) for job in configuration.jobs
    }
    assert case.get("stages", list(configuration.stages)) == list(configuration.stages)
    assert case.get("warnings", list(configuration.warnings)) == list(configuration.warnings)


@pytest.mark.parametrize("case", read_cases("refusals.yml"))
def test_the_newest_release_refuses_a_file_in_its_words(case: Mapping[str, Any]) -> None:
    """The newest release words a mistake as its specs state, and accepts what has none."""
    errors = load_case({**case, "release": LATEST}).errors

    assert ("error" in case) == bool(errors)
    assert case.get("error") in (*errors, None)


PLANS = [
    pytest.param(case.values[0], plan, id=f"{case.id}-{number}")
    for case in [*read_cases("selection.yml"), *read_cases("combinations.yml")]
    for number, plan in enumerate(case.values[0]["plans"], 1)
]


@pytest.mark.parametrize(("case", "plan"), PLANS)
def test_a_file_has_jobs_for_a_ref(case: Mapping[str, Any], plan: Mapping[str, Any]) -> None:
    """A pipeline for a ref has the jobs, stages and errors that the platform's specs state."""
    configuration = load_case(case)
    selection = select_jobs(configuration, build_facts({"release": case.get("release", "13.5"), **plan}))

    assert () == configuration.errors
    assert plan.get("refusal") == selection.refusal
    assert plan.get("errors", []) == list(selection.errors)
    assert "errors" in plan or list(plan.get("jobs", [])) == [job.name for job in selection.jobs]
    assert plan.get("stages", list(selection.stages)) == list(selection.stages)
    if isinstance(plan.get("jobs"), Mapping):
        assert plan["jobs"] == {job.name: select_job_attributes(job, plan["jobs"][job.name]) for job in selection.jobs}
