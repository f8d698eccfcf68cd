"""Variables that the platform defines for pipelines and jobs. Source: docs/platform/predefined-variables.md."""

from typing import Any

import pytest

from fakeplat.ci_config.jobs import EnvironmentSpec, PlannedJob, TriggerSpec
from fakeplat.domain.ci import job_variables, predefined_variables
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Pipeline
from tests.api.ci_jobs import create_pipeline, find_project, jobs_of
from tests.api.marks import STARTER_AT_NINE
from tests.api.merge_requests import OPEN, SITE, commit

pytestmark = STARTER_AT_NINE

ORIGIN = "https://git.example.com:8443"
PROJECT_URL = f"{ORIGIN}/acme/site"


def variables_of(fake: Fakeplat, pipeline: Pipeline) -> dict[str, str]:
    return predefined_variables.of_pipeline(fake.bench.platform.view, pipeline, ORIGIN)


def variables_of_job(fake: Fakeplat, planned: PlannedJob, **fields: Any) -> dict[str, str]:
    (job,) = jobs_of(fake, create_pipeline(fake, planned, **fields))
    return predefined_variables.of_job(fake.bench.platform.view, job, ORIGIN)


def test_the_server_is_described_by_the_url_that_the_client_used(fakeplat: Fakeplat) -> None:
    """The parts of the URL and of the version are variables of their own."""
    variables = variables_of(fakeplat, create_pipeline(fakeplat))
    expected = {
        "CI": "true",
        "GITLAB_CI": "true",
        "CI_SERVER_URL": ORIGIN,
        "CI_SERVER_HOST": "git.example.com",
        "CI_SERVER_PORT": "8443",
        "CI_SERVER_PROTOCOL": "https",
        "CI_SERVER_VERSION": "13.5.1",
        "CI_SERVER_VERSION_MAJOR": "13",
        "CI_SERVER_VERSION_MINOR": "5",
        "CI_SERVER_VERSION_PATCH": "1",
        "CI_API_V4_URL": f"{ORIGIN}/api/v4",
    }

    assert expected == {name: variables[name] for name in expected}
    assert fakeplat.as_user("dev").get("version").json()["revision"] == variables["CI_SERVER_REVISION"]


@pytest.mark.fakeplat(version="latest", default_branch="master")
def test_the_merge_base_with_the_default_branch(fakeplat: Fakeplat) -> None:
    """Pipelines of other branches name the commit at which the branch left the default branch."""
    base = fakeplat.as_user("dev").get(f"{SITE}/repository/merge_base?refs[]=master&refs[]=feature").json()["id"]
    name = "CI_COMMIT_DEFAULT_BRANCH_BASE_SHA"
    sha = fakeplat.as_user("dev").get(f"{SITE}/repository/branches/feature").json()["commit"]["id"]

    assert base == variables_of(fakeplat, create_pipeline(fakeplat, ref="feature", sha=sha))[name]
    assert name not in variables_of(fakeplat, create_pipeline(fakeplat))


@pytest.mark.fakeplat(version="latest")
def test_the_jobs_of_a_family_of_pipelines_are_one_trace(fakeplat: Fakeplat) -> None:
    """The trace of a job is named after the root pipeline; its span is its own."""
    parent = create_pipeline(fakeplat, PlannedJob(name="bridge", trigger=TriggerSpec()))
    (bridge,) = jobs_of(fakeplat, parent)
    source = {"source": "parent_pipeline", "source_job_id": bridge.id}
    child = variables_of_job(fakeplat, PlannedJob(name="build"), **source)
    own = predefined_variables.of_job(fakeplat.bench.platform.view, bridge, ORIGIN)

    version, trace, span, flags = child["CI_TRACEPARENT"].split("-")
    assert ("00", f"{parent.id:032x}", 16, "01") == (version, trace, len(span), flags)
    assert trace == own["CI_TRACEPARENT"].split("-")[1]
    assert span != own["CI_TRACEPARENT"].split("-")[2]
    assert f"gitlab=pipeline:{child['CI_PIPELINE_ID']};job:{child['CI_JOB_ID']}" == child["CI_TRACESTATE"]


