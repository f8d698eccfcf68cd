"""Fine-grained tokens: their creation, their permissions within boundaries, and where they have none.

Source: docs/platform/fine-grained-tokens.md.
"""

from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.core.operations.operation import OPERATIONS, PREFIX
from fakeplat.core.release import LATEST_RELEASE
from fakeplat.harness.fake import Fakeplat
from fakeplat.pipeline.granular_tokens import list_requirements
from fakeplat.policy.behaviours import GRANULAR_TOKENS, GRANULAR_TOKENS_ARE_ON
from fakeplat.policy.granular_scopes import FLAG
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import UNAUTHORIZED, Outcome, invalid, outcome, person, refusal
from tests.by_release import by_release

Factory = Callable[..., Fakeplat]
pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest")]
OWN, PATH = "user/personal_access_tokens", "personal_access_tokens"
SITE, DOCS, KIT, NOTES = "projects/acme%2Fsite", "projects/acme%2Fdocs", "projects/acme%2Ftools%2Fkit", "ada%2Fnotes"
NOT_FOUND: Outcome = (404, {"message": "404 Not Found"})
DISABLED = "Fine-grained personal access tokens are not yet supported."
ESCALATED = "A granular token can only create tokens with equal or lesser permissions."
Scope = dict[str, Any]


def denied(text: str) -> Outcome:
    """Return the refusal of a fine-grained token."""
    return 403, {"error": "insufficient_granular_scope", "error_description": f"Access denied: {text}"}


def lacking(kind: str, *permissions: str) -> Outcome:
    """Return the refusal of a fine-grained token that lacks permissions."""
    return denied(
        f"This operation requires a fine-grained personal access token with the following {kind} permissions: "
        f"[{', '.join(permissions)}]."
    )


def everywhere(*permissions: str) -> Scope:
    """Return a scope for all projects and groups of a user."""
    return {"access": "all_memberships", "permissions": list(permissions)}


def of_user(*permissions: str) -> Scope:
    """Return a scope for what is the user's own."""
    return {"access": "user", "permissions": list(permissions)}


def issue(fake: Fakeplat, *scopes: Scope, user: str = "dev") -> str:
    """Create a fine-grained token of a user, and return its value."""
    reply = fake.as_user(user).post(OWN, json={"name": "fine", "granular_scopes": list(scopes)})
    assert 201 == reply.status, reply.text
    return str(reply.json()["token"])


def send(fake: Fakeplat, value: str, path: str, method: str = "GET", **rest: Any) -> Outcome:
    """Return the answer to a request with a token."""
    return outcome(fake.as_user(None).request(method, path, headers={"PRIVATE-TOKEN": value}, **rest))


def status(fake: Fakeplat, value: str, path: str, method: str = "GET", **rest: Any) -> int:
    """Return the status of the answer to a request with a token."""
    return fake.as_user(None).request(method, path, headers={"PRIVATE-TOKEN": value}, **rest).status


# the table


def test_every_operation_has_one_row() -> None:
    """The table has a row for each operation of the API that the latest release has, and for no others."""
    operations = {each.name: each for each in OPERATIONS if each.area.prefix == PREFIX and not each.ours}
    latest = {name for name, each in operations.items() if each.lifetime.covers(LATEST_RELEASE)}

    assert set() == latest - list_requirements().keys()
    assert set() == list_requirements().keys() - operations.keys()


def test_rows_name_kinds_of_boundaries_and_permissions() -> None:
    """A row has both boundaries and permissions, or neither; only reads of projects and groups may be public."""
    kinds = {"project", "group", "user", "instance"}
    reads = {each.name for each in OPERATIONS if each.method == "GET"}
    for name, requirement in list_requirements().items():
        assert bool(requirement.access) is bool(requirement.permissions), name
        assert kinds.issuperset(requirement.access), name
        assert all(": " in permission for permission in requirement.permissions), name
        assert not requirement.public or (name in reads and {"project", "group"} & {*requirement.access}), name


# creation


