"""Projects from custom templates. Source: docs/platform/projects.md."""

from typing import Any

import pytest

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
