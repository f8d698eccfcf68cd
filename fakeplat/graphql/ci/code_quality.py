"""What tools found in code, in pipelines and merge requests. Source: docs/platform/graphql.md ('Code quality')."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import code_quality, pipelines
from fakeplat.domain.ci.code_quality import SEVERITIES, Comparison, Degradation
from fakeplat.graphql.ci.pipelines import PIPELINE
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.issues.issuables import MERGE_REQUEST
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.ci import Pipeline
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=14.0"
_SUMMARY: Final = "<=16.2"
_COMPARED: Final = "16.4"
Enumeration(
    "CodeQualityDegradationSeverity",
    "How bad a finding is.",
    {severity.upper(): (severity, f"The severity {severity}.") for severity in SEVERITIES},
    since=_SINCE,
)
DEGRADATION: Final = Type("CodeQualityDegradation", "Something that a tool found.", has_count=True, since=_SINCE)
SUMMARY: Final = Type("CodeQualityReportSummary", "The numbers of findings of a pipeline.", since=_SUMMARY)
_SHARED: Final = {
    "description: String!": "What it is.",
    "fingerprint: String!": "What it is recognized by.",
    "severity: CodeQualityDegradationSeverity!": "How bad it is.",
    "line: Int!": "The line.",
}
DEGRADATION.attributes({**_SHARED, "path: String!": "The path of the file."})
DEGRADATION.attributes({"webUrl: String": "The URL of the line."}, since="<=15.8")
DEGRADATION.attributes({"engineName: String!": "The name of the tool."}, since="<=15.8")


@PIPELINE.field("codeQualityReports: CodeQualityDegradationConnection", since=_SINCE)
def reports_of(ctx: ReadContext, pipeline: Pipeline) -> Sequence[Degradation] | None:
    """What its jobs reported about the code, the worst first; null if nothing."""
    return [*code_quality.read_reports(ctx, pipeline).values()] or None


@PIPELINE.field("codeQualityReportSummary: CodeQualityReportSummary", since=_SUMMARY)
def summary_of(ctx: ReadContext, pipeline: Pipeline) -> Sequence[Degradation] | None:
    """The numbers of what its jobs reported about the code; null if nothing."""
    return reports_of(ctx, pipeline)


@SUMMARY.field("count: Int")
def count(_ctx: ReadContext, found: Sequence[Degradation]) -> int:
    """The number of all."""
    return len(found)


def _declare_count(severity: str) -> None:
    def count_severity(_ctx: ReadContext, found: Sequence[Degradation]) -> int:
        return sum(each.severity == severity for each in found)

    SUMMARY.field(f"{severity}: Int", description=f"The number of those of the severity {severity}.")(count_severity)


for _severity in SEVERITIES:
    _declare_count(_severity)


# Merge requests

Enumeration(
    "CodequalityReportsComparerReportGenerationStatus",
    "Whether reports have been compared.",
    {
        "PARSED": ("parsed", "They have."),
        "PARSING": ("parsing", "The pipeline of the target branch is running."),
        "ERROR": ("error", "There are no reports."),
    },
    since=_COMPARED,
)
Enumeration(
    "CodequalityReportsComparerStatus",
    "How reports differ.",
    {
        "SUCCESS": ("success", "The merge request has no findings."),
        "FAILED": ("failed", "The merge request has findings."),
        "NOT_FOUND": ("not_found", "There is no pipeline to compare with."),
    },
    since=_COMPARED,
)
COMPARER: Final = Type("CodequalityReportsComparer", "How reports about the code differ.", since=_COMPARED)
COMPARER.attributes(
    {
        "status: CodequalityReportsComparerReportGenerationStatus": "Whether they have been compared.",
        "report: CodequalityReportsComparerReport": "How they differ.",
    }
)
REPORT: Final = Type("CodequalityReportsComparerReport", "How the findings of two pipelines differ.", since=_COMPARED)
REPORT.attributes({"status: CodequalityReportsComparerStatus!": "The status."})
COMPARED: Final = Type("CodequalityReportsComparerReportDegradation", "A finding that was compared.", since=_COMPARED)
COMPARED.attributes(
    {**_SHARED, "webUrl: String": "The URL of the line.", "engineName: String": "The name of the tool."}
)
NUMBERS: Final = Type("CodequalityReportsComparerReportSummary", "The numbers of compared findings.", since=_COMPARED)


@frozen
class Outcome:
    """What became of comparing the reports of a merge request."""

    status: str
    report: Comparison | None = None


@MERGE_REQUEST.field("codequalityReportsComparer: CodequalityReportsComparer", since=_COMPARED)
def compare_reports(ctx: ReadContext, merge_request: MergeRequest) -> Outcome:
    """How the findings of its newest commit differ from those of the target branch."""
    head = pipelines.head_pipeline(ctx.world, merge_request)
    if head is None or not can(ctx, Ability.READ_BUILD, ctx.world.projects[head.project_id]):
        raise ResourceNotAvailable(lambda: f"there is no pipeline that {caller_name(ctx)} may read")
    if not code_quality.has_reports(ctx, head):
        return Outcome("error")
    base = code_quality.find_base(ctx, merge_request)
    if base is not None and base.status == "running":
        return Outcome("parsing")
    return Outcome("parsed", code_quality.compare(ctx, base, head))


@REPORT.field("newErrors: [CodequalityReportsComparerReportDegradation!]!")
def new_errors(_ctx: ReadContext, comparison: Comparison) -> Sequence[Degradation]:
    """The findings that only the merge request has."""
    return comparison.list_new()


@REPORT.field("resolvedErrors: [CodequalityReportsComparerReportDegradation!]")
def resolved_errors(_ctx: ReadContext, comparison: Comparison) -> Sequence[Degradation]:
    """The findings that only the target branch has."""
    return comparison.list_resolved()


@REPORT.field("existingErrors: [CodequalityReportsComparerReportDegradation!]")
def existing_errors(_ctx: ReadContext, comparison: Comparison) -> Sequence[Degradation]:
    """The findings that both have for one commit."""
    return comparison.list_existing()


@REPORT.field("summary: CodequalityReportsComparerReportSummary!")
def numbers_of(_ctx: ReadContext, comparison: Comparison) -> Comparison:
    """The numbers of findings."""
    return comparison


@COMPARED.field("filePath: String!")
def file_path(_ctx: ReadContext, degradation: Degradation) -> str | None:
    """The path of the file."""
    return degradation.path.removeprefix("./") if degradation.path is not None else None


@NUMBERS.field("total: Int")
@NUMBERS.field("errored: Int")
def total_of(_ctx: ReadContext, comparison: Comparison) -> int:
    """The number of findings of the merge request."""
    return len(comparison.head)


@NUMBERS.field("resolved: Int")
def resolved_count(_ctx: ReadContext, comparison: Comparison) -> int:
    """The number of findings that only the target branch has."""
    return len(comparison.list_resolved())