def test_a_server_at_the_usual_port_has_that_port(fakeplat: Fakeplat) -> None:
    """A URL without a port means the port of its protocol."""
    pipeline = create_pipeline(fakeplat)
    view = fakeplat.bench.platform.view

    assert ["443", "80"] == [
        predefined_variables.of_pipeline(view, pipeline, f"{protocol}://git.example.com")["CI_SERVER_PORT"]
        for protocol in ("https", "http")
    ]


@pytest.mark.parametrize("level", ["disabled", "private", "enabled"])
def test_a_project_with_pages_has_variables_of_them(fakeplat: Fakeplat, level: str) -> None:
    """The host of all pages and the URL of the project's own are known unless the project has none."""
    fakeplat.as_user("ada").put(SITE, json={"pages_access_level": level})
    variables = variables_of(fakeplat, create_pipeline(fakeplat))
    pages_variables = {
        "CI_PAGES_DOMAIN": "pages.git.example.com",
        "CI_PAGES_URL": "http://acme.pages.git.example.com/site",
    }

    assert ({} if level == "disabled" else pages_variables) == {
        name: variables[name] for name in pages_variables if name in variables
    }


def test_a_project_with_a_deploy_token_of_the_special_name_has_variables_of_it(fakeplat: Fakeplat) -> None:
    """The name and the masked value of the active token ``gitlab-deploy-token`` are variables of all jobs."""
    (job,) = jobs_of(fakeplat, create_pipeline(fakeplat, PlannedJob(name="build")))

    def list_deploy_variables() -> list[tuple[str, str, bool, bool]]:
        with fakeplat.bench.platform.acting() as ctx:
            listed = job_variables.list_variables(ctx, job)
        return [(row.key, row.value, row.public, row.masked) for row in listed if row.key.startswith("CI_DEPLOY_")]

    ada, scopes = fakeplat.as_user("ada"), ["read_repository"]
    ada.post(f"{SITE}/deploy_tokens", json={"name": "other", "scopes": scopes})
    assert [] == list_deploy_variables()

    created = ada.post(f"{SITE}/deploy_tokens", json={"name": "gitlab-deploy-token", "scopes": scopes}).json()
    assert [
        ("CI_DEPLOY_USER", created["username"], True, False),
        ("CI_DEPLOY_PASSWORD", created["token"], False, True),
    ] == list_deploy_variables()

    ada.delete(f"{SITE}/deploy_tokens/{created['id']}")
    assert [] == list_deploy_variables()


def test_the_project_is_described(fakeplat: Fakeplat) -> None:
    """Predefined variables describe path, namespaces, title and visibility of the project."""
    pipeline = create_pipeline(fakeplat)
    project = find_project(fakeplat.bench.platform.view)
    variables = variables_of(fakeplat, pipeline)
    expected = {
        "CI_PROJECT_ID": str(project.id),
        "CI_PROJECT_NAME": "site",
        "CI_PROJECT_TITLE": "Site",
        "CI_PROJECT_PATH": "acme/site",
        "CI_PROJECT_PATH_SLUG": "acme-site",
        "CI_PROJECT_NAMESPACE": "acme",
        "CI_PROJECT_ROOT_NAMESPACE": "acme",
        "CI_PROJECT_URL": PROJECT_URL,
        "CI_PROJECT_VISIBILITY": "private",
        "CI_DEFAULT_BRANCH": "master",
        "CI_CONFIG_PATH": ".gitlab-ci.yml",
    }

    assert expected == {name: variables[name] for name in expected}


def test_the_root_namespace_is_the_top_level_group(fakeplat: Fakeplat) -> None:
    """The root namespace of a project in a subgroup is the top-level group."""
    variables = variables_of(fakeplat, create_pipeline(fakeplat, project="acme/tools/kit"))

    assert ("acme/tools", "acme") == (variables["CI_PROJECT_NAMESPACE"], variables["CI_PROJECT_ROOT_NAMESPACE"])