def test_users_create_fine_grained_tokens(fakeplat: Fakeplat) -> None:
    """A fine-grained token has the one scope granular; its creation does not show its permissions, the list does."""
    eve, scope = person(fakeplat, "dev"), {"access": "user", "permissions": ["read_user"]}
    site = fakeplat.as_user("dev").get(SITE).json()["id"]
    chosen = {"access": "selected_memberships", "permissions": ["read_job"], "project_ids": [site]}
    body = {"name": "fine", "description": "for the build", "granular_scopes": [scope, chosen]}

    reply = fakeplat.as_user("dev").post(OWN, json=body)
    token = reply.json()
    value = token.pop("token")
    fields = {
        "id": token["id"],
        "name": "fine",
        "revoked": False,
        "created_at": "2020-11-20T09:00:00.000Z",
        "description": "for the build",
        "scopes": ["granular"],
        "user_id": eve,
        "last_used_at": None,
        "active": True,
        "granular": True,
        "expires_at": "2021-11-20",
    }
    shown = [
        {"access": "user", "permissions": ["read_user"], "project_id": None, "group_id": None},
        {"access": "selected_memberships", "permissions": ["read_job"], "project_id": site, "group_id": None},
    ]

    assert (201, fields) == (reply.status, token)
    assert value.startswith("glpat-")
    assert {**fields, "last_used_ips": [], "granular_scopes": shown} == (
        fakeplat.as_user("dev").get(f"{PATH}/{token['id']}").json()
    )
    listed = {row["id"]: row for row in fakeplat.as_user("dev").get(PATH).json()}
    assert shown == listed[token["id"]]["granular_scopes"]
    assert [False] == [row["granular"] for row in listed.values() if row["id"] != token["id"]]
    assert all("granular_scopes" not in row for row in listed.values() if row["id"] != token["id"])


def test_each_project_and_group_becomes_a_scope(fakeplat: Fakeplat) -> None:
    """Of selected memberships, groups come before projects; what does not exist is left out."""
    site, acme = fakeplat.as_user("dev").get(SITE).json(), fakeplat.as_user("dev").get("groups/acme").json()
    scope = {"access": "selected_memberships", "permissions": ["read_job"]}
    chosen = {**scope, "project_ids": f"{site['id']},1", "group_ids": [acme["id"], 2]}
    issue(fakeplat, chosen)

    *_, token = fakeplat.as_user("dev").get(PATH).json()
    places = [(row["group_id"], row["project_id"]) for row in token["granular_scopes"]]
    assert [(acme["id"], None), (None, site["id"])] == places


def test_scopes_and_granular_scopes_exclude_each_other(fakeplat: Fakeplat) -> None:
    """A token of the caller has either scopes or granular scopes, and not both."""
    body = {"name": "fine", "scopes": ["k8s_proxy"], "granular_scopes": [of_user("read_user")]}

    assert invalid("scopes, granular_scopes are mutually exclusive") == refusal(fakeplat, "dev", "POST", OWN, json=body)
    assert invalid("scopes, granular_scopes are missing, exactly one parameter must be provided") == refusal(
        fakeplat, "dev", "POST", OWN, json={"name": "fine"}
    )


@pytest.mark.parametrize(
    ("scopes", "expected"),
    [
        ([], (422, {"message": "At least one granular scope must be provided"})),
        (
            [{"access": "selected_memberships", "permissions": ["read_job"]}],
            (422, {"message": "At least one granular scope must be provided"}),
        ),
        ([{"access": "some", "permissions": ["a"]}], invalid("granular_scopes[0][access] does not have a valid value")),
        ([{"permissions": ["read_job"]}], invalid("granular_scopes[0][access] is missing")),
        ([{"access": "user"}], invalid("granular_scopes[0][permissions] is missing")),
        ([of_user()], (422, {"message": "Validation failed: Permissions must be a valid json schema"})),
    ],
    ids=["none", "no project", "unknown access", "no access", "no permissions", "empty permissions"],
)
def test_unusable_scopes_are_refused(fakeplat: Fakeplat, scopes: list[Scope], expected: Outcome) -> None:
    """A fine-grained token needs at least one scope, each with an access and permissions."""
    body = {"name": "fine", "granular_scopes": scopes}

    assert expected == refusal(fakeplat, "dev", "POST", OWN, json=body)


def test_foreign_projects_and_groups_are_refused(fakeplat: Fakeplat) -> None:
    """Who does not belong to a project or group cannot select it, even if it is public."""
    root = fakeplat.as_user("root")
    docs, acme = root.get(DOCS).json()["id"], root.get("groups/acme").json()["id"]
    scope = {"access": "selected_memberships", "permissions": ["read_project"]}
    for place in ({"project_ids": [docs]}, {"group_ids": [acme]}):
        body = {"name": "fine", "granular_scopes": [{**scope, **place}]}
        assert NOT_FOUND == refusal(fakeplat, "eve", "POST", OWN, json=body)


