"""Refusals that every operation shares, whatever it does."""

import re
from typing import Any

import pytest

from fakeplat.core.operations.invocation import invocation_of
from fakeplat.core.operations.operation import OPERATIONS, Operation
from fakeplat.core.params.params import binder_of

pytestmark = pytest.mark.fakeplat(tier="ultimate", version="latest")  # so that all operations are there

# Runners and their jobs have tokens of their own, which the operations check themselves.
# So have identity providers and OAuth applications; pages know the session only.
BY_USERS = [
    operation
    for operation in OPERATIONS
    if operation.area.name != "Runner protocol" and operation.area.credentials == "api"
]
API = [operation for operation in BY_USERS if operation.area.prefix and not operation.area.endpoint]
WITH_LOGIN = [
    operation for operation in BY_USERS if not (operation.area.bare or operation.area.basic or operation.area.endpoint)
]
LISTS = [operation for operation in API if operation.many and operation.paging]
NOWHERE = "999999999"
MISSING = {"projects": "Project", "groups": "Group", "users": "User", "snippets": "Snippet"}
PLACED = [
    operation
    for operation in API
    if operation.scope.segments
    and operation.scope.segments[0].path.partition("/")[0] in MISSING
    and not operation.path.endswith(("$metadata", "conan/v1/ping"))
    and "/users/" not in operation.path.partition("/conan/")[2]
]
"""The schema of the feed of NuGet packages is the same everywhere, and so are the credentials that Conan checks."""
SWITCHED_OFF = {
    "start_project_relations_export",
    "download_project_export_relation",
    "get_project_export_relations_status",
}
"""What a setting turns off by default, before the project is looked up."""
OPEN = {
    "get_package_nuget_index",
    "get_group_package_nuget_index",
    "get_package_nuget_symbolfile",
    "get_group_package_nuget_symbolfile",
    "get_package_nuget",
    "get_group_package_nuget",
    "list_package_nuget_packages",
    "get_package_nuget_find_packages_by_id",
    "list_project_package_nuget_packages",
    "get_group_package_pypi_file",
    "get_group_package_pypi_simple",
    "get_group_pypi_package",
    "download_group_maven_package_file",
    "download_project_maven_package_file",
}
"""What does not name what is missing, mostly because everybody may ask it."""
REGISTRY = re.compile(r"projects/:id/packages/(composer|debian|helm|nuget|pypi|rpm|terraform)\b|-/packages/debian")
"""Registries of projects and groups that ask for a password, and do not name what is missing either."""
ID_OF = {
    "namespaces": "acme",
    "projects": "acme%2Fsite",
    "groups": "acme",
    "group": "acme",
    "users": "2",
    "v1": "acme",
    "conans": "hello",
    "files": "hello",
    **dict.fromkeys(("snippets", "clusters", "hooks", "pipelines"), "1"),
}


WORDS = {":type": "licenses", ":module_version": "1.0.0"}
"""Parameters of paths that are not any word."""
WORDS_OF_CONAN = {
    ":package_name": "hello",
    ":package_version": "0.1",
    ":package_username": "acme+site",
    ":package_channel": "stable",
    ":file_name": "conanfile.py",
}


def choose_word(path: str, parameter: str) -> str:
    """Return a word that is valid in the place of a parameter of a path."""
    if "/conan/" not in path:
        return WORDS.get(parameter, "1")
    revision = "a" * 32 if "/conan/v2/" in path else "0"
    return WORDS_OF_CONAN.get(parameter, revision if parameter.endswith("_revision") else "1")


def build_target(operation: Operation, outermost: str | None = None) -> str:
    """The operation's path with something in the place of each parameter."""
    parts = operation.path.split("/")
    named = [position for position, part in enumerate(parts) if part.startswith(":")]
    for position in named:
        parts[position] = choose_word(operation.path, parts[position])
    if operation.scope.segments and named:
        parts[named[0]] = outermost or ID_OF[parts[named[0] - 1]]
    # The name of a distribution is checked before its project is looked up.
    return "/".join(parts).replace("*distribution", "sid")


