"""Templates for descriptions of work items. Source: docs/platform/work-items.md ('Description templates')."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused

ACME: Final[dict[str, Any]] = COMPANY["groups"][0]


def build_repository(**files: str) -> dict[str, Any]:
    paths = {f".gitlab/issue_templates/{name}.md": text for name, text in files.items()}
    return {"repository": {"commits": [{"message": "first", "branch": "main", "files": {"README": "x", **paths}}]}}


SITE: Final[dict[str, Any]] = {
    **ACME["projects"][0],
    **build_repository(Bug="Steps", Idea="Why"),
    "default_branch": "main",
}
DOCS: Final[dict[str, Any]] = {**ACME["projects"][1], **build_repository(), "default_branch": "main"}
KITS: Final[dict[str, Any]] = {
    "path": "kits",
    "visibility": "private",
    **build_repository(Plan="Shared"),
    "default_branch": "main",
}
GROUP: Final[dict[str, Any]] = {**ACME, "projects": [SITE, DOCS, KITS]}
WITH_PROJECT: Final[dict[str, Any]] = {**GROUP, "file_template_project": "acme/kits"}
SCENARIO: Final[dict[str, Any]] = {**COMPANY, "groups": [GROUP]}
SHARED: Final[dict[str, Any]] = {**COMPANY, "groups": [WITH_PROJECT]}
pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual", scenario=SCENARIO)
CONTENT: Final = """query($input: WorkItemDescriptionTemplateContentInput!) {
    workItemDescriptionTemplateContent(templateContentInput: $input) { name content category projectId } }"""


def list_templates(fake: Fakeplat, path: str, by: str = "dev") -> list[tuple[str, str, str]] | None:
    fields = "workItemDescriptionTemplates { nodes { name content category } }"
    query = f'{{ namespace(fullPath: "{path}") {{ {fields} }} }}'
    shown = query_data(fake, by, query)["namespace"]["workItemDescriptionTemplates"]
    return shown and [(node["name"], node["content"], node["category"]) for node in shown["nodes"]]


def find_project(fake: Fakeplat, name: str) -> int:
    return int(fake.as_user("ada").get(f"projects/acme%2F{name}").json()["id"])


def test_a_project_has_the_templates_of_its_repository(fakeplat: Fakeplat) -> None:
    """The files of the default branch are templates; a project without any has null."""
    own = "Project Templates"
    assert [("Bug", "Steps", own), ("Idea", "Why", own)] == list_templates(fakeplat, "acme/site")
    assert None is list_templates(fakeplat, "acme/docs")
    assert None is list_templates(fakeplat, "acme")


def test_the_settings_have_a_template(fakeplat: Fakeplat) -> None:
    """The template in the settings of a project is the first one."""
    fakeplat.as_user("mia").put("projects/acme%2Fsite", json={"issues_template": "Default"})
    names = [name for name, *_ in list_templates(fakeplat, "acme/site") or ()]

    assert ["Default (Project Settings)", "Bug", "Idea"] == names


@pytest.mark.fakeplat(scenario=SHARED)
def test_groups_share_templates(fakeplat: Fakeplat) -> None:
    """A group shows the templates of its project, and the projects and groups below it have them, too."""
    shared = ("Plan", "Shared", "Group Acme")
    assert [shared] == list_templates(fakeplat, "acme")
    assert [shared] == list_templates(fakeplat, "acme/tools")
    assert [shared] == list_templates(fakeplat, "acme/docs")
    assert [shared[0], "Bug", "Idea"] == [name for name, *_ in list_templates(fakeplat, "acme/site") or ()]


@pytest.mark.fakeplat(scenario=SHARED, tier="free")
def test_the_free_tier_shares_no_templates(fakeplat: Fakeplat) -> None:
    """Projects have only their own templates in the free tier."""
    assert None is list_templates(fakeplat, "acme/docs")


@pytest.mark.parametrize(
    ("name", "content"), [("Bug", "Steps"), ("Missing", None), ("Default (Project Settings)", None)]
)
def test_a_template_is_shown(fakeplat: Fakeplat, name: str, content: str | None) -> None:
    """A template of a project has no category; null stands for a missing one."""
    number = find_project(fakeplat, "site")
    shown = query_data(fakeplat, "gus", CONTENT, input={"name": name, "projectId": number})
    template = shown["workItemDescriptionTemplateContent"]

    expected = {"name": name, "content": content, "category": None, "projectId": number}
    assert (expected if content is not None else None) == template


def test_a_missing_project_has_no_template(fakeplat: Fakeplat) -> None:
    """For an unknown project the answer is null."""
    shown = query_data(fakeplat, "gus", CONTENT, input={"name": "Bug", "projectId": 1})

    assert {"workItemDescriptionTemplateContent": None} == shown


def test_templates_of_hidden_projects_are_hidden(fakeplat: Fakeplat) -> None:
    """Who does not see the project gets an error."""
    given = {"name": "Bug", "projectId": find_project(fakeplat, "site")}

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "eve", CONTENT, input=given))


@pytest.mark.fakeplat(scenario=SHARED)
def test_shared_templates_are_for_who_may_use_them(fakeplat: Fakeplat) -> None:
    """Whoever sees a project below the group reads its templates, although they do not see their project."""
    given = {"name": "Plan", "projectId": find_project(fakeplat, "kits")}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "eve", CONTENT, input=given))
    shown = query_data(fakeplat, "eve", CONTENT, input={**given, "fromNamespace": "acme/docs"})

    assert ("Shared", "Group Acme") == (
        shown["workItemDescriptionTemplateContent"]["content"],
        shown["workItemDescriptionTemplateContent"]["category"],
    )