def test_a_day_that_is_too_late_is_refused(fakeplat: Fakeplat) -> None:
    """A fine-grained token is valid for at most 365 days, too."""
    body = {"name": "fine", "granular_scopes": [of_user("read_user")], "expires_at": "2021-11-21"}

    late = (422, {"message": "Expiration date must be before 2021-11-20"})
    assert late == refusal(fakeplat, "dev", "POST", OWN, json=body)


def test_administrators_create_fine_grained_impersonation_tokens(fakeplat: Fakeplat) -> None:
    """An impersonation token may be fine-grained; the memberships of its user count, and only administrators may."""
    path = f"users/{person(fakeplat, 'dev')}/impersonation_tokens"
    site = fakeplat.as_user("dev").get(SITE).json()["id"]
    chosen = {"access": "selected_memberships", "permissions": ["read_project"], "project_ids": [site]}
    body = {"name": "fine", "granular_scopes": [chosen]}

    token = fakeplat.as_user("root").post(path, json=body).json()
    assert (True, True, ["granular"]) == (token["impersonation"], token["granular"], token["scopes"])
    assert "granular_scopes" not in token
    assert 200 == status(fakeplat, token["token"], SITE)
    assert lacking("project", "Work Item: Read") == send(fakeplat, token["token"], f"{SITE}/issues")

    both = {**body, "scopes": ["api"]}
    exclusive = invalid("scopes, granular_scopes are mutually exclusive")
    assert exclusive == refusal(fakeplat, "root", "POST", path, json=both)
    assert 403 == refusal(fakeplat, "dev", "POST", path, json=body)[0]
    notes = fakeplat.as_user("root").get(f"projects/{NOTES}").json()["id"]
    hidden = {"name": "fine", "granular_scopes": [{**chosen, "project_ids": [notes]}]}
    assert NOT_FOUND == refusal(fakeplat, "root", "POST", path, json=hidden)


def test_fine_grained_tokens_do_not_gain_permissions(fakeplat: Fakeplat) -> None:
    """With a fine-grained token, only tokens with its own permissions or fewer can be created."""
    value = issue(fakeplat, of_user("create_personal_access_token", "read_user"), everywhere("read_job"))
    site = fakeplat.as_user("dev").get(SITE).json()["id"]

    def ask(*scopes: Scope) -> Outcome:
        return send(fakeplat, value, OWN, "POST", json={"name": "next", "granular_scopes": list(scopes)})

    refused = (403, {"message": ESCALATED})
    inside = {"access": "selected_memberships", "project_ids": [site]}
    assert refused == ask(of_user("read_user", "create_user"))
    assert refused == ask({"access": "instance", "permissions": ["read_user"]})
    assert refused == ask({**inside, "permissions": ["read_project"]})
    for allowed in (of_user("read_user"), {**inside, "permissions": ["read_job"]}, everywhere("read_job")):
        assert 201 == ask(allowed)[0]
    assert 201 == ask({"access": "personal_projects", "permissions": ["read_job"]})[0]


def test_a_token_of_a_group_covers_what_is_below(fakeplat: Fakeplat) -> None:
    """A fine-grained token of a group can create tokens for its projects and subgroups, and not for others."""
    ada = fakeplat.as_user("ada")
    ids = {path: ada.get(path).json()["id"] for path in ("groups/acme", "groups/acme%2Ftools", SITE, KIT)}
    tools = {"access": "selected_memberships", "group_ids": [ids["groups/acme%2Ftools"]], "permissions": ["read_job"]}
    value = issue(fakeplat, of_user("create_personal_access_token"), tools, user="ada")

    def ask(**place: list[int]) -> int:
        scope = {"access": "selected_memberships", "permissions": ["read_job"], **place}
        return status(fakeplat, value, OWN, "POST", json={"name": "next", "granular_scopes": [scope]})

    assert [201, 201] == [ask(project_ids=[ids[KIT]]), ask(group_ids=[ids["groups/acme%2Ftools"]])]
    assert [403, 403] == [ask(project_ids=[ids[SITE]]), ask(group_ids=[ids["groups/acme"]])]


