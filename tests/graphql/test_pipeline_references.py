"""What pipelines run for, what their jobs leave, and what is to be done about them.

Source: spec/presenters/ci/pipeline_presenter_spec.rb, spec/graphql/resolvers/ci/jobs_resolver_spec.rb,
ee/spec/graphql/types/ci/detailed_status_type_spec.rb and ee/spec/finders/ee/ci/jobs_finder_spec.rb of the platform.
"""

from typing import Any

import pytest

from fakeplat.ci_config.jobs import ArtifactsSpec, PlannedJob, TriggerSpec
from fakeplat.harness.fake import Fakeplat
from tests.api.deployment_jobs import build_deploy_job, run_pipeline
from tests.api.pipelines import create_pipelines, newest
from tests.graphql.queries import list_messages, query_data, query_project, query_refused

pytestmark = pytest.mark.fakeplat(version="latest", scenario="starter", tier="ultimate")
PATH = "/acme/site/-"


def show_pipeline(fake: Fakeplat, selection: str, by: str = "mia") -> Any:
    """Query fields of the newest pipeline."""
    return query_project(fake, by, f'pipeline(iid: "{newest(fake).iid}") {{ {selection} }}')["pipeline"]


def describe_ref(fake: Fakeplat, by: str = "mia") -> str:
    return str(show_pipeline(fake, "refText", by)["refText"])


def link_ref(name: str) -> str:
    return f'<a class="ref-container gl-link" href="{PATH}/commits/{name}">{name}</a>'


# What pipelines run for


def test_a_pipeline_of_a_branch_links_to_its_commits(fakeplat: Fakeplat) -> None:
    """The text has a link to the commits of a branch, or the escaped name of one that does not exist any more."""
    create_pipelines(fakeplat, {"ref": "main"})
    assert f"In {link_ref('main')}" == describe_ref(fakeplat)
    create_pipelines(fakeplat, {"ref": "a<b", "sha": "1" * 40})
    assert 'In <span class="ref-name">a&lt;b</span>' == describe_ref(fakeplat)


def test_a_pipeline_of_a_commit_names_the_merge_requests(fakeplat: Fakeplat) -> None:
    """The merge requests that have the commit are linked, the newest first, for those who may read them."""
    title, link = "Search by name", '<a class="mr-iid" href="{}/merge_requests/{}">!{} {}</a>'
    create_pipelines(fakeplat, {"ref": "feature"})
    first = link.format(PATH, 1, 1, title)
    assert f"1 related merge request: {first}" == describe_ref(fakeplat)

    another = {"title": "Two <b>", "source_branch": "feature", "target_branch": "readme", "author": "dev"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "merge_requests": [another]}]})
    second = link.format(PATH, 3, 3, "Two &lt;b&gt;")
    assert f"2 related merge requests: {second}, {first}" == describe_ref(fakeplat)
    fakeplat.as_user("root").put("projects/acme%2Fsite", json={"merge_requests_access_level": "disabled"})
    assert f"In {link_ref('feature')}" == describe_ref(fakeplat)


def test_a_pipeline_of_a_merge_request_links_to_it(fakeplat: Fakeplat) -> None:
    """The text has links to the merge request and to its source branch."""
    create_pipelines(fakeplat, {"ref": "feature", "source": "merge_request_event", "merge_request": "acme/site!1"})
    link = f'<a class="mr-iid ref-container" href="{PATH}/merge_requests/1">!1</a>'
    assert f"Related merge request {link} to merge {link_ref('feature')}" == describe_ref(fakeplat)


# What jobs leave, and why they fail


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ("[SAST]", ["scan"]),
        ("[SAST, DAST]", ["attack", "scan"]),
        ("[SECRET_DETECTION]", []),
        ("[]", ["build", "attack", "scan"]),
    ],
)
def test_jobs_are_found_by_the_scans_that_they_are_configured_for(
    fakeplat: Fakeplat, types: str, expected: list[str]
) -> None:
    """The jobs of a pipeline are those whose configuration has a report of one of the types."""
    scan = PlannedJob(name="scan", artifacts=ArtifactsSpec(reports={"sast": ("a.json",), "junit": ("b.xml",)}))
    attack = PlannedJob(name="attack", artifacts=ArtifactsSpec(reports={"dast": ("a.json",)}))
    run_pipeline(fakeplat, scan, attack, PlannedJob(name="build"))
    nodes = show_pipeline(fakeplat, f"jobs(securityReportTypes: {types}) {{ nodes {{ name }} }}")["jobs"]["nodes"]

    assert expected == [node["name"] for node in nodes]


RUNNERS = [
    {"description": "big", "runner_type": "instance_type", "token": "big-token"},
    {"description": "own", "runner_type": "group_type", "group": "acme", "token": "own-token"},
]
ENDS = ["2020-11-20T08:00:00Z", "2020-11-20T08:30:00Z", "2020-11-20T08:10:00Z", "2020-11-20T08:20:00Z"]
FAILED = [
    {"status": "failed", "failure_reason": reason, "runner": {"token": token}, "name": name, "finished_at": end}
    for end, (name, reason, token) in zip(
        ENDS,
        [
            ("early", "runner_system_failure", "big-token"),
            ("late", "runner_system_failure", "big-token"),
            ("script", "script_failure", "big-token"),
            ("group", "runner_system_failure", "own-token"),
        ],
        strict=True,
    )
]
BY_REASON = "(failureReason: {}, runnerTypes: {}) {{ nodes {{ name failureMessage }} }}"


def load_failures(fake: Fakeplat) -> None:
    fake.load({"runners": RUNNERS})
    create_pipelines(fake, {"jobs": FAILED})


