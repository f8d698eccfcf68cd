"""CI/CD settings, artifacts and caches by GraphQL. Source: docs/platform/graphql.md ('CI/CD settings')."""

from typing import Any

import pytest

from fakeplat.domain.ci import job_artifacts
from fakeplat.entities.ci.job_requests import JobRequest
from fakeplat.harness.fake import Fakeplat
from tests.api.deployment_jobs import build_deploy_job, jobs_of, run_pipeline
from tests.graphql.queries import NOT_AVAILABLE, post_query

pytestmark = pytest.mark.fakeplat(scenario="starter", version="latest", clock="virtual")
SITE = "acme/site"


def mutate(fake: Fakeplat, user: str, name: str, arguments: str, fields: str = "errors") -> Any:
    """Run a mutation; return its payload, or the message of its error."""
    reply = post_query(fake, user, f"mutation {{ {name}(input: {{ {arguments} }}) {{ {fields} }} }}")
    return reply["errors"][0]["message"] if "errors" in reply else reply["data"][name]


def read_settings(fake: Fakeplat, user: str, fields: str) -> Any:
    query = f'{{ project(fullPath: "{SITE}") {{ ciCdSettings {{ {fields} }} }} }}'
    return post_query(fake, user, query)["data"]["project"]["ciCdSettings"]


FIELDS = (
    "keepLatestArtifact jobTokenScopeEnabled inboundJobTokenScopeEnabled pushRepositoryForJobTokenAllowed "
    "pipelineVariablesMinimumOverrideRole groupRunnersEnabled displayPipelineVariables mergePipelinesEnabled "
    "mergeTrainsEnabled mergeTrainsSkipTrainAllowed"
)
DEFAULTS = {
    "keepLatestArtifact": True,
    "jobTokenScopeEnabled": False,
    "inboundJobTokenScopeEnabled": True,
    "pushRepositoryForJobTokenAllowed": False,
    "pipelineVariablesMinimumOverrideRole": "developer",
    "groupRunnersEnabled": True,
    "displayPipelineVariables": False,
    "mergePipelinesEnabled": False,
    "mergeTrainsEnabled": False,
    "mergeTrainsSkipTrainAllowed": False,
}


def change(fake: Fakeplat, user: str, changes: str, path: str = SITE) -> Any:
    fields = f"errors ciCdSettings {{ {FIELDS} }}"
    return mutate(fake, user, "projectCiCdSettingsUpdate", f'fullPath: "{path}", {changes}', fields)


def test_maintainers_read_and_change_the_settings(fakeplat: Fakeplat) -> None:
    """The settings are for Maintainers, and shared with REST; what is not sent stays."""
    assert DEFAULTS == read_settings(fakeplat, "mia", FIELDS)
    assert read_settings(fakeplat, "dev", FIELDS) is None
    changes = (
        "keepLatestArtifact: false, inboundJobTokenScopeEnabled: false, jobTokenScopeEnabled: false, "
        "pushRepositoryForJobTokenAllowed: true, groupRunnersEnabled: false, displayPipelineVariables: true, "
        'pipelineVariablesMinimumOverrideRole: "maintainer"'
    )
    expected = {
        **DEFAULTS,
        "keepLatestArtifact": False,
        "inboundJobTokenScopeEnabled": False,
        "pushRepositoryForJobTokenAllowed": True,
        "groupRunnersEnabled": False,
        "displayPipelineVariables": True,
        "pipelineVariablesMinimumOverrideRole": "maintainer",
    }
    assert {"errors": [], "ciCdSettings": expected} == change(fakeplat, "mia", changes)
    project = fakeplat.as_user("mia").get("projects/acme%2Fsite").json()
    assert (False, "maintainer") == (
        project["keep_latest_artifact"],
        project["ci_pipeline_variables_minimum_override_role"],
    )
    assert {"errors": [], "ciCdSettings": expected} == change(fakeplat, "mia", "groupRunnersEnabled: null")