def test_rotation_keeps_the_permissions(fakeplat: Fakeplat) -> None:
    """A rotated token has the permissions of the old one, and the answer shows them."""
    value = issue(fakeplat, of_user("rotate_personal_access_token", "read_user"))

    code, rotated = send(fakeplat, value, f"{PATH}/self/rotate", "POST")
    assert (200, ["granular"], True) == (code, rotated["scopes"], rotated["granular"])
    assert "granular_scopes" not in rotated
    code, again = send(fakeplat, rotated["token"], f"{PATH}/{rotated['id']}/rotate", "POST")
    expected = {"access": "user", "permissions": ["rotate_personal_access_token", "read_user"]}
    assert (200, [{**expected, "project_id": None, "group_id": None}]) == (code, again["granular_scopes"])
    assert 200 == status(fakeplat, again["token"], "user")


# permissions


def test_operations_need_their_permission(fakeplat: Fakeplat) -> None:
    """An operation needs its permission within the project; the refusal names what is missing."""
    value = issue(fakeplat, everywhere("read_work_item"))

    assert 200 == status(fakeplat, value, f"{SITE}/issues")
    assert lacking("project", "Work Item: Create") == send(
        fakeplat, value, f"{SITE}/issues", "POST", json={"title": "New"}
    )
    assert lacking("project", "Project: Read") == send(fakeplat, value, SITE)
    assert lacking("group", "Group: Read") == send(fakeplat, value, "groups/acme%2Ftools")
    assert lacking("user", "User: Read") == send(fakeplat, value, "user")
    assert lacking("instance", "Metadata: Read") == send(fakeplat, value, "version")


def test_a_permission_does_not_replace_the_role(fakeplat: Fakeplat) -> None:
    """A token has no more rights than its user, whatever its permissions."""
    value = issue(fakeplat, everywhere("delete_project", "create_work_item"))

    assert 403 == status(fakeplat, value, SITE, "DELETE")
    assert 201 == status(fakeplat, value, f"{SITE}/issues", "POST", json={"title": "New"})


def test_permissions_are_checked_before_parameters(fakeplat: Fakeplat) -> None:
    """A token without the permission does not learn which parameters are missing, and changes nothing."""
    value = issue(fakeplat, of_user("read_user"))
    send(fakeplat, value, "user")
    before = fakeplat.bench.platform.state

    assert lacking("project", "Work Item: Create") == send(fakeplat, value, f"{SITE}/issues", "POST", json={})
    assert before is fakeplat.bench.platform.state


def test_some_operations_need_two_permissions(fakeplat: Fakeplat) -> None:
    """The pipelines of a schedule need the permission for schedules and the one for pipelines."""
    path = f"{SITE}/pipeline_schedules/1/pipelines"
    token = issue(fakeplat, everywhere("read_pipeline_schedule"))
    neither = issue(fakeplat, of_user("read_user"))

    assert lacking("project", "Pipeline: Read") == send(fakeplat, token, path)
    assert lacking("project", "Pipeline Schedule: Read", "Pipeline: Read") == send(fakeplat, neither, path)
    both = issue(fakeplat, everywhere("read_pipeline_schedule", "read_pipeline"))
    assert 404 == status(fakeplat, both, path)


def test_selected_groups_cover_their_projects(fakeplat: Fakeplat) -> None:
    """A scope of a group covers its subgroups and projects, one of a project only that project."""
    dev = fakeplat.as_user("dev")
    site, tools = dev.get(SITE).json()["id"], dev.get("groups/acme%2Ftools").json()["id"]
    scope = {"access": "selected_memberships", "permissions": ["read_project"]}
    of_site = issue(fakeplat, {**scope, "project_ids": [site]})
    of_tools = issue(fakeplat, {**scope, "group_ids": [tools]})

    assert [200, 403] == [status(fakeplat, of_site, path) for path in (SITE, KIT)]
    assert [403, 200] == [status(fakeplat, of_tools, path) for path in (SITE, KIT)]


def test_personal_projects_are_those_of_the_user(fakeplat: Fakeplat) -> None:
    """A scope for personal projects covers the projects in the user's own namespace."""
    value = issue(fakeplat, {"access": "personal_projects", "permissions": ["read_project"]}, user="ada")

    assert 200 == status(fakeplat, value, f"projects/{NOTES}")
    assert lacking("project", "Project: Read") == send(fakeplat, value, SITE)


def test_all_memberships_leave_out_foreign_projects(fakeplat: Fakeplat) -> None:
    """All memberships are those of the user: an internal project of others is refused, a hidden one is not found."""
    value = issue(fakeplat, everywhere("read_project"), user="eve")

    assert lacking("project", "Project: Read") == send(fakeplat, value, KIT)
    assert NOT_FOUND == send(fakeplat, value, SITE)
    assert NOT_FOUND == send(fakeplat, value, "projects/acme%2Fmissing")


