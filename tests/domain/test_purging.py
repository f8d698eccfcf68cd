"""What is deleted along with a record, what is told of it, and what takes its place."""

import pytest

from fakeplat.domain.merge_requests import approval_rules
from fakeplat.domain.people import users
from fakeplat.domain.purging import has_authored, purge
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import ApprovalRule
from fakeplat.model.notes import Note, Todo
from fakeplat.model.projects import Project
from fakeplat.platform import Platform
from tests.scenario.worlds import create_platform
from tests.signals import SentSignals

SITE = {"path": "site", "issues": [{"title": "a", "author": "mia", "notes": [{"author": "dev", "body": "Hm"}]}]}


@pytest.fixture
def platform() -> Platform:
    """A project of dev's with an issue of mia's and dev's note on it."""
    return create_platform({"users": [{"username": "mia"}, {"username": "dev", "projects": [SITE]}]})


def get_user_id(platform: Platform, username: str) -> int:
    """The id of a user."""
    (user_id,) = [user.id for user in platform.view.users.all() if user.username == username]
    return user_id


def list_deleted_kinds(sent_signals: SentSignals) -> list[type]:
    """Return the classes of the deleted projects, issues and notes, in the order of their signals."""
    kinds = [type(record) for record in sent_signals.list_records("post_delete")]
    return [kind for kind in kinds if kind in (Project, Issue, Note)]


def test_what_belongs_to_a_record_is_deleted_first(platform: Platform, sent_signals: SentSignals) -> None:
    """Deleting a record first deletes the records that belong to it, innermost first."""
    with platform.acting() as ctx:
        purge(ctx, next(iter(ctx.world.projects.all())))
    assert [Note, Issue, Project] == list_deleted_kinds(sent_signals)
    assert (0, 0, 0) == tuple(
        len(table) for table in (platform.view.projects, platform.view.issues, platform.view.notes)
    )


def test_a_namespace_is_deleted_with_all_that_is_in_it(platform: Platform, sent_signals: SentSignals) -> None:
    """Deleting a user deletes the projects of its namespace with their issues and notes."""
    dev = get_user_id(platform, "dev")
    with platform.acting() as ctx:
        users.delete(ctx, ctx.world.users[dev])
    assert [Note, Issue, Project] == list_deleted_kinds(sent_signals)
    assert 0 == len(platform.view.notes)


def test_several_records_are_deleted_at_once(platform: Platform, sent_signals: SentSignals) -> None:
    """Deleting several records deletes each once, also if one belongs to another."""
    with platform.acting() as ctx:
        issue, note = next(iter(ctx.world.issues.all())), next(iter(ctx.world.notes.all()))
        purge(ctx, note, issue, issue)
    assert [Note, Issue] == list_deleted_kinds(sent_signals)


def test_what_outlives_its_author_is_known(platform: Platform) -> None:
    """A user with notes has authored records; a project alone does not count."""
    with platform.acting() as ctx:
        assert has_authored(ctx.world, ctx.world.users[get_user_id(platform, "dev")])
        purge(ctx, *ctx.world.notes.all())
        assert not has_authored(ctx.world, ctx.world.users[get_user_id(platform, "dev")])


def test_a_to_do_about_a_commit_goes_with_the_project(platform: Platform) -> None:
    """Deleting a project deletes to-dos about its commits, also without notes on them."""
    dev = get_user_id(platform, "dev")
    with platform.acting() as ctx:
        project, now = next(iter(ctx.world.projects.all())), ctx.now_iso
        ctx.world.todos.add(Todo(1, dev, dev, project.id, ("commit", project.id, "c0ffee"), "marked", now, now))
        purge(ctx, project)
    assert 0 == len(platform.view.todos)


def test_a_rule_that_approvers_replace_is_nobodys_source(platform: Platform) -> None:
    """Replacing an approval rule leaves the rules that were copied from it, without a source."""
    with platform.acting() as ctx:
        project = next(iter(ctx.world.projects.all()))
        source = approval_rules.insert_rule(ctx, project, name="All", approvals_required=1)
        rule = ctx.world.approval_rules.add(
            ApprovalRule(9, ("merge_request", 1), name="All", approvals_required=1, created_at="", source_id=source.id)
        )
        approval_rules.set_approvers(ctx, project, [], [])
        assert None is ctx.world.approval_rules[rule.id].source_id
