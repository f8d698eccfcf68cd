"""Which jobs may access a project with their tokens, by GraphQL. Source: docs/platform/graphql.md ('Job tokens')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import INBOUND_JOB_TOKEN_SCOPE, JOB_TOKEN_USE_IS_LOGGED
from tests.api.deployment_jobs import PROJECT_ID, build_deploy_job, jobs_of, run_pipeline
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, post_query

pytestmark = pytest.mark.fakeplat(scenario="starter", version="latest", clock="virtual")
DOCS, SITE = "acme/docs", "acme/site"
HIDDEN = (
    "The target_{} that you are attempting to access does not exist or you don't have permission to perform this action"
)
SCOPE = "ciJobTokenScope { inboundAllowlist { nodes { fullPath } } groupsAllowlist { nodes { fullPath } } }"
TARGET = "target { ... on CiJobTokenAccessibleProject { fullPath } ... on CiJobTokenAccessibleGroup { fullPath } }"
ENTRY = f"sourceProject {{ fullPath }} {TARGET} direction defaultPermissions jobTokenPolicies addedBy {{ username }}"
ADD_FIELDS = f"errors {SCOPE} ciJobTokenScopeAllowlistEntry {{ {ENTRY} createdAt }}"


def mutate(fake: Fakeplat, user: str, name: str, arguments: str, fields: str = f"errors {SCOPE}") -> Any:
    """Run a mutation for acme/docs; return its payload, or the message of its error."""
    query = f'mutation {{ {name}(input: {{ projectPath: "{DOCS}", {arguments} }}) {{ {fields} }} }}'
    reply = post_query(fake, user, query)
    return reply["errors"][0]["message"] if "errors" in reply else reply["data"][name]


def add(fake: Fakeplat, target: str, more: str = "", user: str = "mia") -> Any:
    return mutate(fake, user, "ciJobTokenScopeAddGroupOrProject", f'targetPath: "{target}" {more}', ADD_FIELDS)


def paths(connection: Any) -> list[str]:
    return [node["fullPath"] for node in connection["nodes"]]


def read(fake: Fakeplat, fields: str, user: str = "mia") -> Any:
    return post_query(fake, user, f'{{ project(fullPath: "{DOCS}") {{ {fields} }} }}')


def job_token(fake: Fakeplat) -> str:
    """The token of a job of acme/site, which runs for long."""
    from fakeplat.domain.ci import job_tokens

    with fake.bench.platform.acting() as ctx:
        ctx.world.projects.change(ctx.world.projects[PROJECT_ID], runners="external")
    job = jobs_of(fake, run_pipeline(fake, build_deploy_job()))["deploy"]
    with fake.bench.platform.acting() as ctx:
        job = ctx.world.jobs.change(ctx.world.jobs[job.id], status="running", started_at=ctx.now_iso)
        return job_tokens.ensure(ctx, job).value


def ask_with(fake: Fakeplat, token: str) -> int:
    """List the releases of acme/docs with the token of a job; return the status."""
    return fake.as_user(None).get(f"projects/{DOCS.replace('/', '%2F')}/releases", headers={"Job-Token": token}).status


def test_a_project_is_added_and_removed(fakeplat: Fakeplat) -> None:
    """A project on the list is in it after the project itself; removed, it is gone."""
    payload = mutate(fakeplat, "mia", "ciJobTokenScopeAddProject", f'targetProjectPath: "{SITE}"', ADD_FIELDS)
    assert [] == payload["errors"]
    assert [DOCS, SITE] == paths(payload["ciJobTokenScope"]["inboundAllowlist"])
    assert {
        "sourceProject": {"fullPath": DOCS},
        "target": {"fullPath": SITE},
        "direction": "inbound",
        "defaultPermissions": True,
        "jobTokenPolicies": [],
        "addedBy": {"username": "mia"},
        "createdAt": f"{fakeplat.clock.now[:19]}Z",
    } == payload["ciJobTokenScopeAllowlistEntry"]
    removed = mutate(
        fakeplat, "mia", "ciJobTokenScopeRemoveProject", f'targetProjectPath: "{SITE}", direction: INBOUND'
    )
    assert [DOCS] == paths(removed["ciJobTokenScope"]["inboundAllowlist"])


def test_a_group_is_added_with_policies_and_removed(fakeplat: Fakeplat) -> None:
    """A group on the list has policies, which can be changed."""
    payload = add(fakeplat, "acme", "defaultPermissions: false, jobTokenPolicies: [READ_PACKAGES]")
    assert ["acme"] == paths(payload["ciJobTokenScope"]["groupsAllowlist"])
    entry = payload["ciJobTokenScopeAllowlistEntry"]
    assert ("acme", False, ["READ_PACKAGES"]) == (
        entry["target"]["fullPath"],
        entry["defaultPermissions"],
        entry["jobTokenPolicies"],
    )
    arguments = 'targetPath: "acme", defaultPermissions: true, jobTokenPolicies: [ADMIN_JOBS, READ_RELEASES]'
    fields = "errors ciJobTokenScopeAllowlistEntry { defaultPermissions jobTokenPolicies }"
    changed = mutate(fakeplat, "mia", "ciJobTokenScopeUpdatePolicies", arguments, fields)
    expected = {"defaultPermissions": True, "jobTokenPolicies": ["ADMIN_JOBS", "READ_RELEASES"]}
    assert {"errors": [], "ciJobTokenScopeAllowlistEntry": expected} == changed
    removed = mutate(fakeplat, "mia", "ciJobTokenScopeRemoveGroup", 'targetGroupPath: "acme"')
    assert [] == paths(removed["ciJobTokenScope"]["groupsAllowlist"])


def test_lists_and_counts(fakeplat: Fakeplat) -> None:
    """The project itself counts among the projects, and is no entry."""
    add(fakeplat, SITE)
    add(fakeplat, "acme")
    fields = """
      ciJobTokenScope {
        inboundAllowlistCount groupsAllowlistCount projects { nodes { fullPath } }
        outboundAllowlist { nodes { fullPath } }
        groupAllowlistAutopopulatedIds inboundAllowlistAutopopulatedIds
      }
      ciJobTokenScopeAllowlist {
        projectsAllowlist { count nodes { target { __typename } autopopulated } }
        groupsAllowlist { count nodes { target { __typename } } }
      }
    """
    shown = read(fakeplat, fields)["data"]["project"]
    own = {"nodes": [{"fullPath": DOCS}]}
    assert {
        "inboundAllowlistCount": 2,
        "groupsAllowlistCount": 1,
        "projects": own,
        "outboundAllowlist": own,
        "groupAllowlistAutopopulatedIds": [],
        "inboundAllowlistAutopopulatedIds": [],
    } == shown["ciJobTokenScope"]
    project = {"target": {"__typename": "CiJobTokenAccessibleProject"}, "autopopulated": False}
    group = {"target": {"__typename": "CiJobTokenAccessibleGroup"}}
    assert {
        "projectsAllowlist": {"count": 1, "nodes": [project]},
        "groupsAllowlist": {"count": 1, "nodes": [group]},
    } == shown["ciJobTokenScopeAllowlist"]


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("ciJobTokenScopeAddProject", 'targetProjectPath: "no/such"', HIDDEN.format("project")),
        (
            "ciJobTokenScopeAddProject",
            f'targetProjectPath: "{DOCS}"',
            "Validation failed: Target project can't be the same as the source project",
        ),
        (
            "ciJobTokenScopeAddProject",
            f'targetProjectPath: "{SITE}"',
            "This project is already in the job token allowlist.",
        ),
        ("ciJobTokenScopeAddGroupOrProject", 'targetPath: "no/such"', "The group or project does not exist."),
        ("ciJobTokenScopeRemoveProject", 'targetProjectPath: "no/such"', HIDDEN.format("project")),
        (
            "ciJobTokenScopeRemoveProject",
            f'targetProjectPath: "{DOCS}"',
            "Source project cannot be removed from the job token scope",
        ),
        (
            "ciJobTokenScopeRemoveProject",
            f'targetProjectPath: "{SITE}"',
            "Target project is not in the job token scope",
        ),
        ("ciJobTokenScopeRemoveGroup", 'targetGroupPath: "acme"', "Target group is not in the job token scope"),
        ("ciJobTokenScopeRemoveGroup", 'targetGroupPath: "no"', "Target group is not in the job token scope"),
    ],
)
def test_refused_changes_of_the_list(fakeplat: Fakeplat, name: str, arguments: str, error: str) -> None:
    """A refused change is an error of the payload, and changes nothing."""
    add(fakeplat, SITE)
    before = fakeplat.bench.platform.state
    assert {"errors": [error], "ciJobTokenScope": None} == mutate(fakeplat, "mia", name, arguments)
    assert before is fakeplat.bench.platform.state


def test_the_outbound_list_does_not_grow(fakeplat: Fakeplat) -> None:
    """Entries of the old direction cannot be added."""
    arguments = f'targetProjectPath: "{SITE}", direction: OUTBOUND'
    text = "direction: OUTBOUND scope entries can only be removed. Only INBOUND scope can be expanded."
    assert text == mutate(fakeplat, "mia", "ciJobTokenScopeAddProject", arguments)


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("no/such", "The target does not exist"),
        (SITE, "Unable to find a job token scope for the given project & target"),
        ("acme", "Unable to find a job token scope for the given project & target"),
    ],
)
def test_refused_policies(fakeplat: Fakeplat, target: str, error: str) -> None:
    """Policies belong to entries of the list."""
    arguments = f'targetPath: "{target}", defaultPermissions: false, jobTokenPolicies: []'
    payload = mutate(fakeplat, "mia", "ciJobTokenScopeUpdatePolicies", arguments, "errors")
    assert {"errors": [error]} == payload


def test_hidden_targets(fakeplat: Fakeplat) -> None:
    """A hidden project cannot be added, nor its policies changed."""
    fakeplat.load({"groups": [{"path": "secret", "visibility": "private", "projects": [{"path": "box"}]}]})
    assert [HIDDEN.format("project")] == add(fakeplat, "secret/box")["errors"]
    assert [HIDDEN.format("group")] == add(fakeplat, "secret")["errors"]
    arguments = 'targetPath: "secret/box", defaultPermissions: true, jobTokenPolicies: []'
    payload = mutate(fakeplat, "mia", "ciJobTokenScopeUpdatePolicies", arguments, "errors")
    assert {"errors": ["You have insufficient permission to update this job token scope"]} == payload


def test_unknown_policies_are_refused_before(fakeplat: Fakeplat) -> None:
    """A policy that tokens cannot have is an error of the query."""
    assert "has an invalid value" in add(fakeplat, SITE, "jobTokenPolicies: [READ_ISSUE]")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ciJobTokenScopeAddProject", f'targetProjectPath: "{SITE}"'),
        ("ciJobTokenScopeRemoveProject", f'targetProjectPath: "{SITE}"'),
        ("ciJobTokenScopeAddGroupOrProject", f'targetPath: "{SITE}"'),
        ("ciJobTokenScopeRemoveGroup", 'targetGroupPath: "acme"'),
        ("ciJobTokenScopeUpdatePolicies", 'targetPath: "acme", defaultPermissions: true, jobTokenPolicies: []'),
    ],
)
def test_developers_change_nothing(fakeplat: Fakeplat, name: str, arguments: str) -> None:
    """The list is a matter of Maintainers."""
    assert NOT_AVAILABLE == mutate(fakeplat, "dev", name, arguments, "errors")


@pytest.mark.fakeplat(version="18.5")
@pytest.mark.parametrize(
    "name", ["ciJobTokenScopeAutopopulateAllowlist", "ciJobTokenScopeClearAllowlistAutopopulations"]
)
def test_developers_do_not_fill_the_list_from_the_log(fakeplat: Fakeplat, name: str) -> None:
    """What the log does to the list is a matter of Maintainers, too."""
    assert NOT_AVAILABLE == mutate(fakeplat, "dev", name, "", "errors")


@pytest.mark.parametrize(
    "fields",
    [
        "ciJobTokenScope { inboundAllowlistCount }",
        "ciJobTokenScopeAllowlist { groupsAllowlist { count } }",
        "ciJobTokenAuthLogs { count }",
    ],
)
def test_developers_do_not_see_the_list(fakeplat: Fakeplat, fields: str) -> None:
    """The list and the log are null, with an error, for those who do not manage the project."""
    reply = read(fakeplat, fields, "dev")
    assert {"project": {fields.split(maxsplit=1)[0]: None}} == reply["data"]
    assert NOT_AVAILABLE == reply["errors"][0]["message"]


def test_accesses_are_logged(fakeplat: Fakeplat) -> None:
    """An access of a job of another project is logged, at most every five minutes; refused ones are not."""
    fields = "ciJobTokenAuthLogs { count nodes { lastAuthorizedAt originProject { fullPath } } }"
    token = job_token(fakeplat)
    assert 403 == ask_with(fakeplat, token)
    assert {"count": 0, "nodes": []} == read(fakeplat, fields)["data"]["project"]["ciJobTokenAuthLogs"]
    add(fakeplat, SITE)
    first = f"{fakeplat.clock.now[:19]}Z"
    assert 200 == ask_with(fakeplat, token)
    fakeplat.clock.advance("4m")
    assert 200 == ask_with(fakeplat, token)
    row = {"lastAuthorizedAt": first, "originProject": {"fullPath": SITE}}
    assert {"count": 1, "nodes": [row]} == read(fakeplat, fields)["data"]["project"]["ciJobTokenAuthLogs"]
    fakeplat.clock.advance("2m")
    later = f"{fakeplat.clock.now[:19]}Z"
    assert 200 == ask_with(fakeplat, token)
    (row,) = read(fakeplat, fields)["data"]["project"]["ciJobTokenAuthLogs"]["nodes"]
    assert later == row["lastAuthorizedAt"]


@by_release(JOB_TOKEN_USE_IS_LOGGED, "count", {"17.5": 0, "17.6": 1})
def test_the_log_came_with_17_6(fakeplat: Fakeplat, count: int) -> None:
    """Earlier releases log no access."""
    token = job_token(fakeplat)
    fakeplat.as_user("mia").patch("projects/acme%2Fdocs/job_token_scope", json={"enabled": False})
    assert 200 == ask_with(fakeplat, token)
    assert count == len(fakeplat.bench.platform.view.job_token_authorizations)


@pytest.mark.fakeplat(version="18.5")
def test_the_log_fills_the_list(fakeplat: Fakeplat) -> None:
    """Projects of the log get onto the list, which is in force then; what came from the log is taken off again."""
    token, mia = job_token(fakeplat), fakeplat.as_user("mia")
    scope = f"projects/{DOCS.replace('/', '%2F')}/job_token_scope"
    mia.patch(scope, json={"enabled": False})
    assert 200 == ask_with(fakeplat, token)
    status = "errors status"
    assert {"errors": [], "status": "complete"} == mutate(
        fakeplat, "mia", "ciJobTokenScopeAutopopulateAllowlist", "", status
    )
    assert mia.get(scope).json()["inbound_enabled"]
    site = f"/Project/{fakeplat.world.project(SITE).id}"
    fields = "ciJobTokenScope { inboundAllowlistAutopopulatedIds groupAllowlistAutopopulatedIds }"
    shown = read(fakeplat, fields)["data"]["project"]["ciJobTokenScope"]
    assert [] == shown["groupAllowlistAutopopulatedIds"]
    (identifier,) = shown["inboundAllowlistAutopopulatedIds"]
    assert identifier.endswith(site)
    assert {"errors": [], "status": "complete"} == mutate(
        fakeplat, "mia", "ciJobTokenScopeClearAllowlistAutopopulations", "", status
    )
    assert 403 == ask_with(fakeplat, token)


@pytest.mark.fakeplat(version="18.5")
def test_the_log_is_joined_to_groups(fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the log has more projects than a list, their common group is listed; without one, nothing is."""
    from fakeplat.domain.ci import job_token_scope
    from fakeplat.model.ci import JobTokenAuthorization

    fakeplat.load(
        {
            "groups": [
                {"path": "big", "visibility": "public", "projects": [{"path": "a"}, {"path": "b"}]},
                {"path": "lone", "visibility": "public", "projects": [{"path": "c"}]},
            ]
        }
    )
    with fakeplat.bench.platform.acting() as ctx:
        table, accessed = ctx.world.job_token_authorizations, fakeplat.world.project(DOCS).id
        for path in ("big/a", "big/b", "lone/c"):
            origin = fakeplat.world.project(path).id
            table.add(JobTokenAuthorization(table.next_id(), accessed, origin, ctx.now_iso))
    monkeypatch.setattr(job_token_scope, "MAX_TARGETS", 3)
    mutate(fakeplat, "mia", "ciJobTokenScopeAutopopulateAllowlist", "", "status")
    shown = read(fakeplat, SCOPE)["data"]["project"]["ciJobTokenScope"]
    assert (["big"], [DOCS, "lone/c"]) == (paths(shown["groupsAllowlist"]), paths(shown["inboundAllowlist"]))
    monkeypatch.setattr(job_token_scope, "MAX_TARGETS", 2)
    before = fakeplat.bench.platform.state
    expected = {"errors": ["CompactionLimitCannotBeAchievedError"], "status": "error"}
    assert expected == mutate(fakeplat, "mia", "ciJobTokenScopeAutopopulateAllowlist", "", "errors status")
    assert before is fakeplat.bench.platform.state


