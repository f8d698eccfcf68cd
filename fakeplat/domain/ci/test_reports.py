"""Test reports of pipelines, from the JUnit files of their jobs. Source: docs/platform/pipelines-jobs.md.

The parts of a parallel job are one suite. A file that cannot be read makes its suite an error, without test cases.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from attrs import field, mutable

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import artifact_files, job_artifacts, jobs
from fakeplat.model.ci import Job, Pipeline
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

TestStatus = Literal["error", "failed", "success", "skipped"]

_STATUSES: Final[tuple[TestStatus, ...]] = ("error", "failed", "success", "skipped")
"""In the order in which test cases are listed."""
_STATUS_OF_TAG: Final[Mapping[str, TestStatus]] = {"failure": "failed", "error": "error", "skipped": "skipped"}
"""The element of a test case that tells its status; of several, the first of these counts."""
_EMPTY_DOCUMENT: Final = "1:1: FATAL: Document is empty"


@frozen
class TestCase:
    """A test case: how it ended, and what it wrote if it did not succeed."""

    status: TestStatus
    name: str | None
    classname: str | None
    execution_time: float
    system_output: Any = None
    stack_trace: str | None = None


@frozen
class TestSuite:
    """The test cases of a job."""

    name: str
    total_time: float
    test_cases: tuple[TestCase, ...] = ()
    suite_error: str | None = None
    job_ids: tuple[int, ...] = ()

    def count(self, *statuses: TestStatus) -> int:
        """Return the number of test cases in some statuses, or in any."""
        return sum(not statuses or case.status in statuses for case in self.test_cases)


@frozen
class TestReport:
    """The test suites of a pipeline."""

    suites: tuple[TestSuite, ...]

    @property
    def total_time(self) -> float:
        """The seconds that all test cases took."""
        return sum(suite.total_time for suite in self.suites)

    def count(self, *statuses: TestStatus) -> int:
        """Return the number of test cases in some statuses, or in any."""
        return sum(suite.count(*statuses) for suite in self.suites)


def list_files(ctx: ReadContext, pipeline: Pipeline) -> list[tuple[Job, str]]:
    """Return the JUnit files of a pipeline's jobs, as far as these still have them."""
    latest = [job for job in jobs.list_latest(ctx.world, pipeline.id) if job.kind == "build"]
    reports = [(job, job_artifacts.find(ctx, job, "junit")) for job in latest]
    return [
        (job, content.decode(errors="replace"))
        for job, report in reports
        if report is not None
        for content in artifact_files.read_gzip_files(report.content)
    ]


def read_report(files: Iterable[tuple[Job, str]]) -> TestReport:
    """Return the report of some JUnit files, each with the job that made it."""
    suites: dict[str, _Suite] = {}
    for job, text in files:
        name = jobs.group_name(job)
        suite = suites.setdefault(name, _Suite(name))
        suite.job_ids.setdefault(job.id)
        suite.read(text)
    return TestReport(tuple(suite.finish() for suite in suites.values()))


class _InvalidFile(ValueError):
    """A file is no JUnit file; the text says where and why."""


@mutable
class _Suite:
    """A suite that is being read, with its test cases by status and by name."""

    name: str
    total_time: float = 0.0
    error: str | None = None
    job_ids: dict[int, None] = field(factory=dict)
    cases: dict[tuple[TestStatus, str | None, str | None], TestCase] = field(factory=dict)

    def read(self, text: str) -> None:
        """Add the test cases of a file, or its error."""
        try:
            root = _parse(text)
        except _InvalidFile as error:
            self.error = f"JUnit XML parsing failed: {error}"
            return
        for element in _find_cases(root):
            case = _read_case(element)
            # Of several test cases with one name the last one counts, but the time of all.
            self.cases[case.status, case.classname, case.name] = case
            self.total_time += case.execution_time

    def finish(self) -> TestSuite:
        """Return the suite, sorted by status and then by time, the longest first."""
        in_order = sorted(self.cases.values(), key=lambda case: (_STATUSES.index(case.status), -case.execution_time))
        test_cases = () if self.error else tuple(in_order)
        return TestSuite(self.name, self.total_time, test_cases, self.error, tuple(self.job_ids))


def _parse(text: str) -> "Element":
    from xml.etree.ElementTree import ParseError

    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    if not text.strip():
        raise _InvalidFile(_EMPTY_DOCUMENT)
    try:
        root: Element = fromstring(text)
    except ParseError as error:
        line, column = error.position
        reason = str(error).partition(":")[0]
        raise _InvalidFile(f"{line}:{column + 1}: FATAL: {reason}") from None
    except (DefusedXmlException, ValueError) as error:
        raise _InvalidFile(f"1:1: FATAL: {error}") from None
    return root


def _find_cases(element: "Element") -> Iterator["Element"]:
    """Yield the test cases of suites inside of each other."""
    for child in element:
        if child.tag == "testcase":
            yield child
        elif child.tag in ("testsuite", "testsuites"):
            yield from _find_cases(child)


def _read_case(element: "Element") -> TestCase:
    found = next(((tag, child) for tag in _STATUS_OF_TAG if (child := element.find(tag)) is not None), None)
    return TestCase(
        status=_STATUS_OF_TAG[found[0]] if found else "success",
        name=element.get("name"),
        classname=element.get("classname"),
        execution_time=_read_seconds(element.get("time")),
        system_output=_read_output(found[1]) if found else None,
    )


def _read_output(element: "Element") -> str | dict[str, str] | None:
    """Return the text of an element, otherwise its attributes, as the platform's parser does."""
    text = element.text or ""
    return text if text.strip() else dict(element.attrib) or None


def _read_seconds(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
