"""What projects have in later releases. Source: docs/platform/later-releases.md."""

from typing import Any

import pytest

from fakeplat.core.release import parse_release
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import CI_SETTINGS_NEED_MAINTAINER
from tests.api.requests import FORBIDDEN, invalid, invalid_record, refusal

SITE = "projects/acme%2Fsite"
pytestmark = pytest.mark.fakeplat(version="latest", default_branch="master")
LEVELS = (
    "container_registry_access_level",
    "security_and_compliance_access_level",
    "releases_access_level",
    "environments_access_level",
    "feature_flags_access_level",
    "infrastructure_access_level",
    "monitor_access_level",
    "model_experiments_access_level",
    "model_registry_access_level",
    "package_registry_access_level",
)


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        *(({level: "disabled"}, {level: "disabled"}) for level in LEVELS),
        ({"topics": ["one", "two"]}, {"topics": ["one", "two"], "tag_list": ["one", "two"]}),
        ({"topics": "one, two"}, {"topics": ["one", "two"]}),
        ({"emails_enabled": False}, {"emails_enabled": False, "emails_disabled": True}),
        ({"public_jobs": False}, {"public_jobs": False}),
        ({"squash_option": "always"}, {"squash_option": "always"}),
        ({"merge_commit_template": "%{title}"}, {"merge_commit_template": "%{title}"}),
        ({"squash_commit_template": "%{title}"}, {"squash_commit_template": "%{title}"}),
        ({"issue_branch_template": "%{id}-%{title}"}, {"issue_branch_template": "%{id}-%{title}"}),
        ({"keep_latest_artifact": False}, {"keep_latest_artifact": False}),
        ({"group_runners_enabled": False}, {"group_runners_enabled": False}),
        ({"restrict_user_defined_variables": True}, {"ci_pipeline_variables_minimum_override_role": "maintainer"}),
        ({"ci_pipeline_variables_minimum_override_role": "owner"}, {"restrict_user_defined_variables": True}),
        ({"ci_id_token_sub_claim_components": ["ref"]}, {"ci_id_token_sub_claim_components": ["ref"]}),
        ({"ci_delete_pipelines_in_seconds": 86400}, {"ci_delete_pipelines_in_seconds": 86400}),
        (
            {"resource_group_default_process_mode": "newest_first"},
            {"resource_group_default_process_mode": "newest_first"},
        ),
        ({"packages_enabled": False}, {"package_registry_access_level": "disabled"}),
        ({"container_registry_access_level": "private"}, {"container_registry_enabled": True}),
        ({"container_registry_enabled": False}, {"container_registry_access_level": "disabled"}),
        ({"merge_request_title_regex": "^fix"}, {"merge_request_title_regex": "^fix"}),
        ({"warn_about_potentially_unwanted_characters": False}, {"warn_about_potentially_unwanted_characters": False}),
    ],
)
def test_a_later_attribute_is_stored(fakeplat: Fakeplat, sent: dict[str, Any], shown: dict[str, Any]) -> None:
    """The attributes of later releases are changed and shown."""
    changed = fakeplat.as_user("ada").put(SITE, json=sent).json()
    assert shown == {name: changed[name] for name in shown}
    assert shown == {name: fakeplat.as_user("ada").get(SITE).json()[name] for name in shown}


@pytest.mark.parametrize("path", ["projects", "projects/user/2"])
def test_a_new_project_has_topics(fakeplat: Fakeplat, path: str) -> None:
    """A project is created with its topics, which exist from then on."""
    created = fakeplat.as_user("root").post(path, json={"name": "fresh", "topics": ["brand-new"]}).json()
    topics = fakeplat.as_user("root").get("topics?search=brand-new").json()

    assert ["brand-new"] == created["topics"]
    assert ["brand-new"] == [topic["name"] for topic in topics]


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({"squash_option": "sometimes"}, "squash_option does not have a valid value"),
        ({"releases_access_level": "public"}, "releases_access_level does not have a valid value"),
        (
            {"ci_pipeline_variables_minimum_override_role": "guest"},
            "ci_pipeline_variables_minimum_override_role does not have a valid value",
        ),
    ],
)
def test_an_unknown_value_is_refused(fakeplat: Fakeplat, sent: dict[str, str], text: str) -> None:
    """A value that no attribute has answers 400 and changes nothing."""
    assert invalid(text) == refusal(fakeplat, "ada", "PUT", SITE, json=sent)


