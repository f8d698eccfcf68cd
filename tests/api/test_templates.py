"""Templates of files. Source: docs/platform/version-and-metadata.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import DASHBOARDS_HAVE_TEMPLATES, TEMPLATES_ARE_CODE
from tests.api.requests import Outcome, invalid, names, refusal, resource_not_found
from tests.by_release import by_release

TEMPLATES = {
    ".gitlab/issue_templates/bug.md": "What is wrong?",
    ".gitlab/issue_templates/notes.txt": "no template",
    ".gitlab/issue_templates/old/gone.md": "no template",
    ".gitlab/merge_request_templates/feature.md": "What is new?",
}
WORLD = {
    "extends": "starter",
    "projects": [
        {
            "path_with_namespace": "acme/shop",
            "visibility": "private",
            "repository": {"commits": [{"message": "Start", "files": TEMPLATES}]},
        },
        {"path_with_namespace": "acme/open", "visibility": "public"},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=WORLD, clock="virtual", start="2020-11-20T09:00:00.000Z")
SHOP, OPEN = "projects/acme%2Fshop/templates", "projects/acme%2Fopen/templates"


def get_body(fake: Fakeplat, path: str, user: str | None = None) -> Any:
    reply = fake.as_user(user).get(path)
    assert 200 == reply.status
    return reply.json()


@pytest.mark.parametrize(
    ("kind", "key"), [("gitignores", "Ruby"), ("dockerfiles", "Binary"), ("gitlab_ci_ymls", "Android")]
)
def test_a_list_has_the_names_and_a_template_its_content(fakeplat: Fakeplat, kind: str, key: str) -> None:
    """Templates are listed by name and key and read without a login."""
    rows = get_body(fakeplat, f"templates/{kind}?per_page=100")
    template = get_body(fakeplat, f"templates/{kind}/{key}")

    assert {"key": key, "name": key} in rows
    assert (["name", "content"], key) == ([*template], template["name"])
    assert template == get_body(fakeplat, f"{OPEN}/{kind}/{key}")
    assert rows == get_body(fakeplat, f"{OPEN}/{kind}?per_page=100")


def test_gitignores_have_the_patterns_of_a_language(fakeplat: Fakeplat) -> None:
    """Gitignore templates are found by their name, encoded if necessary."""
    assert "*.gem\n" in get_body(fakeplat, "templates/gitignores/Ruby")["content"]
    assert "C++" == get_body(fakeplat, "templates/gitignores/C%2B%2B")["name"]


def test_ci_configurations_are_valid_templates(fakeplat: Fakeplat) -> None:
    """Each CI template passes the lint."""
    root = fakeplat.as_user("root")
    for row in get_body(fakeplat, "templates/gitlab_ci_ymls?per_page=100"):
        content = get_body(fakeplat, f"templates/gitlab_ci_ymls/{row['key'].replace('+', '%2B')}")["content"]
        assert content.startswith("# This file is a template,")
        assert [] == root.post("ci/lint", json={"content": content}).json()["errors"]


def test_the_licences_are_listed_with_their_properties(fakeplat: Fakeplat) -> None:
    """The list of licences has thirteen, three of them popular."""
    rows = get_body(fakeplat, "templates/licenses")
    mit = next(row for row in rows if row["key"] == "mit")
    expected = {
        "name": "MIT License",
        "nickname": None,
        "popular": True,
        "html_url": "http://choosealicense.com/licenses/mit/",
        "source_url": None,
        "conditions": ["include-copyright"],
        "permissions": ["commercial-use", "modifications", "distribution", "private-use"],
        "limitations": ["liability", "warranty"],
    }

    assert 13 == len(rows)
    assert expected == {name: mit[name] for name in expected}
    assert ["apache-2.0", "gpl-3.0", "mit"] == names(get_body(fakeplat, "templates/licenses?popular=1"), "key")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("mit", ["MIT License", "Copyright (c) 2020 Anton"]),
        ("agpl-3.0", ["GNU AFFERO GENERAL PUBLIC LICENSE", "My Project", "Copyright (C) 2020  Anton"]),
        ("gpl-3.0", ["GNU GENERAL PUBLIC LICENSE", "My Project", "Copyright (C) 2020  Anton"]),
        ("gpl-2.0", ["GNU GENERAL PUBLIC LICENSE", "My Project", "Copyright (C) 2020  Anton"]),
        ("apache-2.0", ["Apache License", "Copyright 2020 Anton"]),
    ],
)
def test_the_names_and_the_year_are_filled_in(fakeplat: Fakeplat, key: str, expected: list[str]) -> None:
    """Licence templates fill in name and year."""
    values = "project=My+Project&fullname=Anton"
    content = get_body(fakeplat, f"templates/licenses/{key}?{values}")["content"]

    assert [] == [text for text in expected if text not in content]
    assert content == get_body(fakeplat, f"{OPEN}/licenses/{key}?{values}")["content"]


def test_the_caller_is_the_author_if_no_other_is_named(fakeplat: Fakeplat) -> None:
    """A licence's author defaults to the caller, else the placeholder stays."""
    name = fakeplat.world.user("dev").name

    assert f"Copyright (c) 2020 {name}" in get_body(fakeplat, "templates/licenses/mit", "dev")["content"]
    assert "Copyright (c) 2020 [fullname]" in get_body(fakeplat, "templates/licenses/mit")["content"]
    assert f"Copyright (c) 2020 {name}" in get_body(fakeplat, f"{OPEN}/licenses/mit", "dev")["content"]


