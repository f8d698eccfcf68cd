"""What tools found in code.

Source: ee/spec/requests/api/graphql/project/pipeline/code_quality_reports_spec.rb, code_quality_report_summary_spec.rb,
spec/requests/api/graphql/merge_requests/codequality_reports_comparer_spec.rb and spec/lib/gitlab/ci/reports of the
platform.
"""

import json
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.pipelines import create_pipelines, newest
from tests.graphql.queries import NOT_AVAILABLE, list_messages, post_query, query_data, query_project

pytestmark = pytest.mark.fakeplat(version="latest", scenario="starter")
FIELDS = "description fingerprint severity path line webUrl engineName"
REPORTS = f"codeQualityReports {{ count nodes {{ {FIELDS} }} }}"
SUMMARY = "codeQualityReportSummary { count blocker critical major minor info unknown }"
Finding = dict[str, Any]


def build_finding(fingerprint: str, severity: str = "major", **fields: Any) -> Finding:
    return {
        "description": f"Found {fingerprint}",
        "fingerprint": fingerprint,
        "severity": severity,
        "location": {"path": "./app/server.py", "lines": {"begin": 4}},
        "engine_name": "rubocop",
        **fields,
    }


def build_job(*findings: Any, name: str = "quality", content: str | None = None) -> dict[str, Any]:
    text = json.dumps(findings) if content is None else content
    files = {"gl-code-quality-report.json": text}
    return {"name": name, "status": "success", "artifact_files": [{"file_type": "codequality", "files": files}]}


def show_pipeline(fake: Fakeplat, selection: str, by: str = "rep") -> Any:
    return query_project(fake, by, f'pipeline(iid: "{newest(fake).iid}") {{ {selection} }}')["pipeline"]


def list_fingerprints(fake: Fakeplat) -> list[str] | None:
    reports = show_pipeline(fake, REPORTS)["codeQualityReports"]
    return None if reports is None else [node["fingerprint"] for node in reports["nodes"]]


def test_a_pipeline_shows_what_its_jobs_found(fakeplat: Fakeplat) -> None:
    """A finding has its place with an address in the commit, and the name of the tool."""
    create_pipelines(fakeplat, {"jobs": [build_job(build_finding("a"))]})
    url = f"{fakeplat.url}/acme/site/-/blob/{newest(fakeplat).sha}/./app/server.py#L4"

    assert {
        "count": 1,
        "nodes": [
            {
                "description": "Found a",
                "fingerprint": "a",
                "severity": "MAJOR",
                "path": "./app/server.py",
                "line": 4,
                "webUrl": url,
                "engineName": "rubocop",
            }
        ],
    } == show_pipeline(fakeplat, REPORTS)["codeQualityReports"]


def test_the_worst_findings_come_first(fakeplat: Fakeplat) -> None:
    """Findings of all jobs are sorted by severity; an unknown severity is the least, and words may be in capitals."""
    first = build_job(build_finding("a", "minor"), build_finding("b", "odd"), name="one")
    second = build_job(
        build_finding("c", "BLOCKER"), build_finding("d", "info"), build_finding("e", "minor"), name="two"
    )
    create_pipelines(fakeplat, {"jobs": [first, second]})

    assert ["c", "a", "e", "d", "b"] == list_fingerprints(fakeplat)
    assert {
        "count": 5,
        "blocker": 1,
        "critical": 0,
        "major": 0,
        "minor": 2,
        "info": 1,
        "unknown": 1,
    } == show_pipeline(fakeplat, SUMMARY)["codeQualityReportSummary"]