def test_the_commit_of_a_branch_is_described(fakeplat: Fakeplat) -> None:
    """Predefined variables describe the commit, also under older names."""
    message = "Say hello\n\nIn two\nparagraphs.\n"
    sha = commit(fakeplat, "Feature/Say_Hello", commit_message=message)
    variables = variables_of(fakeplat, create_pipeline(fakeplat, ref="Feature/Say_Hello", sha=sha, before_sha="1" * 40))
    expected = {
        "CI_COMMIT_SHA": sha,
        "CI_COMMIT_SHORT_SHA": sha[:8],
        "CI_COMMIT_BEFORE_SHA": "1" * 40,
        "CI_COMMIT_REF_NAME": "Feature/Say_Hello",
        "CI_COMMIT_REF_SLUG": "feature-say-hello",
        "CI_COMMIT_BRANCH": "Feature/Say_Hello",
        "CI_COMMIT_TITLE": "Say hello",
        "CI_COMMIT_DESCRIPTION": "\nIn two\nparagraphs.",
        "CI_COMMIT_REF_PROTECTED": "false",
        "CI_COMMIT_TIMESTAMP": "2020-11-20T09:00:00+00:00",
        "CI_BUILD_REF": sha,
        "CI_BUILD_BEFORE_SHA": "1" * 40,
        "CI_BUILD_REF_NAME": "Feature/Say_Hello",
        "CI_BUILD_REF_SLUG": "feature-say-hello",
    }

    assert expected == {name: variables[name] for name in expected}
    assert {"CI_COMMIT_TAG", "CI_BUILD_TAG"}.isdisjoint(variables)


def test_a_tag_has_no_branch(fakeplat: Fakeplat) -> None:
    """CI_COMMIT_TAG takes the place of CI_COMMIT_BRANCH."""
    variables = variables_of(fakeplat, create_pipeline(fakeplat, ref="v9", tag=True))

    assert ("v9", "v9") == (variables["CI_COMMIT_TAG"], variables["CI_BUILD_TAG"])
    assert "CI_COMMIT_BRANCH" not in variables


@pytest.mark.parametrize(("ref", "tag"), [("stable", False), ("v1", True)], ids=["branch", "tag"])
def test_a_protected_ref_is_marked(fakeplat: Fakeplat, ref: str, tag: bool) -> None:
    """A rule for branches does not protect a tag of the same name, nor the other way round."""
    kind = "protected_tags" if tag else "protected_branches"
    assert 201 == fakeplat.as_user("mia").post(f"{SITE}/{kind}", json={"name": ref}).status

    protected, other = (create_pipeline(fakeplat, ref=ref, tag=is_tag) for is_tag in (tag, not tag))
    assert "true" == variables_of(fakeplat, protected)["CI_COMMIT_REF_PROTECTED"]
    assert "false" == variables_of(fakeplat, other)["CI_COMMIT_REF_PROTECTED"]


def test_a_commit_that_the_repository_does_not_have_has_no_message(fakeplat: Fakeplat) -> None:
    """A pipeline of a scenario may have any commit."""
    variables = variables_of(fakeplat, create_pipeline(fakeplat, sha="a" * 40))

    assert ("", "") == (variables["CI_COMMIT_MESSAGE"], variables["CI_COMMIT_TITLE"])


def test_the_slug_of_a_ref_fits_into_a_host_name(fakeplat: Fakeplat) -> None:
    """The slug of a ref has at most 63 characters and no dash at either end."""
    variables = variables_of(fakeplat, create_pipeline(fakeplat, ref=f"-{'x' * 61}_tail"))

    assert "x" * 61 == variables["CI_COMMIT_REF_SLUG"]


