"""What groups have in later releases. Source: docs/platform/later-releases.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import invalid, names, refusal

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium")
ACME = "groups/acme"


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ({"emails_enabled": False}, {"emails_enabled": False, "emails_disabled": True}),
        (
            {"shared_runners_setting": "disabled_and_overridable"},
            {"shared_runners_setting": "disabled_and_overridable"},
        ),
        ({"wiki_access_level": "private"}, {"wiki_access_level": "private"}),
        ({"default_branch": "trunk"}, {"default_branch": "trunk", "organization_id": 1}),
        ({"math_rendering_limits_enabled": False}, {"math_rendering_limits_enabled": False}),
        ({"ip_restriction_ranges": "10.0.0.0/8"}, {"ip_restriction_ranges": "10.0.0.0/8"}),
        ({"allowed_email_domains_list": "work.test"}, {"allowed_email_domains_list": "work.test"}),
        ({"only_allow_merge_if_pipeline_succeeds": True}, {"only_allow_merge_if_pipeline_succeeds": True}),
    ],
)
def test_a_later_attribute_is_stored(fakeplat: Fakeplat, sent: dict[str, Any], shown: dict[str, Any]) -> None:
    """The attributes of later releases are changed and shown."""
    changed = fakeplat.as_user("ada").put(ACME, json=sent).json()
    assert shown == {name: changed[name] for name in shown}
    assert shown == {name: fakeplat.as_user("ada").get(ACME).json()[name] for name in shown}


def test_a_new_group_has_later_attributes(fakeplat: Fakeplat) -> None:
    """A group is created with attributes of later releases."""
    sent = {"name": "x", "path": "fresh", "emails_enabled": False, "default_branch": "trunk"}
    created = fakeplat.as_user("ada").post("groups", json=sent).json()
    assert (False, True, "trunk") == (created["emails_enabled"], created["emails_disabled"], created["default_branch"])


def test_an_unknown_value_is_refused(fakeplat: Fakeplat) -> None:
    """A value that no setting has answers 400 and changes nothing."""
    expected = invalid("shared_runners_setting does not have a valid value")
    assert expected == refusal(fakeplat, "ada", "PUT", ACME, json={"shared_runners_setting": "off"})


def test_projects_lose_the_runners_of_the_instance(fakeplat: Fakeplat) -> None:
    """A group that takes the runners of the instance away does so in all its projects."""
    ada = fakeplat.as_user("ada")
    ada.put(ACME, json={"shared_runners_setting": "disabled_and_unoverridable"})
    assert False is ada.get("projects/acme%2Fsite").json()["shared_runners_enabled"]


def test_groups_are_filtered(fakeplat: Fakeplat) -> None:
    """Groups are filtered by visibility, and by their deletion."""
    ada = fakeplat.as_user("ada")
    ada.delete("groups/acme%2Ftools")
    on = ada.get("groups/acme%2Ftools").json()["marked_for_deletion_on"]
    hidden = ada.get(f"{ACME}/subgroups?visibility=private").json()

    assert ["acme/tools"] == names(ada.get(f"groups?marked_for_deletion_on={on}").json(), "full_path")
    assert ["acme/tools"] == names(ada.get("groups?active=false").json(), "full_path")
    assert "acme/tools" not in names(ada.get("groups?active=true").json(), "full_path")
    assert {"private"} >= set(names(hidden, "visibility"))


def test_projects_begin_with_the_branch_of_their_group(fakeplat: Fakeplat) -> None:
    """The first branch of a project has the name that the closest group says."""
    ada = fakeplat.as_user("ada")
    group = ada.put(ACME, json={"default_branch": "trunk"}).json()["id"]
    sent = {"name": "sprout", "namespace_id": group, "initialize_with_readme": True}
    created = ada.post("projects", json=sent).json()
    assert "trunk" == ada.get(f"projects/{created['id']}").json()["default_branch"]