def test_administrators_belong_everywhere(fakeplat: Fakeplat) -> None:
    """For administrators, all memberships are all projects; the instance has permissions of its own."""
    value = issue(fakeplat, everywhere("read_project"), user="root")

    assert 200 == status(fakeplat, value, SITE)
    assert lacking("instance", "Application Setting: Read") == send(fakeplat, value, "application/settings")
    settings = issue(fakeplat, {"access": "instance", "permissions": ["read_application_setting"]}, user="root")
    assert 200 == status(fakeplat, settings, "application/settings")


def test_public_projects_need_no_permission_for_reads(fakeplat: Fakeplat) -> None:
    """What anonymous callers may read in a public project, every fine-grained token may read; the rest it may not."""
    value = issue(fakeplat, of_user("read_user"), user="eve")

    assert [200, 200] == [status(fakeplat, value, path) for path in (DOCS, f"{DOCS}/issues")]
    assert lacking("project", "Work Item: Create") == send(
        fakeplat, value, f"{DOCS}/issues", "POST", json={"title": "New"}
    )
    assert lacking("project", "Variable: Read") == send(fakeplat, value, f"{DOCS}/variables")
    assert lacking("project", "Job: Read") == send(fakeplat, value, f"{DOCS}/jobs")


def test_some_operations_are_open_to_every_token(fakeplat: Fakeplat) -> None:
    """Templates, topics and broadcast messages need no permission."""
    value = issue(fakeplat, of_user("read_user"))

    paths = ("templates/licenses", "topics", "broadcast_messages")
    assert [200, 200, 200] == [status(fakeplat, value, path) for path in paths]


def test_either_of_two_boundaries_suffices(fakeplat: Fakeplat) -> None:
    """Withdrawing an access request needs the permission in the project or for the user; the project is named first."""
    path = f"{DOCS}/access_requests/{person(fakeplat, 'eve')}"
    assert 201 == fakeplat.as_user("eve").post(f"{DOCS}/access_requests").status
    without = issue(fakeplat, of_user("read_user"), user="eve")
    value = issue(fakeplat, of_user("delete_access_request"), user="eve")

    assert lacking("project", "Access Request: Delete") == send(fakeplat, without, path, "DELETE")
    assert 204 == status(fakeplat, value, path, "DELETE")


def test_runners_are_within_their_project_or_the_instance(fakeplat: Fakeplat) -> None:
    """The permission for a runner is needed in its project; for one of the instance, in the instance."""
    root = fakeplat.as_user("root")
    site = root.get(SITE).json()["id"]
    of_project = root.post("user/runners", json={"runner_type": "project_type", "project_id": site}).json()["id"]
    shared = root.post("user/runners", json={"runner_type": "instance_type"}).json()["id"]
    value = issue(fakeplat, everywhere("read_runner"), user="root")

    assert 200 == status(fakeplat, value, f"runners/{of_project}")
    assert lacking("instance", "Runner: Read") == send(fakeplat, value, f"runners/{shared}")


def test_deleting_a_project_deletes_its_scopes(fakeplat: Fakeplat) -> None:
    """The scope of a project goes with the project, while the token stays."""
    ada = fakeplat.as_user("ada")
    created = ada.post("projects", json={"name": "short"}).json()
    chosen = {"access": "selected_memberships", "permissions": ["read_job"], "project_ids": [created["id"]]}
    issue(fakeplat, of_user("read_user"), chosen, user="ada")
    ada.delete(f"projects/{created['id']}")
    path = ada.get(f"projects/{created['id']}").json()["path_with_namespace"]
    ada.delete(f"projects/{created['id']}", params={"permanently_remove": True, "full_path": path})

    *_, token = ada.get(PATH).json()
    assert [("user", None)] == [(row["access"], row["project_id"]) for row in token["granular_scopes"]]


# git and scenarios


def git_status(fake: Fakeplat, value: str, service: str, path: str = "acme/site.git") -> tuple[int, str]:
    """Return the answer to git with a token as its password."""
    credentials = {"Authorization": f"Basic {b64encode(f'dev:{value}'.encode()).decode()}"}
    reply = fake.as_user(None).get(f"{fake.url}/{path}/info/refs?service={service}", headers=credentials)
    return reply.status, reply.text if reply.status != 200 else ""


