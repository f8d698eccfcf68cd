"""What belongs to groups and to paid tiers, in scenarios and back."""

from typing import Any

import pytest

from fakeplat.domain.epics import epic_issues
from fakeplat.domain.notes import noteables
from fakeplat.model.repository import Access
from fakeplat.platform import Platform
from tests.scenario.worlds import create_platform, reload_export

TIME = "2020-11-19T09:00:00.000Z"
RULE = {"created_at": TIME, "commit_message_regex": "^JIRA", "max_file_size": 5, "prevent_secrets": True}
PROTECTED = [
    {"name": "production", "deploy_access_levels": [40, {"user": "dev"}, {"group": "acme/tools"}], "updated_at": TIME}
]
EPICS = [
    {
        "title": "Child",
        "iid": 2,
        "author": "dev",
        "created_at": TIME,
        "description": "Words",
        "state": "closed",
        "confidential": True,
        "start_date_fixed": "2020-11-01",
        "start_date_is_fixed": True,
        "labels": ["later"],
        "parent": "acme&1",
        "relative_position": 500,
        "issues": ["acme/site#2", "acme/site#1"],
        "notes": [{"author": "mia", "body": "Hm", "created_at": TIME}],
    },
    {"title": "Parent", "iid": 1, "author": "mia", "created_at": TIME},
]
GROUP: dict[str, Any] = {
    "group_protected_branches": [{"name": "v*", "push_access_levels": [30], "merge_access_levels": [{"user": "mia"}]}],
    "iterations": [
        {"title": "Two", "iid": 2, "start_date": "2020-12-01", "due_date": "2020-12-14", "created_at": TIME},
        {"title": "One", "start_date": "2020-11-01", "due_date": "2020-11-14", "description": "First"},
    ],
    "ldap_group_links": [
        {"cn": "devs", "group_access": 30, "provider": "ldapmain"},
        {"filter": "(uid=*)", "group_access": 10, "provider": "ldapmain"},
    ],
    "saml_group_links": [{"name": "devs", "access_level": 40}],
}
SITE: dict[str, Any] = {
    "job_token_scope_enabled": False,
    "job_token_allowlist": [{"project": "acme/docs"}, {"group": "acme/tools"}],
    "package_protection_rules": [
        {"package_name_pattern": "@acme/*", "package_type": "npm", "minimum_access_level_for_push": "owner"}
    ],
    "external_status_checks": [
        {"name": "Look", "external_url": "https://look.test", "hmac": True, "protected_branches": ["master"]}
    ],
    "merge_requests": [
        {"title": "M", "source_branch": "feature", "target_branch": "readme", "context_commits": ["master"]}
    ],
}
WORLD: dict[str, Any] = {
    "extends": "starter",
    "groups": [{"full_path": "acme", "push_rule": {"branch_name_regex": "^x"}, "epics": EPICS, **GROUP}],
    "audit_events": [
        {
            "author": "mia",
            "entity_type": "Project",
            "entity": "acme/site",
            "details": {"add": "project", "target_type": "Project"},
            "created_at": TIME,
        },
        {"author": None, "entity_type": "User", "entity": None, "details": {"remove": "user"}, "created_at": TIME},
        {"author": "ada", "entity_type": "Group", "entity": "acme", "details": {}, "created_at": TIME},
        {"author": "ada", "entity_type": "Gitlab::Audit::InstanceScope", "details": {"add": "x"}, "created_at": TIME},
    ],
    "projects": [{"path_with_namespace": "acme/site", "push_rule": RULE, "protected_environments": PROTECTED, **SITE}],
}


def list_push_rules(platform: Platform) -> list[Any]:
    """The rules, without ids."""
    return sorted(
        (rule.source, rule.created_at, rule.commit_message_regex, rule.branch_name_regex, rule.max_file_size)
        for rule in platform.view.push_rules.all()
    )


def test_push_rules_survive_a_round_trip() -> None:
    """The push rules of a group and of a project survive a round trip."""
    platform = create_platform(WORLD)
    rules = list_push_rules(platform)

    assert 2 == len(rules)
    assert [TIME, "^JIRA", None, 5] == list(rules[1][1:])
    assert rules == list_push_rules(reload_export(platform))


def test_audit_events_survive_a_round_trip() -> None:
    """Declared audit events survive a round trip, and deleted authors and targets stay unknown."""
    platform = create_platform({**WORLD, "instance": {"tier": "premium"}})
    events = list_audit_events(platform)

    added = {"add": "project", "target_type": "Project", "target_id": events[0][2]}
    instance = ("Gitlab::Audit::InstanceScope", {"add": "x"})
    assert [("Project", added), ("User", {"remove": "user"}), ("Group", {}), instance] == [
        (event[1], event[3]) for event in events
    ]
    assert (-1, -1, 1) == (events[1][0], events[1][2], events[3][2])
    assert events == list_audit_events(reload_export(platform))