def test_issue_and_merge_request_templates_come_from_the_repository(fakeplat: Fakeplat) -> None:
    """Markdown files directly in the folder, by their name without the ending."""
    assert [{"key": "bug", "name": "bug"}] == get_body(fakeplat, f"{SHOP}/issues", "root")
    assert {"name": "bug", "content": "What is wrong?"} == get_body(fakeplat, f"{SHOP}/issues/bug", "root")
    assert [{"key": "feature", "name": "feature"}] == get_body(fakeplat, f"{SHOP}/merge_requests", "root")
    assert [] == get_body(fakeplat, f"{OPEN}/issues")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("templates/gitignores/None", resource_not_found("gitignore")),
        ("templates/dockerfiles/None", resource_not_found("dockerfile")),
        ("templates/gitlab_ci_ymls/None", resource_not_found("gitlab_ci_yml")),
        ("templates/licenses/none", resource_not_found("License")),
        (f"{OPEN}/licenses/none", resource_not_found("Template")),
        (f"{OPEN}/issues/none", resource_not_found("Template")),
        (f"{OPEN}/gitignores/%2e%2e%2fPython", resource_not_found("Template")),
        (f"{OPEN}/unknown", invalid("type does not have a valid value")),
        (f"{SHOP}/licenses", resource_not_found("Project")),
        (f"{SHOP}/licenses/mit", resource_not_found("Project")),
    ],
)
def test_hidden_projects_are_not_found(fakeplat: Fakeplat, path: str, expected: Outcome) -> None:
    """Private projects are not there for a caller who is not signed in."""
    assert expected == refusal(fakeplat, None, "GET", path)


@by_release(TEMPLATES_ARE_CODE, "is_code", {"17.4": False, "17.5": True})
@pytest.mark.parametrize("kind", ["dockerfiles", "gitignores", "gitlab_ci_ymls", "licenses", "merge_requests"])
def test_guests_see_no_templates_of_code(fakeplat: Fakeplat, kind: str, is_code: bool) -> None:
    """Who may not read the code of a project sees only its templates of issues."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/shop", "members": {"eve": "guest"}}]})
    text = f"Your current role does not have the required permissions to access the {kind} template."
    expected = (403, {"message": f"403 Forbidden - {text} Contact your project administrator for assistance."})
    for path in (f"{SHOP}/{kind}", f"{SHOP}/{kind}/none"):
        assert is_code == (expected == refusal(fakeplat, "eve", "GET", path))
    assert ["bug"] == names(get_body(fakeplat, f"{SHOP}/issues", "eve"), "name")
    assert "What is wrong?" == get_body(fakeplat, f"{SHOP}/issues/bug", "eve")["content"]
    assert 200 == fakeplat.as_user(None).get(f"{OPEN}/{kind}").status


@by_release(DASHBOARDS_HAVE_TEMPLATES, "status", {"17.8": 200, "17.9": 400})
def test_dashboards_have_templates_no_more(fakeplat: Fakeplat, status: int) -> None:
    """Dashboards lost their templates with the rest of them."""
    reply = fakeplat.as_user("dev").get(f"{OPEN}/metrics_dashboard_ymls")
    assert status == reply.status
    assert 200 == status or {"error": "type does not have a valid value"} == reply.json()
