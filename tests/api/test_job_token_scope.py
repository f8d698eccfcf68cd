"""Which jobs may access a project with their tokens. Source: lib/api/project_job_token_scope.rb of the platform."""

from base64 import b64encode
from typing import Any, get_args

import pytest

from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import JobTokenPolicy
from fakeplat.pipeline.job_token_policies import list_policies
from fakeplat.policy.behaviours import INBOUND_JOB_TOKEN_SCOPE, JOB_TOKEN_ENTRY_EXISTS, JOB_TOKEN_POLICIES
from tests.api.deployment_jobs import build_deploy_job, jobs_of, run_pipeline
from tests.api.requests import Outcome, outcome, paths, refusal, resource_not_found
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario="starter", version="latest")
DOCS, SITE = "projects/acme%2Fdocs", "projects/acme%2Fsite"
SCOPE = f"{DOCS}/job_token_scope"
DENIED = "403 Forbidden - Authentication by CI/CD job token not allowed from site to docs."


def bad_request(text: str) -> Outcome:
    return 400, {"message": f"400 Bad request - {text}"}


def job_token(fake: Fakeplat) -> str:
    """The token of a job of acme/site, which runs for mia."""
    from fakeplat.domain.ci import job_tokens

    job = jobs_of(fake, run_pipeline(fake, build_deploy_job()))["deploy"]
    with fake.bench.platform.acting() as ctx:
        return job_tokens.ensure(ctx, ctx.world.jobs[job.id]).value


def create_release(fake: Fakeplat, token: str, project: str = DOCS) -> Outcome:
    """Ask for a release of a tag that does not exist: 422 for a job that has access."""
    body = {"tag_name": "v9", "name": "x"}
    reply = fake.as_user(None).post(f"{project}/releases", json=body, headers={"Job-Token": token})
    return outcome(reply)


@by_release(INBOUND_JOB_TOKEN_SCOPE, "status", {"15.8": 422, "15.9": 403})
def test_the_list_came_with_15_9(fakeplat: Fakeplat, status: int) -> None:
    """Before 15.9, jobs of all projects of their user have access."""
    assert status == create_release(fakeplat, job_token(fakeplat))[0]


def test_jobs_of_other_projects_need_to_be_on_the_list(fakeplat: Fakeplat) -> None:
    """A project's own jobs do not; taken from the list, they lose access again."""
    token, mia = job_token(fakeplat), fakeplat.as_user("mia")
    site = fakeplat.world.project("acme/site").id

    assert (403, {"message": DENIED}) == create_release(fakeplat, token)
    assert 403 != create_release(fakeplat, token, SITE)[0]
    mia.post(f"{SCOPE}/allowlist", json={"target_project_id": site})
    assert 403 != create_release(fakeplat, token)[0]
    mia.delete(f"{SCOPE}/allowlist/{site}")
    assert 403 == create_release(fakeplat, token)[0]


def test_a_group_stands_for_the_projects_in_it(fakeplat: Fakeplat) -> None:
    """A group on the allowlist stands for its projects, also in subgroups."""
    token, mia = job_token(fakeplat), fakeplat.as_user("mia")
    acme = fakeplat.world.group("acme").id
    mia.post(f"{SCOPE}/groups_allowlist", json={"target_group_id": acme})

    assert 403 != create_release(fakeplat, token)[0]
    assert [acme] == [group["id"] for group in mia.get(f"{SCOPE}/groups_allowlist").json()]
    assert 204 == mia.delete(f"{SCOPE}/groups_allowlist/{acme}").status
    assert 403 == create_release(fakeplat, token)[0]


def test_the_limit_can_be_lifted(fakeplat: Fakeplat) -> None:
    """The limit of job tokens is enabled by default and can be disabled."""
    token, mia = job_token(fakeplat), fakeplat.as_user("mia")

    assert (200, {"inbound_enabled": True, "outbound_enabled": False}) == outcome(mia.get(SCOPE))
    assert 204 == mia.patch(SCOPE, json={"enabled": False}).status
    assert not mia.get(SCOPE).json()["inbound_enabled"]
    assert 403 != create_release(fakeplat, token)[0]


@pytest.mark.fakeplat(version="13.5.1")
def test_older_releases_have_no_limit(fakeplat: Fakeplat) -> None:
    """Every project to which the job's user has access."""
    assert 403 != create_release(fakeplat, job_token(fakeplat))[0]


