"""Results of tests of pipelines. Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md."""

from collections.abc import Sequence
from typing import Final, get_args

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import test_reports
from fakeplat.domain.ci.test_reports import TestCase, TestReport, TestStatus, TestSuite
from fakeplat.graphql.ci.pipelines import PIPELINE
from fakeplat.graphql.ids import parse_number_or_id
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.ci import Pipeline
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=14.0"
Enumeration(
    "TestCaseStatus",
    "How a test case ended.",
    {status: (status, f"The status {status}.") for status in get_args(TestStatus)},
    since=_SINCE,
)
SUMMARY: Final = Type("TestReportSummary", "The numbers of the test results of a pipeline.", since=_SINCE)
TOTAL: Final = Type("TestReportTotal", "The numbers of all test suites together.", since=_SINCE)
SUITE_SUMMARY: Final = Type("TestSuiteSummary", "The numbers of a test suite.", since=_SINCE)
SUITE: Final = Type("TestSuite", "A test suite.", since=_SINCE)
CASE: Final = Type("TestCase", "A test case.", since=_SINCE)
CASE.attributes(
    {
        "status: TestCaseStatus": "How it ended.",
        "name: String": "The name.",
        "classname: String": "The name of the class.",
        "executionTime: Float": "The number of seconds.",
        "stackTrace: String": "Where it failed.",
    }
)


@frozen
class NumberedSuite:
    """A test suite with its place in the report."""

    id: int
    suite: TestSuite


@frozen
class NumberedCase:
    """A test case with its place in the suite."""

    id: int
    case: TestCase

    def __getattr__(self, name: str) -> object:
        return getattr(self.case, name)


def _read(ctx: ReadContext, pipeline: Pipeline) -> TestReport:
    readable = can(ctx, Ability.READ_BUILD, ctx.world.projects[pipeline.project_id])
    return test_reports.read_report(test_reports.list_files(ctx, pipeline) if readable else ())


@PIPELINE.field("testReportSummary: TestReportSummary!", since=_SINCE)
def summary_of(ctx: ReadContext, pipeline: Pipeline) -> TestReport:
    """The numbers of the test results."""
    return _read(ctx, pipeline)


@PIPELINE.field("testSuite(buildIds: [ID!]!): TestSuite", since=_SINCE)
def suite_of(ctx: ReadContext, pipeline: Pipeline, build_ids: Sequence[str]) -> NumberedSuite | None:
    """The test suite of some jobs, whose IDs may be numbers."""
    ids = {parse_number_or_id(ctx, text, "Ci::Build") for text in build_ids}
    suites = enumerate(_read(ctx, pipeline).suites)
    return next((NumberedSuite(place, suite) for place, suite in suites if not ids.isdisjoint(suite.job_ids)), None)


@SUMMARY.field("total: TestReportTotal!")
def total_of(_ctx: ReadContext, report: TestReport) -> TestReport:
    """The numbers of all suites together."""
    return report


@SUMMARY.field("testSuites: TestSuiteSummaryConnection!")
def suites_of(_ctx: ReadContext, report: TestReport) -> list[NumberedSuite]:
    """The numbers of each suite."""
    return [NumberedSuite(place, suite) for place, suite in enumerate(report.suites)]


@TOTAL.field("time: Float")
def total_time(_ctx: ReadContext, report: TestReport) -> float:
    """The number of seconds."""
    return report.total_time


@TOTAL.field("suiteError: String")
def total_error(_ctx: ReadContext, report: TestReport) -> str | None:
    """What is wrong with a file."""
    return next((suite.suite_error for suite in report.suites if suite.suite_error), None)


def _declare_total(name: str, *statuses: TestStatus) -> None:
    def count(_ctx: ReadContext, report: TestReport) -> int:
        return report.count(*statuses)

    TOTAL.field(f"{name}: Int", description=f"The number of test cases: {name}.")(count)


_declare_total("count")
_declare_total("success", "success")
_declare_total("failed", "failed")
_declare_total("skipped", "skipped")
_declare_total("error", "error")


def _declare_count(name: str, *statuses: TestStatus) -> None:
    def count(_ctx: ReadContext, numbered: NumberedSuite) -> int:
        return numbered.suite.count(*statuses)

    for type_ in (SUITE, SUITE_SUMMARY):
        type_.field(f"{name}: Int", description=f"The number of test cases: {name}.")(count)


_declare_count("totalCount")
_declare_count("successCount", "success")
_declare_count("failedCount", "failed")
_declare_count("skippedCount", "skipped")
_declare_count("errorCount", "error")


@SUITE.field("name: String")
@SUITE_SUMMARY.field("name: String")
def name_of(_ctx: ReadContext, numbered: NumberedSuite) -> str:
    """The name: that of the job."""
    return numbered.suite.name


@SUITE.field("totalTime: Float")
@SUITE_SUMMARY.field("totalTime: Float")
def time_of(_ctx: ReadContext, numbered: NumberedSuite) -> float:
    """The number of seconds."""
    return numbered.suite.total_time


@SUITE.field("suiteError: String")
@SUITE_SUMMARY.field("suiteError: String")
def error_of(_ctx: ReadContext, numbered: NumberedSuite) -> str | None:
    """What is wrong with the file."""
    return numbered.suite.suite_error


@SUITE_SUMMARY.field("buildIds: [ID!]")
def job_ids(_ctx: ReadContext, numbered: NumberedSuite) -> list[str]:
    """The numbers of the jobs."""
    return [str(id_) for id_ in numbered.suite.job_ids]


@SUITE.field("testCases: TestCaseConnection")
def cases_of(_ctx: ReadContext, numbered: NumberedSuite) -> list[NumberedCase]:
    """The test cases."""
    return [NumberedCase(place, case) for place, case in enumerate(numbered.suite.test_cases)]


@CASE.field("systemOutput: String")
def output_of(_ctx: ReadContext, numbered: NumberedCase) -> str | None:
    """What it wrote."""
    output = numbered.case.system_output
    return None if output is None else str(output)