def list_audit_events(platform: Platform) -> list[Any]:
    """The events, without their own ids."""
    return [
        (event.author_id, event.entity_type, event.entity_id, dict(event.details), event.created_at)
        for event in platform.view.audit_events.all()
    ]


def test_protected_environments_survive_a_round_trip() -> None:
    """A protected environment keeps its access by level, user and group after a round trip."""
    platform = create_platform(WORLD)
    world = platform.view
    (environment,) = world.protected_environments.all()

    tools = next(group.id for group in world.namespaces.all() if group.path == "tools")
    dev = next(user.id for user in world.users.all() if user.username == "dev")
    assert (Access(40), Access(user_id=dev), Access(group_id=tools)) == environment.deploy
    (reloaded,) = reload_export(platform).view.protected_environments.all()
    assert environment == reloaded


def test_epics_survive_a_round_trip() -> None:
    """Epics keep their parents, ordered issues, labels and notes after a round trip."""
    platform = create_platform(WORLD)
    child, parent = list_epics(platform)

    assert ("Child", 2, "closed", True, "2020-11-01", TIME, ["later"]) == child[:7]
    assert ("Parent", 500, ["acme/site#2", "acme/site#1"], ["Hm"]) == child[7:]
    assert ("Parent", 1, "opened", False, None, None, [], None, None, [], []) == parent
    assert [child, parent] == list_epics(reload_export(platform))


def list_epics(platform: Platform) -> list[Any]:
    """The epics without ids, by title."""
    world = platform.view
    return sorted(
        (
            epic.title,
            epic.iid,
            epic.state,
            epic.confidential,
            epic.start_date_fixed,
            epic.closed_at,
            [world.labels[id_].title for id_ in epic.label_ids],
            None if epic.parent_id is None else world.epics[epic.parent_id].title,
            epic.relative_position,
            [
                noteables.format_reference(world, world.issues[link.issue_id])
                for link in epic_issues.list_links(world, epic)
            ],
            [note.body for note in world.notes.where("subject", ("epic", epic.id))],
        )
        for epic in world.epics.all()
    )


TABLES = {
    "iterations": 2,
    "ldap_group_links": 2,
    "saml_group_links": 1,
    "group_protected_branches": 1,
    "job_token_allowances": 2,
    "package_protection_rules": 1,
    "external_status_checks": 1,
    "context_commits": 1,
}


@pytest.mark.parametrize(("table", "count"), TABLES.items())
def test_what_groups_and_projects_have_survives_a_round_trip(table: str, count: int) -> None:
    """Records of groups and projects keep their order, and with it their ids, after a round trip."""
    platform = create_platform(WORLD)
    records = list(getattr(platform.view, table).all())

    assert count == len(records)
    assert records == list(getattr(reload_export(platform).view, table).all())


ABOUT_EPICS: dict[str, Any] = {
    "extends": "starter",
    "groups": [
        {
            "full_path": "acme",
            "epics": [
                {
                    "title": "Fly",
                    "iid": 1,
                    "author": "dev",
                    "notes": [
                        {"author": "mia", "body": "Hm", "award_emoji": [{"name": "tada", "user": "dev"}]},
                        {"author": "mia", "body": "told", "system": True, "mentioned_in": "acme&2"},
                    ],
                    "award_emoji": [{"name": "thumbsup", "user": "dev", "created_at": TIME}],
                    "subscribers": [{"username": "eve", "subscribed": False}],
                },
                {"title": "Soar", "iid": 2, "author": "dev"},
            ],
        }
    ],
    "users": [
        {"username": "eve", "todos": [{"epic": "acme&1", "author": "mia", "action": "mentioned", "note": 1}]},
    ],
    "events": [
        {"author": "dev", "action": "created", "group": "acme", "target_type": "epic", "target": "acme&1"},
        {"author": "mia", "action": "commented", "group": "acme", "target_type": "note", "target": "acme&1!1"},
    ],
}


@pytest.mark.parametrize(("table", "count"), [("awards", 2), ("subscriptions", 1), ("todos", 1), ("events", 2)])
def test_what_is_about_epics_survives_a_round_trip(table: str, count: int) -> None:
    """Records about epics keep their order, and with it their ids, after a round trip."""
    platform = create_platform(ABOUT_EPICS)
    known = [*getattr(create_platform({"extends": "starter"}).view, table).all()]
    records = [*getattr(platform.view, table).all()]

    assert count == len(records) - len(known)
    assert records == list(getattr(reload_export(platform).view, table).all())


def test_what_mentions_an_epic_survives_a_round_trip() -> None:
    """A note that names an epic as its source names the same epic after a round trip."""
    platform = create_platform(ABOUT_EPICS)
    for world in (platform.view, reload_export(platform).view):
        (note_,) = [note for note in world.notes.all() if note.body == "told"]
        assert note_.source is not None
        assert "Soar" == world.epics[note_.source[1]].title