def test_a_fingerprint_counts_once(fakeplat: Fakeplat) -> None:
    """Of several findings with a fingerprint the last one counts; a place may be given by positions."""
    place = {"path": "a.py", "positions": {"begin": {"line": 9, "column": 1}}}
    again = build_finding("a", description="Again", location=place)
    create_pipelines(fakeplat, {"jobs": [build_job(build_finding("a"), again)]})
    (node,) = show_pipeline(fakeplat, REPORTS)["codeQualityReports"]["nodes"]

    assert ("Again", "a.py", 9) == (node["description"], node["path"], node["line"])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (json.dumps([build_finding("a"), {"description": "b"}, build_finding("c")]), ["a"]),
        (json.dumps([build_finding("a"), build_finding("b", location="here")]), ["a"]),
        ("[", None),
        ("{}", None),
        ("[]", None),
    ],
    ids=["missing", "place", "broken", "mapping", "empty"],
)
def test_what_follows_a_mistake_does_not_count(fakeplat: Fakeplat, content: str, expected: list[str] | None) -> None:
    """A report is read up to its first invalid finding; without findings the fields are null."""
    create_pipelines(fakeplat, {"jobs": [build_job(content=content)]})
    assert expected == list_fingerprints(fakeplat)


def test_the_findings_of_children_count(fakeplat: Fakeplat) -> None:
    """The reports of child pipelines belong to the pipeline that started them."""
    bridge = {"name": "child", "kind": "bridge", "status": "success"}
    create_pipelines(fakeplat, {"iid": 70, "jobs": [build_job(build_finding("a")), bridge]})
    child = {"iid": 71, "source": "parent_pipeline", "jobs": [build_job(build_finding("b", "blocker"))]}
    create_pipelines(fakeplat, child)
    with fakeplat.bench.platform.acting() as ctx:
        (job,) = [each for each in ctx.world.jobs.all() if each.name == "child"]
        ctx.world.jobs.change(job, downstream_pipeline_id=newest(fakeplat).id)
    shown = query_project(fakeplat, "rep", f'pipeline(iid: "70") {{ {REPORTS} }}')["pipeline"]["codeQualityReports"]

    assert ["b", "a"] == [node["fingerprint"] for node in shown["nodes"]]


def test_without_reports_nothing_is_shown(fakeplat: Fakeplat) -> None:
    """A pipeline without reports has neither findings nor numbers."""
    create_pipelines(fakeplat, {"jobs": [{"name": "a", "status": "success"}]})
    assert {"codeQualityReports": None, "codeQualityReportSummary": None} == show_pipeline(
        fakeplat, f"{REPORTS} {SUMMARY}"
    )


# Merge requests

COMPARED = "fingerprint severity filePath line webUrl engineName"
COMPARER = f"""codequalityReportsComparer {{ status report {{ status summary {{ total resolved errored }}
    newErrors {{ {COMPARED} }} resolvedErrors {{ fingerprint }} existingErrors {{ fingerprint }} }} }}"""
QUERY = f'{{ project(fullPath: "acme/site") {{ mergeRequest(iid: "1") {{ {COMPARER} }} }} }}'


def compare(fake: Fakeplat, by: str = "rep") -> Any:
    return query_data(fake, by, QUERY)["project"]["mergeRequest"]["codequalityReportsComparer"]


def find_base_sha(fake: Fakeplat) -> str:
    path = "projects/acme%2Fsite/repository/merge_base?refs[]=main&refs[]=feature"
    return str(fake.as_user("mia").get(path).json()["id"])


def create_base(fake: Fakeplat, *findings: Finding, status: str = "success") -> None:
    """Create a pipeline of the target branch for the commit from which the source branch started."""
    jobs = [{**build_job(*findings), "status": status}]
    create_pipelines(fake, {"ref": "main", "sha": find_base_sha(fake), "jobs": jobs})


def create_head(fake: Fakeplat, *findings: Finding) -> None:
    create_pipelines(fake, {"ref": "feature", "jobs": [build_job(*findings)]})