def test_git_needs_permissions_for_code(fakeplat: Fakeplat) -> None:
    """Fetching needs the permission to download code, pushing the one to push it."""
    fetches = issue(fakeplat, everywhere("download_code"))
    pushes = issue(fakeplat, everywhere("download_code", "push_code"))
    nothing = issue(fakeplat, everywhere("read_repository"))

    assert (200, "") == git_status(fakeplat, fetches, "git-upload-pack")
    assert (403, "You are not allowed to upload code.") == git_status(fakeplat, fetches, "git-receive-pack")
    assert (200, "") == git_status(fakeplat, pushes, "git-receive-pack")
    assert (403, "You are not allowed to download code.") == git_status(fakeplat, nothing, "git-upload-pack")


def test_scenarios_have_fine_grained_tokens(fakeplat_factory: Factory) -> None:
    """A scenario declares the permissions of a token, an export keeps them, and loading them again changes nothing."""
    scopes = [
        {"access": "selected_memberships", "permissions": ["read_project"], "project": "acme/site"},
        {"access": "selected_memberships", "permissions": ["read_group"], "group": "acme/tools"},
        {"access": "instance", "permissions": ["read_metadata"]},
    ]
    tokens = [{"value": "dev-token"}, {"value": "fine", "name": "fine", "granular_scopes": scopes}]
    fake = fakeplat_factory(
        scenario={"extends": "starter", "users": [{"username": "dev", "tokens": tokens}]}, version="latest"
    )

    assert [200, 200, 403] == [status(fake, "fine", path) for path in (SITE, "version", f"{SITE}/issues")]
    exported = fake.export()
    dev = next(user for user in exported["users"] if user["username"] == "dev")
    assert [scopes] == [token["granular_scopes"] for token in dev["tokens"] if token["value"] == "fine"]
    again = fakeplat_factory(scenario=exported)
    assert exported == again.export()


# releases


@by_release(GRANULAR_TOKENS_ARE_ON, "expected", {"19.1": denied(DISABLED), "19.2": 200})
def test_tokens_are_on_from_the_release_that_makes_them_generally_available(
    fakeplat: Fakeplat, expected: object
) -> None:
    """Until 19.1 fine-grained tokens are behind a flag that is off; administrators can turn it on."""
    scopes = [{"access": "user", "permissions": ["read_user"]}]
    fakeplat.load({"users": [{"username": "dev", "tokens": [{"value": "fine", "granular_scopes": scopes}]}]})

    code, body = send(fakeplat, "fine", "user")
    assert expected == (200 if code == 200 else (code, body))
    assert 201 == fakeplat.as_user("root").post(f"features/{FLAG}", json={"value": "true"}).status
    assert 200 == status(fakeplat, "fine", "user")


def test_the_flag_turns_them_off(fakeplat: Fakeplat) -> None:
    """With the flag off, tokens are refused and none can be created; it may be on for single users."""
    value = issue(fakeplat, of_user("read_user"))
    root = fakeplat.as_user("root")
    root.post(f"features/{FLAG}", json={"value": "false"})

    assert denied(DISABLED) == send(fakeplat, value, "user")
    body = {"name": "fine", "granular_scopes": [of_user("read_user")]}
    assert NOT_FOUND == refusal(fakeplat, "dev", "POST", OWN, json=body)
    root.post(f"features/{FLAG}", json={"value": "true", "user": "dev"})
    assert 200 == status(fakeplat, value, "user")


INSUFFICIENT = {
    "error": "insufficient_scope",
    "error_description": "The request requires higher privileges than provided by the access token.",
    "scope": "read_user api read_api",
}


@by_release(GRANULAR_TOKENS, "expected", {"18.9": (403, INSUFFICIENT), "18.10": denied(DISABLED)})
def test_older_releases_know_no_fine_grained_tokens(fakeplat: Fakeplat, expected: Outcome) -> None:
    """Before 18.10 the scope granular suffices for nothing."""
    scopes = [{"access": "user", "permissions": ["read_user"]}]
    fakeplat.load({"users": [{"username": "dev", "tokens": [{"value": "fine", "granular_scopes": scopes}]}]})

    assert expected == send(fakeplat, "fine", "user")


def test_unknown_tokens_stay_unauthorized(fakeplat: Fakeplat) -> None:
    """A revoked fine-grained token is refused as every other."""
    value = issue(fakeplat, of_user("revoke_personal_access_token"))

    assert 204 == status(fakeplat, value, f"{PATH}/self", "DELETE")
    assert 401 == status(fakeplat, value, f"{PATH}/self")
    assert UNAUTHORIZED[0] == status(fakeplat, "unknown", "user")
