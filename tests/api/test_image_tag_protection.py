"""Rules that protect tags of images, in the API and in docker's protocol. Source: docs/platform/registry.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import IMAGE_TAGS_ARE_IMMUTABLE, IMAGE_TAGS_ARE_PROTECTED
from tests.api.company import COMPANY
from tests.api.images import repository, tags
from tests.api.package_files import SITE
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    missing_value,
    outcome,
    refusal,
)
from tests.api.test_image_distribution import Images, build_manifest, digest
from tests.api.test_registry_tokens import read_claims, request_token
from tests.by_release import by_release
from tests.graphql.queries import query_data, write_mutation

pytestmark = pytest.mark.fakeplat(clock="virtual", scenario=COMPANY, version="18.11", tier="ultimate")
RULES = f"{SITE}/registry/protection/tag/rules"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
RULE = {
    "tag_name_pattern": "^v",
    "minimum_access_level_for_push": "maintainer",
    "minimum_access_level_for_delete": "owner",
}
IMMUTABLE = {"tag_name_pattern": r"^\d+$"}
ONE_LEVEL = "Access levels should either both be present or both be nil"


def protect(fake: Fakeplat, **values: Any) -> dict[str, Any]:
    """Create a rule as a maintainer."""
    reply = fake.as_user("mia").post(RULES, json={**RULE, **values})
    assert 201 == reply.status, reply.text
    return dict(reply.json())


def declare(fake: Fakeplat, *rules: dict[str, Any]) -> None:
    """Give the project rules and images by a scenario."""
    images = [{"name": "web", "tags": ["latest", "v1", "7"]}]
    project = {"container_tag_protection_rules": [*rules], "container_repositories": images}
    fake.load({"projects": [{"path_with_namespace": "acme/site", **project}]})


def refused(*texts: str) -> Outcome:
    return 422, {"message": [*texts]}


def refused_change(texts: object) -> Outcome:
    return 422, {"message": {"error": texts}}


# The rules


def test_a_rule_is_created_changed_and_deleted(fakeplat: Fakeplat) -> None:
    """A rule has a pattern and both levels; it is changed in part and deleted."""
    rule, caller = protect(fakeplat), fakeplat.as_user("mia")
    assert {"id": rule["id"], "project_id": fakeplat.world.project("acme/site").id, **RULE} == rule
    assert (200, [rule]) == outcome(caller.get(RULES))
    rule_path = f"{RULES}/{rule['id']}"
    changed = caller.request("PATCH", rule_path, json={"tag_name_pattern": "stable$"})
    assert (200, {**rule, "tag_name_pattern": "stable$"}) == outcome(changed)
    assert STALE == refusal(fakeplat, "mia", "DELETE", rule_path, headers=LONG_AGO)
    assert 204 == caller.delete(rule_path).status
    assert (200, []) == outcome(caller.get(RULES))
    assert [NOT_FOUND] * 2 == [refusal(fakeplat, "mia", method, rule_path, json={}) for method in ("PATCH", "DELETE")]


@pytest.mark.parametrize("name", list(RULE))
def test_a_new_rule_needs_its_pattern_and_both_levels(fakeplat: Fakeplat, name: str) -> None:
    """The API creates no rule without one of its three attributes."""
    body = {key: value for key, value in RULE.items() if key != name}
    text = f"{name} is missing" if name == "tag_name_pattern" else missing_value(name)
    assert invalid(text) == refusal(fakeplat, "mia", "POST", RULES, json=body)


def test_levels_begin_with_maintainers(fakeplat: Fakeplat) -> None:
    """Developers are no level of a rule."""
    expected = invalid("minimum_access_level_for_push does not have a valid value")
    body = {**RULE, "minimum_access_level_for_push": "developer"}
    assert expected == refusal(fakeplat, "mia", "POST", RULES, json=body)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("", "Tag name pattern can't be blank"),
        ("^v", "Tag name pattern has already been taken"),
        ("x" * 101, "Tag name pattern is too long (maximum is 100 characters)"),
        ("*", "Tag name pattern not valid RE2 syntax: no argument for repetition operator: *"),
    ],
    ids=["blank", "taken", "long", "syntax"],
)
def test_patterns_are_regular_expressions_and_unique(fakeplat: Fakeplat, pattern: str, text: str) -> None:
    """A pattern is a regular expression of RE2 with at most 100 characters, once in its project."""
    protect(fakeplat)
    body = {**RULE, "tag_name_pattern": pattern}
    assert refused(text) == refusal(fakeplat, "mia", "POST", RULES, json=body)
    rule_path = f"{RULES}/{protect(fakeplat, tag_name_pattern='other')['id']}"
    assert refused_change([text]) == refusal(fakeplat, "mia", "PATCH", rule_path, json={"tag_name_pattern": pattern})


def test_a_project_has_five_rules_at_most(fakeplat: Fakeplat) -> None:
    """The sixth rule of a project is refused; immutable ones count."""
    declare(fakeplat, IMMUTABLE)
    for number in range(4):
        protect(fakeplat, tag_name_pattern=f"^{number}")
    expected = (422, {"message": "Maximum number of protection rules have been reached."})
    assert expected == refusal(fakeplat, "mia", "POST", RULES, json=RULE)


def test_levels_are_not_removed(fakeplat: Fakeplat) -> None:
    """A rule keeps both levels: without one it is invalid, without both it would become immutable."""
    rule_path = f"{RULES}/{protect(fakeplat)['id']}"
    push, delete = {"minimum_access_level_for_push": ""}, {"minimum_access_level_for_delete": ""}
    assert [refused_change([ONE_LEVEL])] * 2 == [
        refusal(fakeplat, "mia", "PATCH", rule_path, json=body) for body in (push, delete)
    ]
    expected = refused_change(["Cannot create an immutable tag rule from a protection rule"])
    assert expected == refusal(fakeplat, "mia", "PATCH", rule_path, json={**push, **delete})


def test_immutable_rules_are_only_deleted_and_by_owners(fakeplat: Fakeplat) -> None:
    """An immutable rule is not listed and not changed; owners delete it."""
    declare(fakeplat, IMMUTABLE)
    (rule,) = fakeplat.bench.platform.view.container_tag_protection_rules.all()
    rule_path = f"{RULES}/{rule.id}"
    assert (200, []) == outcome(fakeplat.as_user("mia").get(RULES))
    assert refused_change("Operation not allowed") == refusal(fakeplat, "mia", "PATCH", rule_path, json=RULE)
    assert FORBIDDEN == refusal(fakeplat, "mia", "DELETE", rule_path)
    assert 204 == fakeplat.as_user("ada").delete(rule_path).status


def test_rules_are_for_maintainers(fakeplat: Fakeplat) -> None:
    """Below Maintainer rules are neither read nor changed."""
    rule_path = f"{RULES}/{protect(fakeplat)['id']}"
    calls = (("GET", RULES), ("POST", RULES), ("PATCH", rule_path), ("DELETE", rule_path))
    assert [UNAUTHORIZED] * 4 == [refusal(fakeplat, None, method, path, json=RULE) for method, path in calls]
    assert [FORBIDDEN] * 4 == [refusal(fakeplat, "dev", method, path, json=RULE) for method, path in calls]


# What they protect


def test_a_token_names_the_tags_that_it_excludes(fakeplat: Fakeplat) -> None:
    """A token of the registry has the patterns that the user's role may not push or delete, and the immutable ones."""
    declare(fakeplat, RULE, IMMUTABLE)
    scope = "repository:acme/site/web:pull,push,delete"
    metas = {
        name: read_claims(request_token(fakeplat, scope, auth=("x", fakeplat.token(name))))["access"][0]["meta"]
        for name in ("dev", "mia", "ada", "root")
    }
    denied = {
        "dev": {"push": ["^v"]},
        "mia": {"push": [], "delete": ["^v"]},
        "ada": {"push": [], "delete": []},
        "root": {"push": [], "delete": []},
    }
    assert denied == {name: meta["tag_deny_access_patterns"] for name, meta in metas.items()}
    assert {(r"^\d+$",)} == {tuple(meta["tag_immutable_patterns"]) for meta in metas.values()}


