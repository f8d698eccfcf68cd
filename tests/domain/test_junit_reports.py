"""Test reports from JUnit files. Source: docs/platform/pipelines-jobs.md."""

from typing import Any

import orjson
import pytest

from fakeplat.domain.ci import test_reports
from fakeplat.entities.ci.test_reports import TestReportView as ReportView
from fakeplat.model.ci import Job
from tests.worlds import create_site

NOW = "2020-11-20T09:00:00.000Z"
CASES = """<testsuites><testsuite name="outer">
  <testcase name="adds" classname="calc" time="1.5"/>
  <testsuite name="inner">
    <testcase name="divides" classname="calc" time="0.25"><failure message="zero">trace
of it</failure></testcase>
    <testcase name="crashes" classname="calc" time="2"><error message="boom" type="Oops"/></testcase>
  </testsuite>
  <testcase name="waits" classname="calc" time="x"><skipped/></testcase>
  <testcase name="quick" time="0.1"/>
</testsuite></testsuites>"""


def build_job(name: str) -> Job:
    return Job(id=1, name=name, pipeline_id=1, project_id=1, created_at=NOW, updated_at=NOW)


def read_report(*files: tuple[str, str]) -> Any:
    """Return the report of files, each with the name of its job."""
    return test_reports.read_report((build_job(name), text) for name, text in files)


def test_cases_are_read_from_nested_suites() -> None:
    """Test cases of nested suites are sorted by status, the slowest first, with the output of failures."""
    (suite,) = read_report(("rspec", CASES)).suites
    assert [
        ("error", "crashes", "calc", 2.0, {"message": "boom", "type": "Oops"}),
        ("failed", "divides", "calc", 0.25, "trace\nof it"),
        ("success", "adds", "calc", 1.5, None),
        ("success", "quick", None, 0.1, None),
        ("skipped", "waits", "calc", 0.0, None),
    ] == [
        (case.status, case.name, case.classname, case.execution_time, case.system_output) for case in suite.test_cases
    ]
    assert ("rspec", pytest.approx(3.85), None) == (suite.name, suite.total_time, suite.suite_error)


def test_totals_are_counted_by_status() -> None:
    """A report counts its test cases in total and by status, and adds up their times."""
    report = read_report(("rspec", CASES), ("jest", CASES))
    assert (10, 2, 2, 4, 2) == (
        report.count(),
        report.count("error"),
        report.count("failed"),
        report.count("success"),
        report.count("skipped"),
    )
    assert 7.7 == pytest.approx(report.total_time)


@pytest.mark.parametrize("names", [("rspec 1/2", "rspec 2/2"), ("rspec: [a, b]", "rspec: [c, d]")])
def test_the_parts_of_a_job_are_one_suite(names: tuple[str, str]) -> None:
    """Parallel jobs form one suite, in which the last of equal test cases counts."""
    other = '<testsuite><testcase name="other" time="1"/><testcase name="quick" time="3"/></testsuite>'
    (suite,) = read_report((names[0], CASES), (names[1], other)).suites
    assert ("rspec", 6) == (suite.name, suite.count())
    assert [3.0] == [case.execution_time for case in suite.test_cases if case.name == "quick"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "1:1: FATAL: Document is empty"),
        (" \n", "1:1: FATAL: Document is empty"),
        ("<a>\n<b></a>", "2:6: FATAL: mismatched tag"),
    ],
)
def test_a_broken_file_is_an_error_of_its_suite(text: str, error: str) -> None:
    """A broken file makes its suite an error without test cases, and other suites still count."""
    report = read_report(("rspec", CASES), ("rspec 1/2", text), ("jest", CASES))
    broken, whole = report.suites
    assert (f"JUnit XML parsing failed: {error}", 0, ()) == (broken.suite_error, broken.count(), broken.test_cases)
    assert (None, 5, 5) == (whole.suite_error, whole.count(), report.count())


def test_entities_are_not_expanded() -> None:
    """A file that declares entities is refused without expanding them."""
    bomb = '<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;">]><testsuite><testcase name="&y;"/></testsuite>'
    (suite,) = read_report(("rspec", bomb)).suites
    assert suite.suite_error is not None
    assert suite.suite_error.startswith("JUnit XML parsing failed: 1:1: FATAL: ")
    assert () == suite.test_cases


def test_a_report_shows_totals_suites_and_cases() -> None:
    """The view of a report has all fields of the platform's release."""
    site = create_site()
    report = ReportView(read_report(("rspec", CASES), ("jest", "")), site.context("dev")).values()
    counts = {"total_count", "success_count", "failed_count", "skipped_count", "error_count"}
    assert {"total_time", "test_suites", *counts} == set(report)
    suites = [orjson.loads(orjson.dumps(suite)) for suite in report["test_suites"]]
    assert {"name", "total_time", "suite_error", "test_cases", *counts} == set(suites[0])
    case = {"status", "name", "classname", "execution_time", "system_output", "stack_trace"}
    assert ([5, 0], case) == ([suite["total_count"] for suite in suites], set(suites[0]["test_cases"][0]))
    assert "JUnit XML parsing failed: 1:1: FATAL: Document is empty" == suites[1]["suite_error"]