@pytest.mark.parametrize("name", ["merge_commit_template", "squash_commit_template"])
def test_a_long_template_is_refused(fakeplat: Fakeplat, name: str) -> None:
    """A template has at most 500 characters."""
    expected = invalid_record(**{name: ["is too long (maximum is 500 characters)"]})
    assert expected == refusal(fakeplat, "ada", "PUT", SITE, json={name: "x" * 501})


@pytest.mark.parametrize(
    ("feature", "path"),
    [
        ("releases", "releases"),
        ("environments", "environments"),
        ("environments", "deployments"),
        ("feature_flags", "feature_flags"),
        ("container_registry", "registry/repositories"),
        ("package_registry", "packages"),
    ],
)
def test_a_closed_feature_is_refused(fakeplat: Fakeplat, feature: str, path: str) -> None:
    """Members do not see the records of a feature that is disabled."""
    assert 200 == fakeplat.as_user("mia").get(f"{SITE}/{path}").status
    fakeplat.as_user("ada").put(SITE, json={f"{feature}_access_level": "disabled"})
    assert FORBIDDEN == refusal(fakeplat, "mia", "GET", f"{SITE}/{path}")


@pytest.mark.parametrize(("role", "status"), [("developer", 201), ("maintainer", 400), ("no_one_allowed", 400)])
def test_variables_of_a_pipeline_need_a_role(fakeplat: Fakeplat, role: str, status: int) -> None:
    """Who has less than the role may start a pipeline only without variables."""
    ada, dev = fakeplat.as_user("ada"), fakeplat.as_user("dev")
    ada.post(f"{SITE}/repository/branches", json={"branch": "work", "ref": "master"})
    ada.put(SITE, json={"ci_pipeline_variables_minimum_override_role": role})
    body = {"ref": "work", "variables": [{"key": "A", "value": "1"}]}
    reply = dev.post(f"{SITE}/pipeline", json=body)

    assert status == reply.status
    assert 201 == dev.post(f"{SITE}/pipeline", json={"ref": "work"}).status
    if status == 400:
        assert {"message": {"base": ["Insufficient permissions to set pipeline variables"]}} == reply.json()


def open_merge_request(fake: Fakeplat) -> int:
    """Open a merge request with two commits in acme/site; return its number."""
    dev = fake.as_user("dev")
    for name in ("a", "b"):
        action = {"action": "create", "file_path": name, "content": name}
        start = {"start_branch": "master"} if name == "a" else {}
        body = {"branch": "work", "commit_message": f"Add {name}", "actions": [action], **start}
        assert 201 == dev.post(f"{SITE}/repository/commits", json=body).status
    sent = {"source_branch": "work", "target_branch": "master", "title": "New things", "description": "All of them"}
    created = dev.post(f"{SITE}/merge_requests", json=sent).json()
    fake.settle()
    return int(created["iid"])


@pytest.mark.parametrize(
    ("option", "squash", "squashed"),
    [("never", False, False), ("default_off", False, False), ("default_on", True, True), ("always", True, True)],
)
def test_the_squash_option_decides(fakeplat: Fakeplat, option: str, squash: bool, squashed: bool) -> None:
    """The option of the project is the default of new merge requests, and may decide at the merge."""
    fakeplat.as_user("ada").put(SITE, json={"squash_option": option})
    path = f"{SITE}/merge_requests/{open_merge_request(fakeplat)}"
    assert squash == fakeplat.as_user("dev").get(path).json()["squash"]
    merged = fakeplat.as_user("ada").put(f"{path}/merge").json()
    assert ("merged", squashed) == (merged["state"], merged["squash_commit_sha"] is not None)


@pytest.mark.parametrize(("option", "squashed"), [("never", False), ("always", True)])
def test_the_request_does_not_override_the_squash_option(fakeplat: Fakeplat, option: str, squashed: bool) -> None:
    """A merge is squashed always or never, whatever the request says."""
    fakeplat.as_user("ada").put(SITE, json={"squash_option": option})
    path = f"{SITE}/merge_requests/{open_merge_request(fakeplat)}"
    merged = fakeplat.as_user("ada").put(f"{path}/merge", json={"squash": not squashed}).json()
    assert squashed == (merged["squash_commit_sha"] is not None)


def test_templates_are_the_messages_of_a_merge(fakeplat: Fakeplat) -> None:
    """The templates of a project are filled in; lines without a value disappear."""
    template = "%{title} (%{local_reference})\n\n%{issues}\n%{description} from %{source_branch} to %{target_branch}"
    fakeplat.as_user("ada").put(
        SITE,
        json={"merge_commit_template": template, "squash_commit_template": "%{reference}", "squash_option": "always"},
    )
    iid = open_merge_request(fakeplat)
    merged = fakeplat.as_user("ada").put(f"{SITE}/merge_requests/{iid}/merge").json()
    commits = [
        fakeplat.as_user("ada").get(f"{SITE}/repository/commits/{merged[name]}").json()["message"]
        for name in ("merge_commit_sha", "squash_commit_sha")
    ]
    expected = f"New things (!{iid})\n\nAll of them from work to master"

    assert [expected, f"acme/site!{iid}"] == [message.rstrip("\n") for message in commits]