def test_who_pushes_a_protected_tag(fakeplat: Fakeplat) -> None:
    """Below the level of a rule no matching tag is pushed, under whatever name others are."""
    protect(fakeplat)
    images = Images.of(fakeplat, "dev")
    images.push("stable")
    reply = images.put("v1", build_manifest())
    assert (401, "PROTECTED_TAG", 'tag "v1" is protected') == (
        reply.status_code,
        reply.json()["errors"][0]["code"],
        reply.json()["errors"][0]["detail"],
    )
    assert ["stable"] == tags(fakeplat)
    assert 201 == Images.of(fakeplat, "mia").put("v1", build_manifest()).status_code


def test_a_token_keeps_the_rules_that_it_was_issued_with(fakeplat: Fakeplat) -> None:
    """A rule takes effect with the next token."""
    images = Images.of(fakeplat, "dev")
    protect(fakeplat)
    images.push("v1")
    assert 401 == Images.of(fakeplat, "dev").put("v1", build_manifest()).status_code


def test_who_deletes_a_protected_tag_in_the_registry(fakeplat: Fakeplat) -> None:
    """Below the level no matching tag is deleted, and no manifest, whose tags would go with it."""
    manifest = Images.of(fakeplat).push("v1")
    Images.of(fakeplat).push("stable")
    protect(fakeplat)
    images = Images.of(fakeplat)
    replies = [images("DELETE", f"manifests/{reference}") for reference in ("v1", digest(manifest), "stable")]
    assert [401, 401, 202] == [reply.status_code for reply in replies]
    codes = [reply.json()["errors"][0]["code"] for reply in replies[:2]]
    assert ["PROTECTED_TAG", "PROTECTED_MANIFEST"] == codes
    assert 202 == Images.of(fakeplat, "ada")("DELETE", f"manifests/{digest(manifest)}").status_code