def test_refused_settings(fakeplat: Fakeplat) -> None:
    """The outbound limit cannot be switched on; a role has to exist; others change nothing."""
    before = fakeplat.bench.platform.state
    text = "job_token_scope_enabled can only be set to false"
    assert text == change(fakeplat, "mia", "jobTokenScopeEnabled: true")
    payload = change(fakeplat, "mia", 'pipelineVariablesMinimumOverrideRole: "guest"')
    assert ["'guest' is not a valid pipeline_variables_minimum_override_role"] == payload["errors"]
    assert DEFAULTS == payload["ciCdSettings"]
    for user, path in (("dev", SITE), ("mia", ""), ("mia", "no/such")):
        assert NOT_AVAILABLE == change(fakeplat, user, "keepLatestArtifact: false", path)
    assert before is fakeplat.bench.platform.state


@pytest.mark.fakeplat(version="14.10")
def test_earlier_releases_limit_outbound_access(fakeplat: Fakeplat) -> None:
    """Before 15.9 the limit is outbound; the first name of the mutation ended before 16.2."""
    arguments = f'fullPath: "{SITE}", jobTokenScopeEnabled: false'
    fields = "errors ciCdSettings { jobTokenScopeEnabled project { fullPath } }"
    expected = {"jobTokenScopeEnabled": False, "project": {"fullPath": SITE}}
    payload = mutate(fakeplat, "mia", "ciCdSettingsUpdate", arguments, fields)
    assert {"errors": [], "ciCdSettings": expected} == payload


@pytest.mark.fakeplat(tier="premium")
def test_merge_trains_are_a_paid_feature(fakeplat: Fakeplat) -> None:
    """Paid tiers switch on pipelines of merge results and trains of them."""
    payload = change(fakeplat, "mia", "mergePipelinesEnabled: true, mergeTrainsEnabled: true")
    settings = payload["ciCdSettings"]
    assert (True, True) == (settings["mergePipelinesEnabled"], settings["mergeTrainsEnabled"])


def test_free_tiers_ignore_merge_trains(fakeplat: Fakeplat) -> None:
    """Free tiers ignore what belongs to a paid feature, as REST does."""
    assert {"errors": [], "ciCdSettings": DEFAULTS} == change(fakeplat, "mia", "mergePipelinesEnabled: true")


def test_top_level_groups_decide_for_new_projects(fakeplat: Fakeplat) -> None:
    """The default role of a top-level group is that of its new projects, and what its subgroups show."""
    fakeplat.load({"groups": [{"path": "acme", "groups": [{"path": "team"}]}]})
    fields = "errors ciCdSettings { pipelineVariablesDefaultRole }"
    arguments = 'fullPath: "acme", pipelineVariablesDefaultRole: MAINTAINER'
    payload = mutate(fakeplat, "ada", "namespaceSettingsUpdate", arguments, fields)
    assert {"errors": [], "ciCdSettings": {"pipelineVariablesDefaultRole": "maintainer"}} == payload
    query = '{ group(fullPath: "acme/team") { ciCdSettings { pipelineVariablesDefaultRole } } }'
    expected = {"group": {"ciCdSettings": {"pipelineVariablesDefaultRole": "maintainer"}}}
    assert expected == post_query(fakeplat, "ada", query)["data"]
    query = query.replace("group(fullPath", "namespace(fullPath")
    assert {"namespace": expected["group"]} == post_query(fakeplat, "ada", query)["data"]
    assert {"namespace": {"ciCdSettings": None}} == post_query(fakeplat, "dev", query)["data"]
    namespace = fakeplat.world.group("acme").id
    project = fakeplat.as_user("ada").post("projects", json={"name": "fresh", "namespace_id": namespace}).json()
    assert "maintainer" == project["ci_pipeline_variables_minimum_override_role"]
    assert {"errors": []} == mutate(fakeplat, "ada", "namespaceSettingsUpdate", 'fullPath: "acme"')
    assert NOT_AVAILABLE == mutate(fakeplat, "dev", "namespaceSettingsUpdate", arguments)
    assert NOT_AVAILABLE == mutate(fakeplat, "ada", "namespaceSettingsUpdate", 'fullPath: ""')