def test_a_merge_request_is_compared_with_its_target(fakeplat: Fakeplat) -> None:
    """New findings are those that the target branch lacks, the worst first, and resolved ones the others."""
    create_base(fakeplat, build_finding("a"), build_finding("gone"))
    create_head(fakeplat, build_finding("a"), build_finding("b", "minor"), build_finding("c", "critical"))
    sha = newest(fakeplat).sha
    shown = compare(fakeplat)
    new = shown["report"].pop("newErrors")

    assert {
        "status": "PARSED",
        "report": {
            "status": "FAILED",
            "summary": {"total": 3, "resolved": 1, "errored": 3},
            "resolvedErrors": [{"fingerprint": "gone"}],
            # Addresses name the commit, so that no two findings of different commits are equal.
            "existingErrors": [],
        },
    } == shown
    assert ["c", "b"] == [each["fingerprint"] for each in new]
    assert {
        "fingerprint": "c",
        "severity": "CRITICAL",
        "filePath": "app/server.py",
        "line": 4,
        "webUrl": f"{fakeplat.url}/acme/site/-/blob/{sha}/./app/server.py#L4",
        "engineName": "rubocop",
    } == new[0]


def test_without_findings_a_merge_request_succeeds(fakeplat: Fakeplat) -> None:
    """A merge request without findings resolves all those of its target."""
    create_base(fakeplat, build_finding("a"))
    create_head(fakeplat)
    report = compare(fakeplat)["report"]

    assert ("SUCCESS", {"total": 0, "resolved": 1, "errored": 0}) == (report["status"], report["summary"])


def test_without_a_pipeline_of_the_target_nothing_is_compared(fakeplat: Fakeplat) -> None:
    """Findings are counted, but none of them is new."""
    create_head(fakeplat, build_finding("a"))

    assert {
        "status": "PARSED",
        "report": {
            "status": "NOT_FOUND",
            "summary": {"total": 1, "resolved": 0, "errored": 1},
            "newErrors": [],
            "resolvedErrors": [],
            "existingErrors": [],
        },
    } == compare(fakeplat)


def test_a_running_pipeline_of_the_target_is_waited_for(fakeplat: Fakeplat) -> None:
    """While the pipeline of the target is running, nothing is compared."""
    create_base(fakeplat, status="running")
    create_head(fakeplat, build_finding("a"))
    assert {"status": "PARSING", "report": None} == compare(fakeplat)


@pytest.mark.parametrize(
    "job", [{"name": "a", "status": "success"}, {**build_job(build_finding("a")), "status": "running"}]
)
def test_without_reports_there_is_an_error(fakeplat: Fakeplat, job: dict[str, Any]) -> None:
    """A merge request whose pipeline has no reports, or is not finished, cannot be compared."""
    create_pipelines(fakeplat, {"ref": "feature", "jobs": [job]})
    assert {"status": "ERROR", "report": None} == compare(fakeplat)


def test_comparisons_need_a_pipeline_that_the_caller_may_read(fakeplat: Fakeplat) -> None:
    """Without a pipeline, and for those who may not read jobs, the field is hidden."""
    assert [NOT_AVAILABLE] == list_messages(post_query(fakeplat, "mia", QUERY))
    create_head(fakeplat, build_finding("a"))
    fakeplat.as_user("root").put("projects/acme%2Fsite", json={"visibility": "public", "public_builds": False})

    assert [NOT_AVAILABLE] == list_messages(post_query(fakeplat, "eve", QUERY))
    assert "PARSED" == compare(fakeplat, "dev")["status"]


@pytest.mark.fakeplat(version="14.0", releases="<15.8")
def test_the_first_findings_have_no_addresses(fakeplat: Fakeplat) -> None:
    """In the first releases a finding has its file and line only."""
    create_pipelines(fakeplat, {"jobs": [build_job(build_finding("a"))]})
    shown = show_pipeline(fakeplat, "codeQualityReports { nodes { fingerprint path line } }")
    assert [{"fingerprint": "a", "path": "./app/server.py", "line": 4}] == shown["codeQualityReports"]["nodes"]
    query = f'{{ project(fullPath: "acme/site") {{ pipeline(iid: "1") {{ {REPORTS} }} }} }}'
    assert "Field 'webUrl' doesn't exist on type 'CodeQualityDegradation'" in list_messages(
        post_query(fakeplat, "rep", query)
    )