def test_immutable_tags_are_created_once(fakeplat: Fakeplat) -> None:
    """A tag that matches an immutable rule is created, and neither moved nor deleted, not even by administrators."""
    declare(fakeplat, {**IMMUTABLE, "tag_name_pattern": "^r"})
    for user in ("dev", "root"):
        images = Images.of(fakeplat, user)
        images.push(f"r-{user}")
        replies = [images.put(f"r-{user}", build_manifest())]
        if user == "root":
            replies.append(images("DELETE", f"manifests/r-{user}"))
        assert {(400, "IMMUTABLE_TAG")} == {(reply.status_code, reply.json()["errors"][0]["code"]) for reply in replies}


def test_who_deletes_a_protected_tag_in_the_api(fakeplat: Fakeplat) -> None:
    """The API deletes no tag that a rule protects from the caller, and no immutable one."""
    declare(fakeplat, RULE, IMMUTABLE)
    path = f"{repository(fakeplat)}/tags"
    assert [FORBIDDEN] * 3 == [
        refusal(fakeplat, user, "DELETE", f"{path}/{name}")
        for user, name in (("mia", "v1"), ("mia", "7"), ("root", "7"))
    ]
    assert [200, 200] == [
        fakeplat.as_user(user).delete(f"{path}/{name}").status for user, name in (("mia", "latest"), ("ada", "v1"))
    ]
    assert ["7"] == tags(fakeplat)


def test_graphql_spares_protected_tags(fakeplat: Fakeplat) -> None:
    """GraphQL deletes the tags that it may; only if all are protected, it says so."""
    declare(fakeplat, RULE, IMMUTABLE)
    id_ = f"gid://gitlab/ContainerRepository/{repository(fakeplat).rpartition('/')[2]}"
    mutation = write_mutation("destroyContainerRepositoryTags", "deletedTagNames")
    answers = [
        query_data(fakeplat, "mia", mutation, input={"id": id_, "tagNames": names})["destroyContainerRepositoryTags"]
        for names in (["v1", "latest"], ["v1", "7"])
    ]
    assert [
        {"deletedTagNames": ["latest"], "errors": []},
        {"deletedTagNames": [], "errors": ["cannot delete protected tag(s)"]},
    ] == answers


def test_bulk_deletion_spares_protected_tags(fakeplat: Fakeplat) -> None:
    """Tags that a rule protects from who deletes in bulk stay."""
    declare(fakeplat, RULE, IMMUTABLE)
    path = f"{repository(fakeplat)}/tags"
    assert 202 == fakeplat.as_user("mia").request("DELETE", path, json={"name_regex": ".*"}).status
    fakeplat.clock.advance("1m")
    assert ["7", "latest", "v1"] == tags(fakeplat)
    fakeplat.clock.advance("1h")
    fakeplat.as_user("ada").request("DELETE", path, json={"name_regex": ".*"})
    fakeplat.clock.advance("1m")
    assert ["7", "latest"] == tags(fakeplat)


def test_deploy_tokens_push_protected_tags(fakeplat: Fakeplat) -> None:
    """A deploy token is no user with a role, so rules that name roles do not hold for it."""
    protect(fakeplat)
    body = {"name": "ci", "scopes": ["read_registry", "write_registry"]}
    token = fakeplat.as_user("mia").post(f"{SITE}/deploy_tokens", json=body).json()
    auth = (token["username"], token["token"])
    reply = request_token(fakeplat, "repository:acme/site/web:pull,push", auth=auth)
    (access,) = read_claims(reply)["access"]
    assert (["pull", "push"], False) == (access["actions"], "meta" in access)


@by_release(IMAGE_TAGS_ARE_PROTECTED, "expected", {"17.10": 200, "17.11": 403})
def test_rules_hold_from_17_11_on(fakeplat: Fakeplat, expected: int) -> None:
    """Rules of a scenario protect nothing in earlier releases."""
    declare(fakeplat, RULE)
    assert expected == fakeplat.as_user("dev").delete(f"{repository(fakeplat)}/tags/v1").status


@by_release(IMAGE_TAGS_ARE_IMMUTABLE, "expected", {"18.1": 200, "18.2": 403})
def test_immutable_rules_hold_from_18_2_on(fakeplat: Fakeplat, expected: int) -> None:
    """Immutable rules of a scenario protect nothing in earlier releases."""
    declare(fakeplat, IMMUTABLE)
    assert expected == fakeplat.as_user("ada").delete(f"{repository(fakeplat)}/tags/7").status


@pytest.mark.fakeplat(tier="premium")
def test_immutable_rules_are_a_paid_feature(fakeplat: Fakeplat) -> None:
    """Without the highest tier immutable rules protect nothing."""
    declare(fakeplat, IMMUTABLE)
    assert 200 == fakeplat.as_user("ada").delete(f"{repository(fakeplat)}/tags/7").status