CI_SETTINGS = {
    "ci_default_git_depth",
    "runners_token",
    "build_timeout",
    "keep_latest_artifact",
    "group_runners_enabled",
}


def test_ci_settings_are_for_maintainers(fakeplat: Fakeplat) -> None:
    """Only those who administer a project see its CI settings."""
    assert CI_SETTINGS_NEED_MAINTAINER.covers(parse_release("19.3"))
    assert CI_SETTINGS <= set(fakeplat.as_user("mia").get(SITE).json())
    assert set() == CI_SETTINGS & set(fakeplat.as_user("dev").get(SITE).json())


@pytest.mark.fakeplat(version="13.5.1")
def test_ci_settings_were_for_everybody(fakeplat: Fakeplat) -> None:
    """Every member of a project saw most of its CI settings in earlier releases."""
    assert {"ci_default_git_depth", "build_timeout"} <= set(fakeplat.as_user("dev").get(SITE).json())


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("topic=python", {"acme/site"}),
        ("topic=python,Docs", {"acme/site"}),
        ("topic=none", set()),
        ("active=false", {"acme/docs"}),
        ("updated_after=2038-01-01T00:00:00Z&order_by=updated_at", set()),
        ("topic_id=1", set()),
    ],
)
def test_lists_have_later_filters(fakeplat: Fakeplat, query: str, expected: set[str]) -> None:
    """Projects are filtered by topics, time of the last change, and whether they are active."""
    root = fakeplat.as_user("root")
    root.put(SITE, json={"topics": ["python", "docs"]})
    root.post("projects/acme%2Fdocs/archive")
    assert expected == {project["path_with_namespace"] for project in root.get(f"projects?{query}").json()}


def test_projects_are_found_by_the_id_of_a_topic(fakeplat: Fakeplat) -> None:
    """Projects are filtered by the id of a topic, and by the day of their deletion."""
    root = fakeplat.as_user("root")
    root.put(SITE, json={"topics": ["python"]})
    topic = root.get("topics?search=python").json()[0]["id"]
    root.delete("projects/acme%2Fdocs")
    on = root.get("projects/acme%2Fdocs").json()["marked_for_deletion_on"]

    assert ["acme/site"] == [found["path_with_namespace"] for found in root.get(f"projects?topic_id={topic}").json()]
    assert ["acme/docs"] == [
        found["path_with_namespace"]
        for found in root.get(f"projects?marked_for_deletion_on={on}&include_pending_delete=true").json()
    ]


@pytest.mark.fakeplat(tier="ultimate")
def test_paid_attributes_are_stored(fakeplat: Fakeplat) -> None:
    """Paid tiers have further attributes of projects, which are stored."""
    sent = {
        "merge_pipelines_enabled": True,
        "merge_trains_enabled": True,
        "only_allow_merge_if_all_status_checks_passed": True,
        "prevent_merge_without_jira_issue": True,
        "requirements_access_level": "private",
        "ci_restrict_pipeline_cancellation_role": "maintainer",
        "allow_pipeline_trigger_approve_deployment": True,
    }
    changed = fakeplat.as_user("ada").put(SITE, json=sent).json()
    assert sent == {name: changed[name] for name in sent}


def test_a_fork_may_be_its_own_target(fakeplat: Fakeplat) -> None:
    """A fork says whether its merge requests are for itself; other projects do not."""
    fork = fakeplat.as_user("ada").post(f"{SITE}/fork", json={"path": "mine", "mr_default_target_self": True}).json()
    assert True is fork["mr_default_target_self"]
    assert "mr_default_target_self" not in fakeplat.as_user("ada").get(SITE).json()


def test_settings_of_pipelines_are_changed(fakeplat: Fakeplat) -> None:
    """Protected variables in merge requests are on by default, the display of variables is off; both can be changed."""
    names = ("protect_merge_request_pipelines", "ci_display_pipeline_variables")
    ada = fakeplat.as_user("ada")

    assert [True, False] == [ada.get(SITE).json()[name] for name in names]
    changed = ada.put(SITE, json={names[0]: False, names[1]: True}).json()
    assert [False, True] == [changed[name] for name in names]
    assert not set(names) & fakeplat.as_user("gus").get(SITE).json().keys()