def test_users_are_not_limited(fakeplat: Fakeplat) -> None:
    """The scope of job tokens does not limit users."""
    assert 200 == fakeplat.as_user("mia").get(DOCS).status


def test_a_project_is_first_on_its_own_list(fakeplat: Fakeplat) -> None:
    """A project is always the first of its own allowlist."""
    mia, docs = fakeplat.as_user("mia"), fakeplat.world.project("acme/docs").id
    site = fakeplat.world.project("acme/site").id
    added = mia.post(f"{SCOPE}/allowlist", json={"target_project_id": site})

    assert (201, {"source_project_id": docs, "target_project_id": site}) == outcome(added)
    assert ["acme/docs", "acme/site"] == paths(mia.get(f"{SCOPE}/allowlist"))
    itself = "Validation failed: Target project can't be the same as the source project"
    for id_, text in ((docs, itself), (site, "This project is already in the job token allowlist.")):
        body: dict[str, Any] = {"target_project_id": id_}
        assert bad_request(text) == refusal(fakeplat, "mia", "POST", f"{SCOPE}/allowlist", json=body)
    own = bad_request("Source project cannot be removed from the job token scope")
    assert own == refusal(fakeplat, "mia", "DELETE", f"{SCOPE}/allowlist/{docs}")


@by_release(JOB_TOKEN_ENTRY_EXISTS, "is_scope", {"17.11": True, "18.0": False})
def test_entries_exist_once(fakeplat: Fakeplat, is_scope: bool) -> None:
    """A group is put on the allowlist once; later releases word the refusal anew."""
    body = {"target_group_id": fakeplat.world.group("acme").id}
    assert 201 == fakeplat.as_user("mia").post(f"{SCOPE}/groups_allowlist", json=body).status
    text = "Target group is already in the job token scope" if is_scope else ""
    expected = bad_request(text or "This group is already in the job token allowlist.")
    assert expected == refusal(fakeplat, "mia", "POST", f"{SCOPE}/groups_allowlist", json=body)


def test_unknown_targets_are_not_found(fakeplat: Fakeplat) -> None:
    """Unknown projects and groups are named by their parameter, except for a project to remove."""
    project, group = (resource_not_found(f"target_{kind}_id not found") for kind in ("project", "group"))
    for kind, path, expected in (("project", "allowlist", project), ("group", "groups_allowlist", group)):
        assert expected == refusal(fakeplat, "mia", "POST", f"{SCOPE}/{path}", json={f"target_{kind}_id": 1})
    assert group == refusal(fakeplat, "mia", "DELETE", f"{SCOPE}/groups_allowlist/1")
    assert resource_not_found("Project") == refusal(fakeplat, "mia", "DELETE", f"{SCOPE}/allowlist/1")


def test_targets_without_an_entry_are_not_removed(fakeplat: Fakeplat) -> None:
    """A visible project or group that is not on the allowlist is refused with 400."""
    site, tools = fakeplat.world.project("acme/site").id, fakeplat.world.group("acme/tools").id
    for kind, path in (("project", f"allowlist/{site}"), ("group", f"groups_allowlist/{tools}")):
        expected = bad_request(f"Target {kind} is not in the job token scope")
        assert expected == refusal(fakeplat, "mia", "DELETE", f"{SCOPE}/{path}")


def test_hidden_targets_are_refused(fakeplat: Fakeplat) -> None:
    """A project that the caller does not see is refused like one that does not exist."""
    fakeplat.load({"projects": [{"path_with_namespace": "eve/diary", "visibility": "private"}]})
    body = {"target_project_id": fakeplat.world.project("eve/diary").id}
    text = "The target_project that you are attempting to access does not exist or you don't have permission"
    expected = bad_request(f"{text} to perform this action")
    assert expected == refusal(fakeplat, "mia", "POST", f"{SCOPE}/allowlist", json=body)


def test_who_may_not_remove_entries_is_told_so(fakeplat: Fakeplat) -> None:
    """Below Maintainer, the refusal says that permissions are missing, but only for targets that exist."""
    site = fakeplat.world.project("acme/site").id
    expected = (403, {"message": "403 Forbidden - Insufficient permissions to modify the job token scope"})
    assert expected == refusal(fakeplat, "dev", "DELETE", f"{SCOPE}/allowlist/{site}")
    assert resource_not_found("Project") == refusal(fakeplat, "dev", "DELETE", f"{SCOPE}/allowlist/1")