def test_a_pipeline_of_a_merge_request_describes_it(fakeplat: Fakeplat) -> None:
    """The ref is the source branch; there is no CI_COMMIT_BRANCH."""
    merge_request = fakeplat.as_user("mia").get(OPEN).json()
    changes = {"assignee_ids": [fakeplat.as_user("mia").get("user").json()["id"]], "labels": "zebra,ant"}
    assert 200 == fakeplat.as_user("mia").put(OPEN, json=changes).status
    pipeline = create_pipeline(
        fakeplat, ref="refs/merge-requests/1/head", source="merge_request_event", merge_request_id=merge_request["id"]
    )
    project = find_project(fakeplat.bench.platform.view)
    variables = variables_of(fakeplat, pipeline)
    expected = {
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_COMMIT_REF_NAME": merge_request["source_branch"],
        "CI_MERGE_REQUEST_EVENT_TYPE": "detached",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "",
        "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "",
        "CI_MERGE_REQUEST_ID": str(merge_request["id"]),
        "CI_MERGE_REQUEST_IID": "1",
        "CI_MERGE_REQUEST_REF_PATH": "refs/merge-requests/1/head",
        "CI_MERGE_REQUEST_PROJECT_ID": str(project.id),
        "CI_MERGE_REQUEST_PROJECT_PATH": "acme/site",
        "CI_MERGE_REQUEST_PROJECT_URL": PROJECT_URL,
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "master",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": str(project.id),
        "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "acme/site",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_URL": PROJECT_URL,
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": merge_request["source_branch"],
        "CI_MERGE_REQUEST_TITLE": merge_request["title"],
        "CI_MERGE_REQUEST_ASSIGNEES": "mia",
        "CI_MERGE_REQUEST_LABELS": "ant,zebra",
    }

    assert expected == {name: variables[name] for name in expected}
    assert "CI_COMMIT_BRANCH" not in variables


def test_a_pipeline_has_no_id_before_it_is_created(fakeplat: Fakeplat) -> None:
    """Rules do not see the id, but a job does."""
    (job,) = jobs_of(fakeplat, pipeline := create_pipeline(fakeplat, PlannedJob(name="build", stage="compile")))
    variables = predefined_variables.of_job(fakeplat.bench.platform.view, job, ORIGIN)
    expected = {
        "CI_PIPELINE_ID": str(pipeline.id),
        "CI_PIPELINE_URL": f"{PROJECT_URL}/-/pipelines/{pipeline.id}",
        "CI_PIPELINE_IID": str(pipeline.iid),
        "CI_PIPELINE_SOURCE": "push",
        "CI_JOB_ID": str(job.id),
        "CI_JOB_URL": f"{PROJECT_URL}/-/jobs/{job.id}",
        "CI_JOB_NAME": "build",
        "CI_JOB_STAGE": "compile",
        "CI_NODE_TOTAL": "1",
        "CI_BUILD_ID": str(job.id),
        "CI_BUILD_NAME": "build",
        "CI_BUILD_STAGE": "compile",
        "GITLAB_USER_LOGIN": "dev",
    }

    assert {"CI_PIPELINE_ID", "CI_PIPELINE_URL"}.isdisjoint(variables_of(fakeplat, pipeline))
    assert expected == {name: variables[name] for name in expected}
    assert {"CI_JOB_MANUAL", "CI_NODE_INDEX", "CI_PIPELINE_TRIGGERED"}.isdisjoint(variables)


def test_the_user_of_a_job_is_described(fakeplat: Fakeplat) -> None:
    """Predefined variables describe the user of a job."""
    dev = fakeplat.as_user("dev").get("user").json()
    variables = variables_of(fakeplat, create_pipeline(fakeplat))

    assert [str(dev["id"]), dev["email"], "dev", dev["name"]] == [
        variables[f"GITLAB_USER_{name}"] for name in ("ID", "EMAIL", "LOGIN", "NAME")
    ]


def test_a_manual_job_of_a_trigger_and_parallel_jobs_are_marked(fakeplat: Fakeplat) -> None:
    """Predefined variables mark manual, triggered and parallel jobs."""
    planned = PlannedJob(name="deploy 2/5", when="manual", parallel=(2, 5))
    variables = variables_of_job(fakeplat, planned, trigger_id=1)
    flags = ("CI_JOB_MANUAL", "CI_BUILD_MANUAL", "CI_PIPELINE_TRIGGERED", "CI_BUILD_TRIGGERED")

    assert ["true"] * 4 == [variables[name] for name in flags]
    assert ("2", "5") == (variables["CI_NODE_INDEX"], variables["CI_NODE_TOTAL"])


