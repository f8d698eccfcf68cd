"""Messages of integrations about changes: each flag switches its event, in every format.

The formats themselves are tested with payloads from the facts, in tests/domain.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import CHATS_ANNOUNCE_WORK_ITEMS
from tests.api.deliveries import SITE, Deliveries, create
from tests.by_release import by_release

FORMATS = {
    "slack": "payload",
    "mattermost": "payload",
    "microsoft-teams": "summary",
    "discord": "embeds",
    "hangouts-chat": "text",
    "unify-circuit": "subject",
    "webex-teams": "markdown",
}
FLAGS = (
    *("push_events", "tag_push_events", "issues_events", "confidential_issues_events", "merge_requests_events"),
    *("note_events", "confidential_note_events", "pipeline_events", "wiki_page_events"),
)


def push_commit(fake: Fakeplat) -> None:
    actions = [{"action": "create", "file_path": "new.txt", "content": "x"}]
    create(fake, f"{SITE}/repository/commits", branch="master", commit_message="Add a file", actions=actions)


def create_tag(fake: Fakeplat) -> None:
    create(fake, f"{SITE}/repository/tags", tag_name="v9", ref="master")


def open_issue(fake: Fakeplat) -> None:
    create(fake, f"{SITE}/issues", title="Broken")


def open_confidential_issue(fake: Fakeplat) -> None:
    create(fake, f"{SITE}/issues", title="Leak", confidential=True)


def close_merge_request(fake: Fakeplat) -> None:
    assert 200 == fake.as_user("ada").put(f"{SITE}/merge_requests/1", json={"state_event": "close"}).status


def comment_merge_request(fake: Fakeplat) -> None:
    create(fake, f"{SITE}/merge_requests/1/notes", body="Nice")


def comment_confidentially(fake: Fakeplat) -> None:
    issue = create(fake, f"{SITE}/issues", title="Leak", confidential=True)
    create(fake, f"{SITE}/issues/{issue['iid']}/notes", body="Hidden")


def run_pipeline(fake: Fakeplat) -> None:
    fake.load({"job_outcomes": [{"job": "test", "outcome": "failed"}]})
    actions = [{"action": "update", "file_path": ".gitlab-ci.yml", "content": "test: {script: x}"}]
    create(fake, f"{SITE}/repository/commits", branch="master", commit_message="Run", actions=actions)
    fake.settle()


def write_page(fake: Fakeplat) -> None:
    create(fake, f"{SITE}/wikis", title="home", content="Welcome")


CHANGES: dict[str, tuple[Callable[[Fakeplat], None], str]] = {
    "push_events": (push_commit, "pushed to branch"),
    "tag_push_events": (create_tag, "v9"),
    "issues_events": (open_issue, "Broken"),
    "confidential_issues_events": (open_confidential_issue, "Leak"),
    "merge_requests_events": (close_merge_request, "closed"),
    "note_events": (comment_merge_request, "commented on"),
    "confidential_note_events": (comment_confidentially, "commented on"),
    "pipeline_events": (run_pipeline, "failed"),
    "wiki_page_events": (write_page, "home"),
}
"""For each flag, a change that a client makes, and a word of the message about it."""


def subscribe(fake: Fakeplat, slug: str, *flags: str) -> Deliveries:
    """Add an integration for some events only; return what is sent."""
    settings = {"webhook": "https://chat.test/hook", **{flag: flag in flags for flag in FLAGS}}
    assert 200 == fake.as_user("ada").put(f"{SITE}/services/{slug}", json=settings).status
    return Deliveries(fake)


@pytest.mark.parametrize("slug", FORMATS)
@pytest.mark.parametrize("flag", FLAGS)
def test_a_flag_brings_its_event_in_the_format_of_the_integration(fakeplat: Fakeplat, slug: str, flag: str) -> None:
    """Each flag sends one message about its event in the integration's format."""
    change, word = CHANGES[flag]
    sent = subscribe(fakeplat, slug, flag)
    change(fakeplat)
    (request,) = sent.take()

    text = unquote(request.body.decode())
    assert FORMATS[slug] in text
    assert word in text


@pytest.mark.parametrize("flag", FLAGS)
def test_other_flags_do_not_bring_an_event(fakeplat: Fakeplat, flag: str) -> None:
    """A pipeline is started by a push, so that one is expected there."""
    sent = subscribe(fakeplat, "slack", *(name for name in FLAGS if name not in (flag, "push_events")))
    change, _word = CHANGES[flag]
    change(fakeplat)

    side_effects: dict[str, list[Any]] = {"confidential_note_events": ["confidential_issue_hooks"]}
    assert side_effects.get(flag, []) == sent.triggers()


@by_release(CHATS_ANNOUNCE_WORK_ITEMS, "messages", {"16.11": 0, "19.3": 1})
def test_chats_announce_new_tasks_in_late_releases(fakeplat: Fakeplat, messages: int) -> None:
    """A task is a work item: chats of earlier releases ignore it, those of later ones treat it as an issue."""
    sent = subscribe(fakeplat, "slack", "issues_events")
    create(fakeplat, f"{SITE}/issues", title="Broken", issue_type="task")

    assert messages == len(sent.take())
