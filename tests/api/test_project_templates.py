"""Projects from custom templates. Source: docs/platform/projects.md."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakeplat.core.release import Lifetime, parse_release, profile_of
from fakeplat.harness.fake import Fakeplat
from tests.api.planning_records import ACME, TOOLS, create_record, get_json, label
from tests.api.requests import Outcome, names, refusal

pytestmark = pytest.mark.fakeplat(tier="premium", clock="virtual")
KIT = "projects/acme%2Ftools%2Fkit"
SITE = "projects/acme%2Fsite"


def id_of(fake: Fakeplat, path: str) -> int:
    return int(get_json(fake, path, "root")["id"])


def use_templates_of(fake: Fakeplat, path: str) -> None:
    """Make the projects of a group templates for the whole instance."""
    sent = {"custom_project_templates_group_id": id_of(fake, path)}
    assert sent.items() <= fake.as_user("root").put("application/settings", json=sent).json().items()


def unknown(name: str, value: object) -> Outcome:
    return 400, {"message": {name: [f"{value} is unknown or invalid"]}}


@pytest.mark.parametrize("by", ["name", "id"])
def test_a_project_from_a_template_of_the_instance(fakeplat: Fakeplat, by: str) -> None:
    """The project is created at once, and becomes a copy of the template in the background."""
    label(fakeplat, "from the template", SITE)
    use_templates_of(fakeplat, ACME)
    template: dict[str, Any] = (
        {"template_name": "site"} if by == "name" else {"template_project_id": id_of(fakeplat, SITE)}
    )
    created = create_record(fakeplat, "projects", name="Copy", description="Mine", use_custom_template=True, **template)

    assert ("Copy", "copy", "scheduled", True) == tuple(
        created[name] for name in ("name", "path", "import_status", "empty_repo")
    )
    fakeplat.settle()
    copied = get_json(fakeplat, f"projects/{created['id']}")
    assert ("Copy", "Mine", "finished", False) == tuple(
        copied[name] for name in ("name", "description", "import_status", "empty_repo")
    )
    assert "from the template" in names(get_json(fakeplat, f"projects/{created['id']}/labels"), "name")


def test_a_project_from_a_template_of_a_group(fakeplat: Fakeplat) -> None:
    """A request names the group that has the templates; the settings are not asked then."""
    sent: dict[str, Any] = {
        "name": "Copy",
        "template_name": "kit",
        "use_custom_template": True,
        "group_with_project_templates_id": id_of(fakeplat, TOOLS),
        "namespace_id": id_of(fakeplat, ACME),
    }
    created = create_record(fakeplat, "projects", **sent)
    fakeplat.settle()

    assert "finished" == get_json(fakeplat, f"projects/{created['id']}")["import_status"]


def test_templates_of_a_group_stay_below_its_parent(fakeplat: Fakeplat) -> None:
    """The templates of a subgroup are for the groups below its parent, and for projects of users."""
    other = fakeplat.as_user("root").post("groups", json={"name": "Other", "path": "other"}).json()["id"]
    sent = {
        "name": "Copy",
        "template_name": "kit",
        "use_custom_template": True,
        "group_with_project_templates_id": id_of(fakeplat, TOOLS),
    }
    expected = 400, {"message": {"namespace": ["is not a descendant of the Group owning the template"]}}

    assert expected == refusal(fakeplat, "root", "POST", "projects", json={**sent, "namespace_id": other})
    assert 201 == fakeplat.as_user("root").post("projects", json=sent).status


def test_unknown_templates(fakeplat: Fakeplat) -> None:
    """A template has to be a visible project of the group."""
    use_templates_of(fakeplat, ACME)
    kit, site = id_of(fakeplat, KIT), id_of(fakeplat, SITE)
    for by, template, expected in (
        ("ada", {"template_name": "bogus-template"}, unknown("template_name", "'bogus-template'")),
        ("ada", {"template_project_id": kit}, unknown("template_project_id", kit)),
        ("eve", {"template_project_id": site}, unknown("template_project_id", site)),
    ):
        body = {"name": "Copy", "use_custom_template": True, **template}
        assert expected == refusal(fakeplat, by, "POST", "projects", json=body)


def test_ids_name_custom_templates_only(fakeplat: Fakeplat) -> None:
    """Without the wish for a custom template, the name of a built-in one is missing."""
    use_templates_of(fakeplat, ACME)
    body = {"name": "Copy", "template_project_id": id_of(fakeplat, SITE)}

    assert unknown("template_name", "''") == refusal(fakeplat, "ada", "POST", "projects", json=body)
    body = {"name": "Copy", "template_name": "site"}
    assert unknown("template_name", "'site'") == refusal(fakeplat, "ada", "POST", "projects", json=body)


@pytest.mark.fakeplat(tier="free")
def test_custom_templates_need_a_tier(fakeplat: Fakeplat) -> None:
    """Below premium only built-in templates exist."""
    body = {
        "name": "Copy",
        "use_custom_template": True,
        "template_name": "kit",
        "group_with_project_templates_id": id_of(fakeplat, TOOLS),
    }

    assert unknown("template_name", "'kit'") == refusal(fakeplat, "ada", "POST", "projects", json=body)
    assert "custom_project_templates_group_id" not in get_json(fakeplat, "application/settings", "root")


def test_administrators_create_projects_of_users_from_templates(fakeplat: Fakeplat) -> None:
    """The project of another user can come from a template, too."""
    use_templates_of(fakeplat, ACME)
    owner = get_json(fakeplat, "users?username=mia", "root")[0]["id"]
    body = {"name": "Copy", "use_custom_template": True, "template_name": "site"}
    created = fakeplat.as_user("root").post(f"projects/user/{owner}", json=body).json()
    fakeplat.settle()

    assert "mia/copy" == created["path_with_namespace"]
    assert "finished" == get_json(fakeplat, f"projects/{created['id']}", "mia")["import_status"]


def make_from(fake: Fakeplat, name: str) -> dict[str, Any]:
    """Create a project from a built-in template and wait for its content."""
    created = create_record(fake, "projects", name=name, template_name=name)
    assert ("scheduled", True) == (created["import_status"], created["empty_repo"])
    fake.settle()
    project: dict[str, Any] = get_json(fake, f"projects/{created['id']}")
    assert ("finished", False) == (project["import_status"], project["empty_repo"])
    return project


def list_paths(fake: Fakeplat, project: dict[str, Any]) -> set[str]:
    return set(names(get_json(fake, f"projects/{project['id']}/repository/tree?recursive=true&per_page=100"), "path"))


@pytest.mark.parametrize(
    ("name", "title", "paths"),
    [
        ("rails", "Ruby on Rails", {"README.md", "Gemfile", "config/routes.rb"}),
        ("plainhtml", "Pages/Plain HTML", {"README.md", ".gitlab-ci.yml", "public/index.html"}),
        ("nfhugo", "Netlify/Hugo", {"README.md", "netlify.toml"}),
    ],
)
@pytest.mark.fakeplat(tier="free", clock="virtual")
def test_a_project_from_a_builtin_template(fakeplat: Fakeplat, name: str, title: str, paths: set[str]) -> None:
    """The project gets one commit with the files of the template in the background, and no pipeline."""
    project = make_from(fakeplat, name)
    (commit,) = get_json(fakeplat, f"projects/{project['id']}/repository/commits")

    assert f"Initialized from '{title}' project template" == commit["title"]
    assert paths <= list_paths(fakeplat, project)
    assert "master" == project["default_branch"]
    assert [] == get_json(fakeplat, f"projects/{project['id']}/pipelines")


@pytest.mark.parametrize("version", ["13.5", "latest"])
def test_the_configurations_of_builtin_templates_are_valid(
    fakeplat_factory: Callable[..., Fakeplat], version: str
) -> None:
    """Each built-in template of a release can be used, and its CI configuration, if it has one, is valid."""
    fake = fakeplat_factory(version=version, clock="virtual")
    described = tomllib.loads(Path("fakeplat/domain/templates/projects.toml").read_text("utf-8"))
    profile = profile_of(parse_release("19.3" if version == "latest" else version))
    known = [
        name for name, row in described.items() if profile.has(Lifetime(row.get("since", ""), row.get("until", "")))
    ]
    for name in known:
        project = make_from(fake, name)
        if ".gitlab-ci.yml" in list_paths(fake, project):
            assert [] == get_json(fake, f"projects/{project['id']}/ci/lint")["errors"], name


@pytest.mark.parametrize(
    ("version", "name", "expected"),
    [("13.11", "jsonnet", 400), ("13.12", "jsonnet", 201), ("18.8", "gitbook", 201), ("18.9", "gitbook", 400)],
)
def test_the_builtin_templates_of_a_release(
    fakeplat_factory: Callable[..., Fakeplat], version: str, name: str, expected: int
) -> None:
    """A template that a release lacks is unknown there."""
    fake = fakeplat_factory(version=version)

    assert expected == fake.as_user("ada").post("projects", json={"name": "x", "template_name": name}).status
