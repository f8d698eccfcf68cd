"""Views of test reports. Source: docs/platform/pipelines-jobs.md."""

from typing import TypeVar

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.ci.test_reports import TestCase, TestReport, TestSuite
from fakeplat.policy.context import ReadContext

R = TypeVar("R", TestReport, TestSuite)


class TestCaseView(Entity[TestCase]):
    """A test case."""

    cached_by_id = False

    status = attr()
    name = attr()
    classname = attr()
    execution_time = attr()
    system_output = attr()
    stack_trace = attr()


class _Totals(Entity[R]):
    """The time and the numbers of test cases."""

    cached_by_id = False
    ctx: ReadContext

    total_time = attr()

    @computed
    def total_count(self) -> int:
        return self.record.count()

    @computed
    def success_count(self) -> int:
        return self.record.count("success")

    @computed
    def failed_count(self) -> int:
        return self.record.count("failed")

    @computed
    def skipped_count(self) -> int:
        return self.record.count("skipped")

    @computed
    def error_count(self) -> int:
        return self.record.count("error")


class TestSuiteView(_Totals[TestSuite]):
    """The test cases of a job."""

    name = attr()
    suite_error = attr()

    @computed
    def test_cases(self) -> list[TestCaseView]:
        return [self.ctx.render(TestCaseView, case) for case in self.record.test_cases]


class TestReportView(_Totals[TestReport]):
    """The test results of a pipeline."""

    @computed
    def test_suites(self) -> list[TestSuiteView]:
        return [self.ctx.render(TestSuiteView, suite) for suite in self.record.suites]


class TestSuiteSummary(_Totals[TestSuite]):
    """The numbers of a suite, without its test cases."""

    name = attr()
    build_ids = attr("job_ids")
    suite_error = attr()


class TestReportSummary(Entity[TestReport]):
    """The numbers of the test results of a pipeline."""

    cached_by_id = False
    ctx: ReadContext

    @computed
    def total(self) -> dict[str, float | int | str | None]:
        report = self.record
        return {
            "time": report.total_time,
            "count": report.count(),
            "success": report.count("success"),
            "failed": report.count("failed"),
            "skipped": report.count("skipped"),
            "error": report.count("error"),
            "suite_error": next((suite.suite_error for suite in report.suites if suite.suite_error), None),
        }

    @computed
    def test_suites(self) -> list[TestSuiteSummary]:
        return [self.ctx.render(TestSuiteSummary, suite) for suite in self.record.suites]