def allow(fake: Fakeplat, **entry: object) -> None:
    """Put acme/site, or a group, on the list of acme/docs without default permissions."""
    target = {"project": "acme/site"} if "group" not in entry else {}
    allowed = {**target, "default_permissions": False, **entry}
    fake.load({"groups": [{"path": "acme", "projects": [{"path": "docs", "job_token_allowlist": [allowed]}]}]})


def insufficient(text: str) -> Outcome:
    """The refusal of a job that lacks policies."""
    return 403, {"message": f"403 Forbidden - Insufficient permissions to access this resource in project docs. {text}"}


NEEDS_RELEASES = insufficient("The following token permission is required: admin_releases.")
UNAUTHORIZED = (403, {"message": "403 Forbidden - This action is unauthorized for CI/CD job tokens."})


def test_an_entry_may_allow_certain_policies_only(fakeplat: Fakeplat) -> None:
    """Without default permissions, a job may do only what the policies of its entry allow."""
    token = job_token(fakeplat)
    allow(fakeplat)
    assert NEEDS_RELEASES == create_release(fakeplat, token)
    allow(fakeplat, job_token_policies=["read_releases", "admin_packages"])
    assert NEEDS_RELEASES == create_release(fakeplat, token)
    allow(fakeplat, job_token_policies=["admin_releases"])
    assert 422 == create_release(fakeplat, token)[0]
    allow(fakeplat, default_permissions=True)
    assert 422 == create_release(fakeplat, token)[0]


def test_operations_without_policies_are_closed_to_such_jobs(fakeplat: Fakeplat) -> None:
    """Where the platform declares no policy, such as for Helm, only jobs with default permissions have access."""
    token, path = job_token(fakeplat), f"{DOCS}/packages/helm/stable/index.yaml"
    headers = {"Authorization": f"Basic {b64encode(f'gitlab-ci-token:{token}'.encode()).decode()}"}
    allow(fakeplat, job_token_policies=["read_packages"])

    assert UNAUTHORIZED == outcome(fakeplat.as_user(None).get(path, headers=headers))
    allow(fakeplat, default_permissions=True)
    assert 200 == fakeplat.as_user(None).get(path, headers=headers).status


def test_the_entry_of_a_project_counts_before_that_of_its_group(fakeplat: Fakeplat) -> None:
    """The nearest entry decides: that of the project, then that of the group."""
    token = job_token(fakeplat)
    allow(fakeplat, group="acme", job_token_policies=["admin_releases"])
    assert 422 == create_release(fakeplat, token)[0]
    allow(fakeplat, job_token_policies=["read_releases"])
    assert NEEDS_RELEASES == create_release(fakeplat, token)


def test_policies_do_not_limit_a_projects_own_jobs(fakeplat: Fakeplat) -> None:
    """A project's own jobs have all permissions, and so have others where the list is not in force."""
    token = job_token(fakeplat)
    allow(fakeplat)
    assert 422 == create_release(fakeplat, token, SITE)[0]
    assert 204 == fakeplat.as_user("mia").patch(SCOPE, json={"enabled": False}).status
    assert 422 == create_release(fakeplat, token)[0]


@by_release(JOB_TOKEN_POLICIES, "expected", {"17.11": 422, "18.0": 403})
def test_policies_came_with_18_0(fakeplat: Fakeplat, expected: int) -> None:
    """Before 18.0, an entry stands for all permissions."""
    token = job_token(fakeplat)
    allow(fakeplat)
    assert expected == create_release(fakeplat, token)[0]


def test_scenarios_keep_the_policies(fakeplat: Fakeplat) -> None:
    """An export has the policies of an entry."""
    allow(fakeplat, job_token_policies=["read_jobs"])
    docs = next(project for project in fakeplat.export()["projects"] if project["path_with_namespace"] == "acme/docs")

    expected = {"project": "acme/site", "default_permissions": False, "job_token_policies": ["read_jobs"]}
    assert [expected] == docs["job_token_allowlist"]


def test_the_table_names_operations_that_accept_job_tokens() -> None:
    """Every row of the table is an operation that accepts job tokens, with known policies."""
    accepting = {operation.name for operation in OPERATIONS if operation.job_token}
    known = set(get_args(JobTokenPolicy))

    assert set() == list_policies().keys() - accepting
    assert set() == {policy for policies in list_policies().values() for policy in policies} - known