def test_the_environment_of_a_job_is_described_without_expanding_its_url(fakeplat: Fakeplat) -> None:
    """The runner expands the URL, because it may contain variables that only the runner knows."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "environments": ["review/one"]}]})
    environment = EnvironmentSpec(name="review/one", url="https://$CI_ENVIRONMENT_SLUG.example.com")
    variables = variables_of_job(fakeplat, PlannedJob(name="deploy", environment=environment))

    assert "review/one" == variables["CI_ENVIRONMENT_NAME"]
    assert "https://$CI_ENVIRONMENT_SLUG.example.com" == variables["CI_ENVIRONMENT_URL"]


def test_the_name_of_the_environment_is_expanded(fakeplat: Fakeplat) -> None:
    """The environment's name is expanded with the declared variables of the job."""
    body = {"key": "WHERE", "value": "here", "environment_scope": "review/*"}
    assert 201 == fakeplat.as_user("mia").post(f"{SITE}/variables", json=body).status
    environment = EnvironmentSpec(name="review/$CI_COMMIT_REF_NAME")
    pipeline = create_pipeline(fakeplat, PlannedJob(name="deploy", environment=environment))
    (job,) = jobs_of(fakeplat, pipeline)
    with fakeplat.bench.platform.acting() as ctx:
        variables = job_variables.as_dict(job_variables.list_variables(ctx, job))
        slug = next(row.slug for row in ctx.world.environments.all() if row.name == "review/master")

    assert ("review/master", slug, "here") == (
        variables["CI_ENVIRONMENT_NAME"],
        variables["CI_ENVIRONMENT_SLUG"],
        variables["WHERE"],
    )


def test_a_pipeline_during_a_freeze_period_says_so(fakeplat: Fakeplat) -> None:
    """A pipeline created during a freeze period has the variable for it."""
    assert "CI_DEPLOY_FREEZE" not in variables_of(fakeplat, create_pipeline(fakeplat))
    # The world begins on a Friday at nine o'clock.
    body = {"freeze_start": "0 8 * * 5", "freeze_end": "0 18 * * 5"}
    assert 201 == fakeplat.as_user("mia").post(f"{SITE}/freeze_periods", json=body).status

    assert "true" == variables_of(fakeplat, create_pipeline(fakeplat))["CI_DEPLOY_FREEZE"]


def test_an_environment_with_an_invalid_name_is_not_described(fakeplat: Fakeplat) -> None:
    """The job deploys to no environment."""
    variables = variables_of_job(fakeplat, PlannedJob(name="deploy", environment=EnvironmentSpec(name="/*")))

    assert not [name for name in variables if name.startswith("CI_ENVIRONMENT")]


@pytest.mark.fakeplat(scenario="starter", clock="virtual", start="2020-11-20T09:00:00.000Z", version="13.10.0")
def test_later_releases_have_more_variables(fakeplat: Fakeplat) -> None:
    """Open merge requests of the branch since 13.8, the time of creation since 13.10."""
    branch = fakeplat.as_user("mia").get(OPEN).json()["source_branch"]
    variables = variables_of(fakeplat, create_pipeline(fakeplat, ref=branch))

    assert "acme/site!1" == variables["CI_OPEN_MERGE_REQUESTS"]
    assert "2020-11-20T09:00:00Z" == variables["CI_PIPELINE_CREATED_AT"]


def test_the_release_does_not_have_the_variables_of_later_ones(fakeplat: Fakeplat) -> None:
    """Variables of later releases do not exist in 13.5."""
    variables = variables_of(fakeplat, create_pipeline(fakeplat, ref="feature"))

    assert {"CI_OPEN_MERGE_REQUESTS", "CI_PIPELINE_CREATED_AT"}.isdisjoint(variables)
