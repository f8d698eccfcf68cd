"""Rules that protect image repositories and tags, by GraphQL.

Source: docs/platform/graphql.md, docs/platform/registry.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import IMAGE_TAGS_ARE_IMMUTABLE
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_project, query_refused, write_mutation

IMAGES = {"name": "web", "tags": ["latest", "v1", "7"]}
pytestmark = pytest.mark.fakeplat(
    version="latest",
    tier="ultimate",
    clock="virtual",
    scenario={
        "extends": "starter",
        "projects": [{"path_with_namespace": "acme/site", "container_repositories": [IMAGES]}],
    },
)
LEVELS = {"minimumAccessLevelForPush": "MAINTAINER", "minimumAccessLevelForDelete": "OWNER"}
NEW = {"projectPath": "acme/site", "repositoryPathPattern": "acme/site/web*", **LEVELS}
NEW_TAG_RULE = {"projectPath": "acme/site", "tagNamePattern": "^v", **LEVELS}
SHOWN = "repositoryPathPattern minimumAccessLevelForPush minimumAccessLevelForDelete"
TAG_SHOWN = "tagNamePattern minimumAccessLevelForPush minimumAccessLevelForDelete"
NO_LEVEL = "A rule must have at least a minimum access role for push or delete."
UNAUTHORIZED = "Unauthorized to create an immutable protection rule for container image tags"


def run(fake: Fakeplat, by: str, name: str, given: dict[str, Any], type_name: str, shown: str = "id") -> Any:
    """Run a mutation of rules and return the rule and the errors."""
    field = f"{type_name[0].lower()}{type_name[1:]}"
    payload = query_data(fake, by, write_mutation(f"{name}{type_name}", f"{field} {{ {shown} }}"), input=given)
    content = payload[f"{name}{type_name}"]
    return content[field], content["errors"]


def run_tag(fake: Fakeplat, by: str, name: str, given: dict[str, Any]) -> Any:
    return run(fake, by, name, given, "ContainerProtectionTagRule", f"id {TAG_SHOWN}")


@pytest.mark.parametrize(
    ("type_name", "field"),
    [
        pytest.param("ContainerRegistryProtectionRule", "", id="16.7", marks=pytest.mark.fakeplat(version="16.7")),
        pytest.param("ContainerProtectionRepositoryRule", "containerProtectionRepositoryRules", id="latest"),
    ],
)
def test_a_rule_for_repositories_is_created_changed_and_deleted(fakeplat: Fakeplat, type_name: str, field: str) -> None:
    """Maintainers protect image repositories; the names of the mutations changed."""
    rule, errors = run(fakeplat, "mia", "create", NEW, type_name, f"id {SHOWN}")
    assert [] == errors
    assert {"repositoryPathPattern": "acme/site/web*", **LEVELS} == {key: rule[key] for key in rule if key != "id"}
    assert rule["id"].startswith("gid://gitlab/ContainerRegistry::Protection::Rule/")
    if field:
        assert {field: {"nodes": [rule]}} == query_project(fakeplat, "mia", f"{field} {{ nodes {{ id {SHOWN} }} }}")
        assert {field: {"nodes": []}} == query_project(fakeplat, "dev", f"{field} {{ nodes {{ id }} }}")
    change = {"id": rule["id"], "minimumAccessLevelForDelete": None}
    changed, _ = run(fakeplat, "mia", "update", change, type_name, f"id {SHOWN}")
    assert {**rule, "minimumAccessLevelForDelete": None} == changed
    assert ({"id": rule["id"]}, []) == run(fakeplat, "mia", "delete", {"id": rule["id"]}, type_name)
    delete = write_mutation(f"delete{type_name}", "")
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "mia", delete, input={"id": rule["id"]}))


@pytest.mark.fakeplat(version="16.6")
def test_the_first_release_only_creates(fakeplat: Fakeplat) -> None:
    """In the first release rules are created, and not changed."""
    rule, _ = run(fakeplat, "mia", "create", NEW, "ContainerRegistryProtectionRule", f"id {SHOWN}")
    assert "acme/site/web*" == rule["repositoryPathPattern"]
    update = f'mutation {{ updateContainerRegistryProtectionRule(input: {{ id: "{rule["id"]}" }}) {{ errors }} }}'
    assert "doesn't exist on type 'Mutation'" in list_messages(query_refused(fakeplat, "mia", update))[0]


@pytest.mark.fakeplat(version="16.10")
def test_projects_list_rules(fakeplat: Fakeplat) -> None:
    """Projects list the rules from 16.10 on, newest first."""
    for pattern in ("acme/site/a", "acme/site/b"):
        run(fakeplat, "mia", "create", {**NEW, "repositoryPathPattern": pattern}, "ContainerRegistryProtectionRule")
    field = "containerProtectionRepositoryRules { nodes { repositoryPathPattern } }"
    rules = query_project(fakeplat, "mia", field)["containerProtectionRepositoryRules"]["nodes"]
    assert ["acme/site/b", "acme/site/a"] == [rule["repositoryPathPattern"] for rule in rules]


def test_a_rule_for_repositories_is_checked(fakeplat: Fakeplat) -> None:
    """What is wrong with a rule is listed, one message each; a blank pattern is an error of the query."""
    create = write_mutation("createContainerProtectionRepositoryRule", "containerProtectionRepositoryRule { id }")

    def refuse(by: str = "mia", **changes: Any) -> Any:
        return query_refused(fakeplat, by, create, input={**NEW, **changes})

    odd = refuse(repositoryPathPattern="prefix-acme/site!")["data"]["createContainerProtectionRepositoryRule"]
    assert {
        "containerProtectionRepositoryRule": None,
        "errors": [
            "Repository path pattern should be a valid container repository path with optional wildcard characters.",
            "Repository path pattern should start with the project's full path",
        ],
    } == odd
    empty = refuse(minimumAccessLevelForPush=None, minimumAccessLevelForDelete=None)
    assert [NO_LEVEL] == empty["data"]["createContainerProtectionRepositoryRule"]["errors"]
    assert ["repositoryPathPattern can't be blank"] == list_messages(refuse(repositoryPathPattern=" "))
    assert [[NOT_AVAILABLE]] * 2 == [list_messages(refuse(by)) for by in ("dev", "rep")]
    rule, _ = run(fakeplat, "mia", "create", NEW, "ContainerProtectionRepositoryRule")
    update = write_mutation("updateContainerProtectionRepositoryRule", "")
    blank = query_refused(fakeplat, "mia", update, input={"id": rule["id"], "repositoryPathPattern": ""})
    assert ["repositoryPathPattern can't be blank"] == list_messages(blank)
    denied = query_refused(fakeplat, "dev", update, input={"id": rule["id"]})
    assert [NOT_AVAILABLE] == list_messages(denied)


@pytest.mark.fakeplat(version="17.8")
def test_a_rule_for_tags_is_created_changed_and_deleted(fakeplat: Fakeplat) -> None:
    """Maintainers protect tags, from 17.8 on; others see no rules."""
    rule, errors = run_tag(fakeplat, "mia", "create", NEW_TAG_RULE)
    assert ([], "^v", "MAINTAINER") == (errors, rule["tagNamePattern"], rule["minimumAccessLevelForPush"])
    assert rule["id"].startswith("gid://gitlab/ContainerRegistry::Protection::TagRule/")
    field = f"containerProtectionTagRules {{ nodes {{ id {TAG_SHOWN} }} }}"
    assert {"containerProtectionTagRules": {"nodes": [rule]}} == query_project(fakeplat, "mia", field)
    assert {"containerProtectionTagRules": {"nodes": []}} == query_project(fakeplat, "dev", field)
    changed, _ = run_tag(fakeplat, "mia", "update", {"id": rule["id"], "tagNamePattern": "^w"})
    assert {**rule, "tagNamePattern": "^w"} == changed
    assert (changed, []) == run_tag(fakeplat, "mia", "delete", {"id": rule["id"]})
    assert {"containerProtectionTagRules": {"nodes": []}} == query_project(fakeplat, "mia", field)


def test_a_rule_for_tags_is_checked(fakeplat: Fakeplat) -> None:
    """A rule for tags has a valid expression that is not taken, and both roles or none; a project has five rules."""
    create = write_mutation("createContainerProtectionTagRule", "")

    def refuse(by: str = "mia", **changes: Any) -> Any:
        return query_refused(fakeplat, by, create, input={**NEW_TAG_RULE, **changes})

    def errors(**changes: Any) -> Any:
        return refuse(**changes)["data"]["createContainerProtectionTagRule"]["errors"]

    assert ["Tag name pattern not valid RE2 syntax: no argument for repetition operator: *"] == errors(
        tagNamePattern="*"
    )
    assert ["Access levels should either both be present or both be nil"] == errors(minimumAccessLevelForPush=None)
    assert ["tagNamePattern can't be blank"] == list_messages(refuse(tagNamePattern=""))
    assert [NOT_AVAILABLE] == list_messages(refuse("dev"))
    rules = [run_tag(fakeplat, "mia", "create", {**NEW_TAG_RULE, "tagNamePattern": f"^{n}"})[0] for n in range(4)]
    assert ["Tag name pattern has already been taken"] == errors(tagNamePattern="^0")
    run_tag(fakeplat, "mia", "create", NEW_TAG_RULE)
    assert ["Maximum number of protection rules have been reached."] == errors(tagNamePattern="^9")
    update = write_mutation("updateContainerProtectionTagRule", "containerProtectionTagRule { id }")
    taken = query_refused(fakeplat, "mia", update, input={"id": rules[0]["id"], "tagNamePattern": "^1"})
    assert {"containerProtectionTagRule": None, "errors": ["Tag name pattern has already been taken"]} == taken["data"][
        "updateContainerProtectionTagRule"
    ]


NO_ROLES = {"minimumAccessLevelForPush": None, "minimumAccessLevelForDelete": None}


@by_release(
    IMAGE_TAGS_ARE_IMMUTABLE,
    "errors",
    {"18.1": {"ada": ["Not available"], "mia": ["Not available"]}, "18.2": {"ada": [], "mia": [UNAUTHORIZED]}},
)
def test_owners_create_immutable_rules(fakeplat: Fakeplat, errors: dict[str, list[str]]) -> None:
    """A rule without roles is immutable; Owners create and delete it, and nobody changes it."""
    given = {**NEW_TAG_RULE, "tagNamePattern": "^7", **NO_ROLES}
    assert (None, errors["mia"]) == run_tag(fakeplat, "mia", "create", given)
    rule, said = run_tag(fakeplat, "ada", "create", given)
    assert errors["ada"] == said
    if rule is None:
        return
    field = "containerProtectionTagRules { nodes { tagNamePattern immutable } }"
    assert [{"tagNamePattern": "^7", "immutable": True}] == query_project(fakeplat, "mia", field)[
        "containerProtectionTagRules"
    ]["nodes"]
    change = {"id": rule["id"], "tagNamePattern": "^8"}
    assert (None, ["Operation not allowed"]) == run_tag(fakeplat, "ada", "update", change)
    delete = write_mutation("deleteContainerProtectionTagRule", "")
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "mia", delete, input={"id": rule["id"]}))
    assert (rule, []) == run_tag(fakeplat, "ada", "delete", {"id": rule["id"]})


@pytest.mark.fakeplat(tier="premium")
def test_immutable_rules_are_of_the_highest_tier(fakeplat: Fakeplat) -> None:
    """Below the highest tier nobody creates rules without roles."""
    assert (None, [UNAUTHORIZED]) == run_tag(fakeplat, "ada", "create", {**NEW_TAG_RULE, **NO_ROLES})


def read_protection(fake: Fakeplat, shown: str) -> dict[str, Any]:
    """Return what protects each tag."""
    (row,) = query_project(fake, "mia", "containerRepositories { nodes { id } }")["containerRepositories"]["nodes"]
    query = f"""query($id: ContainerRepositoryID!) {{ containerRepository(id: $id) {{
        tags {{ nodes {{ name protection {{ {shown} }} }} }} }} }}"""
    tags = query_data(fake, "mia", query, id=row["id"])["containerRepository"]["tags"]["nodes"]
    return {tag["name"]: tag["protection"] for tag in tags}


@pytest.mark.fakeplat(version="17.9")
def test_a_tag_shows_the_highest_roles(fakeplat: Fakeplat) -> None:
    """Of several rules that match a tag, the highest roles count; a tag without a rule has none."""
    run_tag(fakeplat, "mia", "create", NEW_TAG_RULE)
    more = {"minimumAccessLevelForPush": "ADMIN", "minimumAccessLevelForDelete": "MAINTAINER"}
    run_tag(fakeplat, "mia", "create", {**NEW_TAG_RULE, "tagNamePattern": "1$", **more})
    shown = "minimumAccessLevelForPush minimumAccessLevelForDelete"
    highest = {"minimumAccessLevelForPush": "ADMIN", "minimumAccessLevelForDelete": "OWNER"}
    assert {"7": None, "latest": None, "v1": highest} == read_protection(fakeplat, shown)


def test_an_immutable_tag_shows_so(fakeplat: Fakeplat) -> None:
    """A rule that nobody passes hides the roles of others; both types share an interface."""
    run_tag(fakeplat, "mia", "create", NEW_TAG_RULE)
    run_tag(fakeplat, "ada", "create", {**NEW_TAG_RULE, "tagNamePattern": "1$", **NO_ROLES})
    shown = "immutable ... on AccessLevelInterface { minimumAccessLevelForPush }"
    protection = read_protection(fakeplat, shown)
    assert {"7": None, "latest": None, "v1": {"immutable": True, "minimumAccessLevelForPush": None}} == protection