def list_failed(fake: Fakeplat, by: str = "root") -> list[str]:
    query = f"{{ jobs{BY_REASON.format('RUNNER_SYSTEM_FAILURE', '[INSTANCE_TYPE]')} }}"
    return [node["name"] for node in query_data(fake, by, query)["jobs"]["nodes"]]


def test_jobs_that_runners_of_the_instance_failed(fakeplat: Fakeplat) -> None:
    """Administrators list the jobs that failed because of runners of the instance, the last end first."""
    load_failures(fakeplat)

    assert ["late", "early"] == list_failed(fakeplat)
    assert [] == list_failed(fakeplat, "mia")


@pytest.mark.fakeplat(tier="premium")
def test_reasons_of_failures_are_kept_in_the_highest_tier(fakeplat: Fakeplat) -> None:
    """Below Ultimate no job is found by its reason."""
    load_failures(fakeplat)
    assert [] == list_failed(fakeplat)


@pytest.mark.parametrize(
    ("reason", "types", "message"),
    [
        ("SCRIPT_FAILURE", "[INSTANCE_TYPE]", "failure_reason only supports runner_system_failure"),
        (
            "RUNNER_SYSTEM_FAILURE",
            "[GROUP_TYPE]",
            "failure_reason can only be used together with runner_type: instance_type",
        ),
        (
            "RUNNER_SYSTEM_FAILURE",
            "null",
            "failure_reason can only be used together with runner_type: instance_type",
        ),
    ],
)
def test_other_reasons_and_runners_are_refused(fakeplat: Fakeplat, reason: str, types: str, message: str) -> None:
    """Only one reason is supported, together with runners of the instance."""
    query = f"{{ jobs{BY_REASON.format(reason, types)} }}"
    assert [message] == list_messages(query_refused(fakeplat, "root", query))


# What is to be done

STATUS = "detailedStatus { name tooltip deploymentDetailsPath action { id icon title buttonTitle path method } }"


def show_status(fake: Fakeplat, by: str = "mia") -> dict[str, Any]:
    (node,) = show_pipeline(fake, f"jobs {{ nodes {{ {STATUS} }} }}", by)["jobs"]["nodes"]
    return dict(node["detailedStatus"])


def test_an_action_names_the_job_and_its_status(fakeplat: Fakeplat) -> None:
    """The id of an action has the class of the job, and the id of its status."""
    run_pipeline(fakeplat, PlannedJob(name="build", when="manual"))
    job = fakeplat.bench.platform.view.jobs.all()[-1]
    status = show_status(fakeplat)

    assert f"Ci::Build-manual-{job.id}" == status["action"]["id"]
    assert status["deploymentDetailsPath"] is None


@pytest.mark.parametrize("kind", ["Build", "Bridge"])
def test_a_job_that_waits_for_approvals_leads_to_its_deployment(fakeplat: Fakeplat, kind: str) -> None:
    """The action of a job whose deployment is blocked leads to it; bridges have the path in a field of its own."""
    rules = {"deploy_access_levels": [{"access_level": 30}], "approval_rules": [{"access_level": 40}]}
    fakeplat.as_user("root").post("projects/acme%2Fsite/protected_environments", json={"name": "production", **rules})
    trigger = TriggerSpec(project="acme/docs") if kind == "Bridge" else None
    run_pipeline(fakeplat, build_deploy_job(trigger=trigger))
    view = fakeplat.bench.platform.view
    job, deployment = view.jobs.all()[-1], view.deployments.all()[-1]
    path = f"{PATH}/environments/{deployment.environment_id}/deployments/{deployment.iid}"
    status = show_status(fakeplat)

    assert "blocked" == deployment.status
    assert {
        "id": f"Ci::{kind}-manual-{job.id}",
        "icon": None,
        "title": None,
        "buttonTitle": "View deployment details page",
        "path": path,
        "method": "get",
    } == status["action"]
    assert {"Build": None, "Bridge": path}[kind] == status["deploymentDetailsPath"]
    assert {"Build": "manual action", "Bridge": "View deployment details page"}[kind] == status["tooltip"]


def test_pipelines_may_be_asked_for_as_an_interface(fakeplat: Fakeplat) -> None:
    """A pipeline is one of the pipelines of which callers with fewer rights may see less."""
    create_pipelines(fakeplat, {"ref": "main"})
    shown = show_pipeline(fakeplat, "... on PipelineInterface { iid path project { path } }")

    assert {"iid": "1", "path": f"{PATH}/pipelines/{newest(fakeplat).id}", "project": {"path": "site"}} == shown


@pytest.mark.parametrize(("status", "expected"), [("WAITING_FOR_CALLBACK", []), ("SUCCESS", [{"ref": "main"}])])
def test_no_pipeline_waits_for_a_callback(fakeplat: Fakeplat, status: str, expected: list[dict[str, str]]) -> None:
    """Clients may ask for pipelines that wait for a callback, which none does here."""
    create_pipelines(fakeplat, {"ref": "main", "status": "success"})
    selection = f"pipelines(status: {status}) {{ nodes {{ ref }} }}"
    assert expected == query_project(fakeplat, "mia", selection)["pipelines"]["nodes"]


@pytest.mark.fakeplat(version="15.3", releases="<16.9")
def test_earlier_pipelines_have_no_text(fakeplat: Fakeplat) -> None:
    """In early releases a pipeline does not tell what it runs for."""
    create_pipelines(fakeplat, {"ref": "main"})
    query = '{ project(fullPath: "acme/site") { pipeline(iid: "1") { refText } } }'
    assert ["Field 'refText' doesn't exist on type 'Pipeline'"] == list_messages(query_refused(fakeplat, "mia", query))