def build_required_query(operation: Operation) -> str:
    """The query's beginning: something for each required parameter."""
    schema = binder_of(operation.params).schema()
    required = {name: schema["properties"][name] for name in schema.get("required", ())}
    values = {
        name: 5001 if each.get("type") == "integer" else each.get("enum", ["master"])[0]
        for name, each in required.items()
    }
    return "".join(f"{name}={value}&" for name, value in values.items())


ENDED = pytest.mark.fakeplat(version="13.5.1")


def for_each(operations: list[Operation]) -> pytest.MarkDecorator:
    """Run a test with each operation, in the first release if later ones removed it."""
    params = [
        pytest.param(operation, id=operation.name, marks=[ENDED] if operation.until else []) for operation in operations
    ]
    return pytest.mark.parametrize("operation", params)


def refusal_of(operation: Operation, message: str) -> dict[str, str]:
    """The body of a refusal: Maven's repeats the message."""
    return dict.fromkeys(("message", "error") if operation.area.name == "Packages (Maven)" else ("message",), message)


@for_each(WITH_LOGIN)
def test_an_unknown_token_is_401_even_where_everybody_may_look(fakeplat: Any, operation: Operation) -> None:
    """Every operation answers 401 to an unknown token before anything else."""
    path = build_target(operation).replace("*path", "acme").replace("*project", "acme/site")
    reply = fakeplat.as_user(None).request(
        operation.method, f"{fakeplat.url}{path}", headers={"PRIVATE-TOKEN": "no-such-token"}
    )
    assert (401, refusal_of(operation, "401 Unauthorized")) == (reply.status, reply.json())


@for_each([operation for operation in API if not operation.area.any_scope])
def test_a_token_whose_scopes_do_not_reach_is_403(fakeplat: Any, operation: Operation) -> None:
    """A token without a sufficient scope gets a 403 that names the scopes."""
    token = fakeplat.token("root", scopes=["read_registry"])
    reply = fakeplat.as_user(None).request(operation.method, build_target(operation), headers={"PRIVATE-TOKEN": token})
    assert (403, "insufficient_scope") == (reply.status, reply.json()["error"])


@for_each(PLACED)
def test_a_place_that_is_not_there_is_404_or_a_400_before_it(fakeplat: Any, operation: Operation) -> None:
    """An unknown container answers 404, after missing parameters answer 400."""
    before = fakeplat.bench.platform.state
    reply = fakeplat.as_user("root").request(operation.method, build_target(operation, NOWHERE))
    outermost = operation.scope.segments[0].path.split("/")[0]
    nameless = operation.name in SWITCHED_OFF | OPEN or REGISTRY.search(operation.path)
    resource = "" if nameless else MISSING[outermost]
    missing_first = binder_of(operation.params).absent or binder_of(operation.params).rules
    if missing_first and reply.status == 400:
        assert "missing" in reply.json()["error"]
    else:
        message = f"404 {resource} Not Found".replace("  ", " ")
        # The registry of npm names the resource a second time, in the words that npm shows.
        shown = {"error": f"{resource} not found"} if operation.area.name == "Packages (npm)" else {}
        assert (404, {**refusal_of(operation, message), **shown}) == (reply.status, reply.json())
    assert before is fakeplat.bench.platform.state


ADDING = {"create_merge_train_car"}
"""What answers with a list that no GET of the same path shows."""
SMALL_PAGES = {"list_package_pipelines"}
"""Lists whose pages have declared sizes."""


@for_each(LISTS)
@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("page=first", "page is invalid"),
        ("per_page=all", "per_page is invalid"),
        ("per_page=0", "per_page has a value not allowed"),
    ],
)
def test_every_list_checks_its_page(fakeplat: Any, operation: Operation, query: str, error: str) -> None:
    """Every list refuses invalid page numbers."""
    if operation.name in SMALL_PAGES:
        error = error.replace("has a value not allowed", "does not have a valid value")
    # Clusters that are off are not found, whatever is asked.
    fakeplat.as_user("root").post("features/certificate_based_clusters", json={"value": True})
    path = f"{build_target(operation)}?{build_required_query(operation)}{query}"
    reply = fakeplat.as_user("root").request("POST" if operation.name in ADDING else "GET", path)
    assert (400, {operation.area.params_error_key: error}) == (reply.status, reply.json())


UNCOUNTED = {"search_instance", "search_group", "search_group_alias", "list_commits", "list_jobs"}
"""The platform lists these without counting."""


