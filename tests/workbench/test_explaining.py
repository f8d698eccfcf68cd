"""Every refusal of the role matrix, which is written by hand, has a reason that names the right cause."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.test_role_matrix import ROLES, SITE, TABLE, create_records_of_rows, fill_in, list_rows

LEVELS = {
    "gus": "Guest (10)",
    "rep": "Reporter (20)",
    "dev": "Developer (30)",
    "mia": "Maintainer (40)",
    "ada": "Owner (50)",
}
OUTSIDERS = (None, "ext", "eve")
AFTER_THE_GATE = {
    "unshare_project": "is not shared with group",
    "update_project_member": "ada is not a direct member of project acme/site",
    "delete_group_member": "bob is not a direct member of group acme",
    "delete_user_identity": "eve has no identity at 'saml'",
}
"""What keeps those out who pass the gate, administrators too; of other operations there must be a reason of its own."""

OF_THEIR_OWN: dict[tuple[str, str | None], list[str]] = {
    ("list_users", None): ["nobody is signed in", "ask for one username"],
    ("create_group", "ext"): ["create_group: ext is external"],
    ("create_project", "ext"): ["ext has a projects_limit of 0"],
    ("move_issue", "gus"): ["admin_issue needs Reporter (20) on project acme/site", "; gus has Guest (10)"],
    **{
        ("move_issue", role): ["admin_issue needs Reporter (20) on project ada/notes", f"; {role} has no role"]
        for role in ("rep", "dev", "mia")
    },
    **{
        ("create_project_access_request", role): ["project acme/site (", f"is private and hidden from {role}"]
        for role in ("ext", "eve")
    },
    ("accept_merge_request", "rep"): ["rep may not merge into 'master', which needs Maintainer (40); rep has Reporter"],
    ("accept_merge_request", "dev"): ["dev may not merge into 'master', which needs Maintainer (40); dev has Develop"],
    ("accept_merge_request", "root"): ["root may not merge into 'master', which needs Maintainer (40); root has no"],
    ("cancel_merge_when_pipeline_succeeds", "root"): ["root is not its author and may not merge it"],
    ("cancel_merge_when_pipeline_succeeds", "rep"): ["rep is not its author and may not merge it"],
    ("rebase_merge_request", "rep"): ["rep may not push to 'feature'"],
    ("unapprove_merge_request", "gus"): [
        "read_merge_request needs Reporter (20) on project acme/site",
        "; gus has Guest (10)",
    ],
    ("get_user", None): ["nobody is signed in"],
    ("share_group", "ext"): ["group acme/tools", "is internal and hidden from ext", "is external"],
}
"""Refusals that no level decides."""

OF_ANOTHER = {
    **dict.fromkeys(("delete_issue_award_emoji", "delete_issue_note_award_emoji"), "was given by root"),
    "mark_todo_as_done": "has no to-do with the id",
}
"""What is said where a thing is somebody else's, whatever one's level."""

GATES = {
    **dict.fromkeys(("update_project (name)", "update_project (visibility)"), ("mia", "ada")),
    **dict.fromkeys(("create_branch", "delete_branch", "delete_branch (default)"), ("rep", "dev")),
    **dict.fromkeys(("delete_merged_branches", "create_tag", "delete_tag"), ("rep", "dev")),
    **dict.fromkeys(("protect_branch", "unprotect_branch"), ("rep", "mia")),
    **dict.fromkeys(("create_commit", "revert_commit"), ("rep", "dev")),
    **dict.fromkeys(("create_commit (protected)", "cherry_pick_commit"), ("rep", "dev", "mia")),
    "create_repository_file (protected)": ("dev", "mia"),
    **dict.fromkeys(("update_merge_request", "approve_merge_request", "unapprove_merge_request"), ("rep", "dev")),
    **dict.fromkeys(("subscribe_merge_request", "unsubscribe_merge_request"), ("rep", "dev")),
    **dict.fromkeys(("set_merge_request_time_estimate", "reset_merge_request_time_estimate"), ("rep", "dev")),
    **dict.fromkeys(("add_merge_request_spent_time", "reset_merge_request_spent_time"), ("rep", "dev")),
    "delete_merge_request": ("rep", "ada"),
}
"""Operations with several gates: the lowest role that passes each. Who fails is told of the first that is closed."""

REFUSALS = [
    (name, method, path, body, role, int(status), row)
    for name, method, path, body, row in list_rows(TABLE)
    for role, status in zip(ROLES, row.split(), strict=True)
    if int(status) >= 400
]


def list_causes(name: str, path: str, role: str | None, status: int, row: str) -> list[str]:
    """What a reason must say, by the row alone: it is the first role that passes which has the ability."""
    if (name, role) in OF_THEIR_OWN:
        return OF_THEIR_OWN[name, role]
    if name in OF_ANOTHER and role is not None and not is_hiding(path, role):
        return [OF_ANOTHER[name], role]
    if status == 401:
        return ["nobody is signed in"]
    statuses = dict(zip(ROLES, map(int, row.split()), strict=True))
    if status == statuses["root"] and not is_hiding(path, role):
        return [AFTER_THE_GATE.get(name, "")]
    if all(statuses[member] == 403 for member in LEVELS):
        return [f"is for administrators; {role} is not one"]
    if is_hiding(path, role):
        return list_hidden_rows(role)
    ranks = list(LEVELS)
    closed = [gate for gate in GATES.get(name, ()) if role in ranks and ranks.index(role) < ranks.index(gate)]
    needed = LEVELS[closed[0] if closed else next(member for member in LEVELS if statuses[member] != status)]
    return [f" needs {needed} on ", "acme", f"; {role or 'an anonymous caller'} has {LEVELS.get(str(role), 'no role')}"]


def is_hiding(path: str, role: str | None) -> bool:
    """Whether the private project hides itself."""
    return path.startswith(SITE) and role in OUTSIDERS


def list_hidden_rows(role: str | None) -> list[str]:
    return ["project acme/site (", "is private and hidden from", role or "nobody is signed in"]


@pytest.fixture(scope="module")
def refusing(fakeplat_factory: Callable[..., Fakeplat]) -> tuple[Fakeplat, dict[str, Any]]:
    """One world for all refusals, as they change nothing, and the ids that rows name."""
    fake = fakeplat_factory(version="latest", default_branch="master")
    return fake, create_records_of_rows(fake)


@pytest.mark.parametrize(
    ("name", "method", "path", "body", "role", "status", "row"),
    REFUSALS,
    ids=[f"{row[0]}-{row[4]}" for row in REFUSALS],
)
def test_a_reason_names_its_cause(
    refusing: tuple[Fakeplat, dict[str, Any]],
    name: str,
    method: str,
    path: str,
    body: Any,
    role: str | None,
    status: int,
    row: str,
) -> None:
    """The reason of each refusal names its cause, such as the required level and that of the caller."""
    fake, known = refusing
    reply = fake.as_user(role).request(method, fill_in(path, known), json=fill_in(body, known))
    reason = fake.requests[-1].reason
    assert reason is not None
    assert (status, []) == (
        reply.status,
        [cause for cause in list_causes(name, path, role, status, row) if cause not in reason],
    )
    assert reason not in reply.text


def test_the_matrix_has_refusals_of_every_kind() -> None:
    """The matrix of refusals covers every level and every other cause of the test above."""
    reasons = {list_causes(name, path, role, status, row)[0] for name, _, path, _, role, status, row in REFUSALS}
    assert {f" needs {level} on " for level in LEVELS.values()} <= reasons
    assert {"nobody is signed in", "project acme/site (", *AFTER_THE_GATE.values()} <= reasons


EXPLAIN = {"X-Fakeplat-Explain": "1"}


def test_a_tag_is_no_branch_to_start_from(fakeplat: Fakeplat) -> None:
    """The reason of a refused start branch says that the name is a tag and lists the branches."""
    actions = [{"action": "create", "file_path": "x", "content": "x"}]
    body = {"branch": "b", "start_branch": "v1.0", "commit_message": "m", "actions": actions}
    assert 400 == fakeplat.as_user("mia").post("projects/acme%2Fsite/repository/commits", json=body).status
    expected = "has no branch 'v1.0': 'v1.0' is a tag; its branches are: feature, master"
    reason = fakeplat.requests[-1].reason
    assert reason is not None
    assert expected in reason


def test_a_reason_lists_some_of_many_names(fakeplat: Fakeplat) -> None:
    """The reason for an unknown branch lists the first thirty of many, and counts the others."""
    fakeplat.load({"generate": [{"into": "acme/site", "commits": 60, "branches": 40}]})
    assert fakeplat.as_user("dev").get("projects/acme%2Fsite/repository/branches/none").status == 404
    reason = fakeplat.requests[-1].reason
    total = int(fakeplat.as_user("dev").head("projects/acme%2Fsite/repository/branches").headers["X-Total"])
    assert reason is not None
    assert reason.count(", ") == 29
    assert reason.endswith(f" and {total - 30} others")


@pytest.mark.parametrize(
    ("role", "method", "path", "json", "reason"),
    [
        ("dev", "GET", "projects/acme%2Fsight", None, "no project is 'acme/sight'; did you mean acme/site?"),
        ("dev", "GET", "projects/ghost%2Fsite", None, "no project is 'ghost/site'; did you mean acme/site?"),
        ("dev", "GET", "groups/acne", None, "no group is 'acne'; did you mean acme?"),
        ("dev", "GET", "users/devi/projects", None, "no user is 'devi'; did you mean dev?"),
        ("dev", "GET", "projects/10001", None, "no project has the id 10001; 10001 is an id among the issues"),
        ("dev", "GET", f"{SITE}/issues/10001", None, "10001 is the id of an issue, not its iid"),
        ("dev", "GET", f"{SITE}/issues/99", None, "has no issue 99; it has 1 to "),
        ("dev", "GET", f"{SITE}/labels/bugs", None, "has no label 'bugs'; did you mean bug?"),
        ("dev", "GET", f"{SITE}/isues", None, "nearest: GET /api/v4/projects/:id/issues"),
        ("dev", "GET", "projects/acme/site/issues", None, "/api/v4/projects/acme%2Fsite/issues"),
        ("dev", "PATCH", f"{SITE}/issues/1", None, "allows DELETE, GET, HEAD, PUT, not PATCH"),
        (
            "dev",
            "POST",
            f"{SITE}/issues",
            {"titel": "x"},
            "create_issue has no parameter titel; did you mean title?; title is missing",
        ),
        ("ada", "POST", f"{SITE}/issues", {"title": ""}, "title can't be blank"),
        (
            "ada",
            "POST",
            f"{SITE}/members",
            {"user_id": 4, "access_level": 7},
            "access_level must be one of 10, 20, 30, 40",
        ),
        ("ada", "PUT", f"{SITE}", {"default_branch": "gone"}, "there is no branch 'gone'"),
    ],
)
def test_a_reason_names_what_is_near(
    fakeplat: Fakeplat, role: str, method: str, path: str, json: Any, reason: str
) -> None:
    """The reason in the response header names the nearest path, name, route or parameter."""
    reply = fakeplat.as_user(role).request(method, path, json=json, headers=EXPLAIN)
    assert 400 <= reply.status < 500
    assert reason in reply.headers["X-Fakeplat-Reason"]


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({}, "create_project asks for a login; nobody is signed in: no credential was sent"),
        ({"PRIVATE-TOKEN": "made-up"}, "the credential is no token of this world"),
        ({"Authorization": "Token abc"}, "Authorization: Token is not supported; use Bearer"),
        ({"Cookie": "_gitlab_session=none"}, "the session cookie belongs to no session of this world"),
        ({"Job-Token": "x"}, "a job token was sent, which this operation does not accept"),
        ({"Sudo": "ada"}, "sudo without a credential"),
    ],
)
def test_a_401_names_what_is_wrong_with_the_credential(
    fakeplat: Fakeplat, headers: dict[str, str], reason: str
) -> None:
    """The reason of a 401 says whether the credential is missing, unknown or malformed."""
    reply = fakeplat.as_user(None).post("projects", json={"name": "x"}, headers={**headers, **EXPLAIN})
    assert 401 == reply.status
    assert reason in reply.headers["X-Fakeplat-Reason"]


def test_a_session_without_its_csrf_token_is_explained(fakeplat: Fakeplat) -> None:
    """The reason of a refused write with a session cookie names the missing X-CSRF-Token."""
    value = fakeplat.token("ada", "session")
    headers = {"Cookie": f"_gitlab_session={value}", **EXPLAIN}
    reply = fakeplat.as_user(None).post("projects", json={"name": "x"}, headers=headers)
    assert "X-CSRF-Token" in reply.headers["X-Fakeplat-Reason"]


def test_missing_scopes_are_named(fakeplat: Fakeplat) -> None:
    """The reason of a refused token names its scopes and those that the operation needs."""
    token = fakeplat.token("ada", scopes=["read_user"])
    reply = fakeplat.as_user(None).get("projects", headers={"PRIVATE-TOKEN": token, **EXPLAIN})
    assert (
        "the token has the scopes read_user; the operation needs api or read_api" == reply.headers["X-Fakeplat-Reason"]
    )


def test_a_hidden_issue_is_explained_in_the_journal_only(fakeplat: Fakeplat) -> None:
    """A confidential issue is 404 for a guest, and only the journal says that it is hidden."""
    issue = fakeplat.as_user("ada").post(f"{SITE}/issues", json={"title": "Secret", "confidential": True}).json()
    reply = fakeplat.as_user("gus").get(f"{SITE}/issues/{issue['iid']}")
    assert {"message": "404 Not found"} == reply.json()
    reason = fakeplat.requests[-1].reason or ""
    assert f"issue {issue['iid']} of project acme/site" in reason
    assert "is confidential and hidden from gus" in reason


def test_only_who_asks_gets_a_reason(fakeplat: Fakeplat) -> None:
    """A response has no reason without the request header, with the value 0, or after a success."""
    for headers in ({}, {"X-Fakeplat-Explain": "0"}):
        assert "X-Fakeplat-Reason" not in fakeplat.as_user("dev").get("projects/1", headers=headers).headers
    assert "X-Fakeplat-Reason" not in fakeplat.as_user("dev").get("projects", headers=EXPLAIN).headers


@pytest.mark.fakeplat(explain=True)
def test_a_world_can_explain_to_everybody(fakeplat: Fakeplat) -> None:
    """With the option `explain` every refusal has a reason of one line in ASCII."""
    reply = fakeplat.as_user("dev").get("projects/caf%C3%A9%0A%0Dx")
    assert "no project is 'caf\\xe9\\n\\rx'" == reply.headers["X-Fakeplat-Reason"].partition(";")[0]


def test_reading_a_reason_changes_nothing(fakeplat: Fakeplat) -> None:
    """A reason is computed when it is read, from the state of the world at the refusal."""
    fakeplat.as_user("dev").get("projects/acme%2Fsight")
    before = fakeplat.bench.platform.state
    entry = fakeplat.requests[-1]
    assert "did you mean acme/site?" in str(entry.reason)
    assert before is fakeplat.bench.platform.state
    fakeplat.as_user("ada").put(SITE, json={"path": "moved"})
    assert "did you mean acme/site?" in str(entry.reason)


def test_the_journal_knows_whose_token_is_refused(fakeplat: Fakeplat) -> None:
    """The journal names the user of a token that lacks a scope or has expired."""
    narrow = fakeplat.token("dev", scopes=["read_user"])
    expired = fakeplat.token("mia", expires_at="2020-11-21")
    fakeplat.clock.advance("3d")
    answers = [fakeplat.as_user(None).get("projects", headers={"PRIVATE-TOKEN": token}) for token in (narrow, expired)]
    assert [403, 401] == [answer.status for answer in answers]
    assert ["dev", "mia"] == [entry.user for entry in fakeplat.requests]


def test_ignored_parameters_are_listed(fakeplat: Fakeplat) -> None:
    """The journal lists parameters that the platform ignored silently, with the reason."""
    answer = fakeplat.as_user("gus").post(f"{SITE}/issues", json={"title": "Typo", "labels": "bug", "weight": 3})
    assert (201, []) == (answer.status, answer.json()["labels"])
    assert (
        "ignored labels, weight: admin_issue needs Reporter (20) on project acme/site (5001); gus has Guest (10)"
        == fakeplat.requests[-1].reason
    )


@pytest.mark.parametrize(
    ("role", "method", "path", "json", "reason"),
    [
        ("ada", "PUT", f"{SITE}/issues/1", {"weight": 3}, None),
        ("ada", "PUT", f"{SITE}/issues/1", {"title": "T", "weight": 3}, "ignored weight: it requires the tier premium"),
        ("ada", "PUT", SITE, {"repository_storage": "x", "name": "S"}, "ignored repository_storage: it is for admin"),
        ("ada", "PUT", "groups/acme", {"name": "A", "membership_lock": True}, "ignored membership_lock: it requires"),
    ],
)
def test_ignored_parameters_have_reasons(
    fakeplat: Fakeplat, role: str, method: str, path: str, json: Any, reason: str | None
) -> None:
    """A parameter that is ignored because of tier, role or a setting has that reason in the journal."""
    answer = fakeplat.as_user(role).request(method, path, json=json)
    assert (answer.status == 200) == (reason is not None)
    assert (reason or "") in (fakeplat.requests[-1].reason or "")