def test_owners_let_stale_runners_be_pruned(fakeplat: Fakeplat) -> None:
    """Owners of a group change the settings for its runners."""
    arguments = 'fullPath: "acme", allowStaleRunnerPruning: true'
    fields = "errors ciCdSettings { allowStaleRunnerPruning namespace { fullPath } }"
    expected = {"allowStaleRunnerPruning": True, "namespace": {"fullPath": "acme"}}
    payload = mutate(fakeplat, "ada", "namespaceCiCdSettingsUpdate", arguments, fields)
    assert {"errors": [], "ciCdSettings": expected} == payload
    query = '{ group(fullPath: "acme") { allowStaleRunnerPruning } }'
    assert {"group": {"allowStaleRunnerPruning": True}} == post_query(fakeplat, "ada", query)["data"]
    assert NOT_AVAILABLE == mutate(fakeplat, "mia", "namespaceCiCdSettingsUpdate", arguments)


# Artifacts and caches


def leave_artifacts(fake: Fakeplat) -> tuple[int, int]:
    """Let a job leave an archive and a report; return the ids of both."""
    job = jobs_of(fake, run_pipeline(fake, build_deploy_job()))["deploy"]
    with fake.bench.platform.acting() as ctx:
        archive = job_artifacts.create_archive(ctx, ctx.world.jobs[job.id], {"a.txt": "a"})
        report = job_artifacts.add_report(ctx, ctx.world.jobs[job.id], "dotenv", {"b.env": "A=1"})
        return archive.id, report.id


def name_artifact(id_: int) -> str:
    return f'"gid://gitlab/Ci::JobArtifact/{id_}"'


def destroy(fake: Fakeplat, user: str, *ids: int, project: int | None = None) -> Any:
    named = ", ".join(map(name_artifact, ids))
    project_id = project or fake.world.project(SITE).id
    arguments = f'projectId: "gid://gitlab/Project/{project_id}", ids: [{named}]'
    return mutate(fake, user, "bulkDestroyJobArtifacts", arguments, "errors destroyedCount destroyedIds")


def test_artifacts_are_destroyed_together(fakeplat: Fakeplat) -> None:
    """Several artifacts of a project are deleted at once, all or none."""
    archive, report = leave_artifacts(fakeplat)
    before = fakeplat.bench.platform.state
    none = {"destroyedCount": None, "destroyedIds": None}
    assert {"errors": ["Artifacts (1,2) not found"], **none} == destroy(fakeplat, "mia", archive, 1, 2)
    text = "Can only delete up to 100 job artifacts per call"
    assert {"errors": [text], **none} == destroy(fakeplat, "mia", *range(1, 102))
    assert "IDs array of job artifacts can not be empty" == destroy(fakeplat, "mia")
    docs = fakeplat.world.project("acme/docs").id
    text = "Not all artifacts belong to requested project"
    assert {"errors": [text], **none} == destroy(fakeplat, "mia", archive, project=docs)
    assert NOT_AVAILABLE == destroy(fakeplat, "dev", archive)
    assert NOT_AVAILABLE == destroy(fakeplat, "mia", archive, project=1)
    assert before is fakeplat.bench.platform.state
    payload = destroy(fakeplat, "mia", archive, report)
    assert ([], 2) == (payload["errors"], payload["destroyedCount"])
    assert [str(archive), str(report)] == [text.rpartition("/")[2] for text in payload["destroyedIds"]]
    assert fakeplat.bench.platform.view.job_artifacts.get(archive) is None