def test_lists_are_limited(fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list has at most 200 projects and 200 groups."""
    from fakeplat.domain.ci import job_token_scope

    monkeypatch.setattr(job_token_scope, "MAX_TARGETS", 0)
    text = "Validation failed: Source project exceeds the allowable number of"
    assert [f"{text} project links in this direction"] == add(fakeplat, SITE)["errors"]
    assert [f"{text} group links"] == add(fakeplat, "acme")["errors"]


@by_release(INBOUND_JOB_TOKEN_SCOPE, "shown", {"15.8": [DOCS, SITE], "15.9": [DOCS]})
def test_the_first_list_was_outbound(fakeplat: Fakeplat, shown: list[str]) -> None:
    """Before 15.9 the list names the projects that jobs may access; it is hidden while it is not in force."""
    arguments = f'targetProjectPath: "{SITE}"'
    fields = "errors ciJobTokenScope { projects { nodes { fullPath } } }"
    payload = mutate(fakeplat, "mia", "ciJobTokenScopeAddProject", arguments, fields)
    assert shown == paths(payload["ciJobTokenScope"]["projects"])


def test_selections_on_a_union_are_refused(fakeplat: Fakeplat) -> None:
    """A field of a union has to be selected in a fragment."""
    reply = read(fakeplat, "ciJobTokenScopeAllowlist { groupsAllowlist { nodes { target { fullPath } } } }")
    (error,) = reply["errors"]
    assert "Selections can't be made directly on unions (see selections on CiJobTokenScopeTarget)" == error["message"]
    assert {"code": "selectionMismatch", "nodeName": "CiJobTokenScopeTarget"} == error["extensions"]