@for_each(LISTS)
def test_every_list_tells_its_pages(fakeplat: Any, operation: Operation) -> None:
    """HEAD of each list that is there carries the headers of offset pages and no body."""
    reply = fakeplat.as_user("root").head(f"{build_target(operation)}?{build_required_query(operation)}per_page=1")
    # For the platform, nobody may list the issues of an epic that is not there.
    if reply.status not in (403, 404):
        expected = {"X-Page", "X-Per-Page", "X-Next-Page", "X-Prev-Page", "Link"}
        totals = set() if operation.name in UNCOUNTED else {"X-Total", "X-Total-Pages"}
        assert (200, b"") == (reply.status, reply.content)
        assert expected | totals <= set(reply.headers)


NUMBERED = [operation for operation in OPERATIONS if any(value.kind is int for value in invocation_of(operation).tail)]
IN_PAIRS = {("download_project_export_relation", "batched"), ("download_group_export_relation", "batched")}
"""Switches that are sent together with another parameter, whose absence is told as well."""
SWITCHED = [
    (operation, name)
    for operation in API
    if operation.method == "GET"
    for name, schema in binder_of(operation.params).schema()["properties"].items()
    if schema.get("type") == "boolean" and (operation.name, name) not in IN_PAIRS
]


@for_each(NUMBERED)
def test_a_number_in_a_path_is_a_number(fakeplat: Any, operation: Operation) -> None:
    """A non-numeric id is refused with the parameter's name before the record is searched."""
    fakeplat.as_user("root").post("features/certificate_based_clusters", json={"value": True})
    name = next(value.name for value in invocation_of(operation).tail if value.kind is int)
    path = build_target(operation).split("/")
    path[operation.path.split("/").index(f":{name}")] = "first"
    reply = fakeplat.as_user("root").request(operation.method, fakeplat.url + "/".join(path))
    assert (400, {"error": f"{name} is invalid"}) == (reply.status, reply.json())


@pytest.mark.parametrize(
    ("operation", "name"), SWITCHED, ids=[f"{operation.name} {name}" for operation, name in SWITCHED]
)
def test_a_switch_is_true_or_false(fakeplat: Any, operation: Operation, name: str) -> None:
    """Every boolean of every read refuses other words."""
    reply = fakeplat.as_user("root").get(f"{build_target(operation)}?{build_required_query(operation)}{name}=maybe")
    assert (400, {"error": f"{name} is invalid"}) == (reply.status, reply.json())


@pytest.mark.parametrize("path", ["projects/acme%2Fsite/labels?name=bug", "groups/acme/labels?name=urgent"])
def test_a_label_that_changed_since_is_not_deleted_by_parameter(fakeplat: Any, path: str) -> None:
    """Deleting a label by parameter honours If-Unmodified-Since."""
    owner = fakeplat.as_user("ada")
    old = owner.delete(path, headers={"If-Unmodified-Since": "Fri, 20 Nov 2020 08:00:00 GMT"})
    assert (412, {"message": "412 Precondition Failed"}) == (old.status, old.json())
    assert 204 == owner.delete(path, headers={"If-Unmodified-Since": "Fri, 20 Nov 2020 10:00:00 GMT"}).status


def test_a_membership_that_changed_since_is_not_removed(fakeplat: Any) -> None:
    """Deleting a membership honours If-Unmodified-Since."""
    owner, eve = fakeplat.as_user("ada"), fakeplat.world.user("eve").id
    owner.post("projects/acme%2Fsite/members", json={"user_id": eve, "access_level": 10})
    path = f"projects/acme%2Fsite/members/{eve}"
    old = owner.delete(path, headers={"If-Unmodified-Since": "Fri, 20 Nov 2020 08:00:00 GMT"})
    assert (412, {"message": "412 Precondition Failed"}) == (old.status, old.json())
    assert 204 == owner.delete(path).status


def test_a_group_takes_only_users_that_exist_as_members(fakeplat: Any) -> None:
    """An unknown user id is 404."""
    reply = fakeplat.as_user("ada").post("groups/acme/members", json={"user_id": 999_999, "access_level": 10})
    assert (404, {"message": "404 User Not Found"}) == (reply.status, reply.json())