def test_an_artifact_is_destroyed(fakeplat: Fakeplat) -> None:
    """A single artifact is deleted by those who may; the payload does not show it any more."""
    archive, report = leave_artifacts(fakeplat)
    arguments = f"id: {name_artifact(archive)}"
    assert NOT_AVAILABLE == mutate(fakeplat, "dev", "artifactDestroy", arguments)
    assert {"errors": [], "artifact": None} == mutate(
        fakeplat, "mia", "artifactDestroy", arguments, "errors artifact { id }"
    )
    assert NOT_AVAILABLE == mutate(fakeplat, "mia", "artifactDestroy", arguments)
    assert fakeplat.bench.platform.view.job_artifacts.get(report) is not None


def test_clearing_caches_changes_their_keys(fakeplat: Fakeplat) -> None:
    """Runners get a number with the keys of caches, which grows with each clearing."""
    job = jobs_of(fakeplat, run_pipeline(fakeplat, build_deploy_job(options={"cache": {"key": "gems"}})))["deploy"]

    def read_keys() -> list[str]:
        with fakeplat.bench.platform.acting() as ctx:
            return [cache["key"] for cache in JobRequest(ctx.world.jobs[job.id], ctx).cache() if cache is not None]

    assert ["gems-non_protected"] == read_keys()
    arguments = f'projectId: "gid://gitlab/Project/{fakeplat.world.project(SITE).id}"'
    assert NOT_AVAILABLE == mutate(fakeplat, "dev", "runnerCacheClear", arguments)
    assert {"errors": []} == mutate(fakeplat, "mia", "runnerCacheClear", arguments)
    assert ["gems-1-non_protected"] == read_keys()
    mutate(fakeplat, "mia", "runnerCacheClear", arguments)
    assert ["gems-2-non_protected"] == read_keys()


# Configurations

CONFIGURATION = """
stages: [build, test]
a 1/2: {stage: build, script: [make], tags: [fast]}
a 2/2: {stage: build, script: [make]}
b: {stage: test, script: [check], needs: [a 1/2], when: manual, environment: live}
"""
LINTED = """
errors
config {
  status errors warnings mergedYaml includes { location }
  stages { name groups { name size jobs {
    name groupName stage script tags when environment allowFailure only { refs } needs { name }
  } } }
}
"""


def lint(fake: Fakeplat, user: str, content: str, more: str = "") -> Any:
    arguments = f'projectPath: "{SITE}", content: $content {more}'
    query = f"mutation($content: String!) {{ ciLint(input: {{ {arguments} }}) {{ {LINTED} }} }}"
    reply = post_query(fake, user, query, content=content)
    return reply["errors"][0]["message"] if "errors" in reply else reply["data"]["ciLint"]


def test_a_configuration_is_linted(fakeplat: Fakeplat) -> None:
    """The mutation shows stages, groups and jobs as lists, not as pages."""
    before = fakeplat.bench.platform.state
    payload = lint(fakeplat, "dev", CONFIGURATION)
    assert [] == payload["errors"]
    config = payload["config"]
    assert ("VALID", [], []) == (config["status"], config["errors"], config["includes"])
    first, second = config["stages"]
    assert ("build", ["a"], [2]) == (
        first["name"],
        [group["name"] for group in first["groups"]],
        [group["size"] for group in first["groups"]],
    )
    (job,) = second["groups"][0]["jobs"]
    assert ("b", "manual", "live", [{"name": "a 1/2"}]) == (job["name"], job["when"], job["environment"], job["needs"])
    assert before is fakeplat.bench.platform.state


def test_an_invalid_configuration_has_errors(fakeplat: Fakeplat) -> None:
    """What is wrong is part of the result, not an error of the payload; those who start no pipelines lint nothing."""
    config = lint(fakeplat, "dev", "a: {stage: nowhere, script: x}")["config"]
    assert ("INVALID", []) == (config["status"], config["stages"])
    assert config["errors"]
    assert lint(fakeplat, "dev", CONFIGURATION, ', dryRun: true, ref: "no-such"')["config"]["errors"]
    assert NOT_AVAILABLE == lint(fakeplat, "gus", CONFIGURATION)
