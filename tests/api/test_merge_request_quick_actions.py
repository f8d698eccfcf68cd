"""Quick actions in descriptions and notes of merge requests.

Source: docs/platform/notes-discussions.md, docs/platform/merge-requests.md. the platform's documentation of quick
actions for release 13.5.
"""

from typing import Any

import pytest

from fakeplat.domain.ci import pipelines
from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import CONFLICTING, MRS, OPEN, SITE, commit, create_merge_request, get_json, select_fields
from tests.api.notes import list_bodies, list_system_notes, list_todos
from tests.api.pipelines import without_ci
from tests.api.quick_actions import NOTHING_DONE, fill_in_ids, post_note, run_commands
from tests.api.requests import invalid_record, names, outcome, refusal

ONE = f"{SITE}/issues/1"


def create_plain_merge_request(fake: Fakeplat, by: str = "dev", **given: Any) -> str:
    """Create a merge request of a branch of its own with no other attributes; return its path."""
    commit(fake, "work", "work.txt")
    return f"{MRS}/{create_merge_request(fake, 'work', by=by, title='One', **given)['iid']}"


def read_field(fake: Fakeplat, target: str, name: str, by: str = "mia") -> Any:
    merge_request = get_json(fake, target, by=by)
    value = merge_request["time_stats"][name] if name in merge_request["time_stats"] else merge_request[name]
    if name == "assignees":
        return names(value, "username")
    return value["title"] if name == "milestone" and value else value


def load_ids(fake: Fakeplat) -> dict[str, Any]:
    """The ids that rows name."""
    labels = {row["name"]: row["id"] for row in get_json(fake, f"{SITE}/labels")}
    milestones = {row["title"]: row["id"] for row in get_json(fake, f"{SITE}/milestones")}
    return {**labels, "v1": milestones["v1.1"], **{name: fake.world.user(name).id for name in ("mia", "dev")}}


COMMANDS = [
    # before it, the command, what changed, what is said, what the merge request shows
    ("", "/close", {"state_event": "close"}, "Closed this merge request.", ("state", "closed")),
    ("/close", "/reopen", {"state_event": "reopen"}, "Reopened this merge request.", ("state", "opened")),
    ("", "/title New", {"title": "New"}, 'Changed the title to "New".', ("title", "New")),
    ("", "/lock", {"discussion_locked": True}, "Locked the discussion.", ("discussion_locked", True)),
    ("/lock", "/unlock", {"discussion_locked": False}, "Unlocked the discussion.", ("discussion_locked", False)),
    ("", "/assign @dev", {"assignee_ids": ["{dev}"]}, "Assigned @dev.", ("assignees", ["dev"])),
    ("", "/assign me", {"assignee_ids": ["{mia}"]}, "Assigned @mia.", ("assignees", ["mia"])),
    ("/assign @dev", "/assign mia", {"assignee_ids": ["{mia}"]}, "Assigned @mia.", ("assignees", ["mia"])),
    ("/assign @dev", "/unassign", {"assignee_ids": []}, "Removed assignee @dev.", ("assignees", [])),
    ("", "/label ~bug", {"add_label_ids": ["{bug}"]}, 'Added ~"bug" label.', ("labels", ["bug"])),
    (
        "",
        "/label bug docs",
        {"add_label_ids": ["{bug}", "{docs}"]},
        'Added ~"bug" ~"docs" labels.',
        ("labels", ["bug", "docs"]),
    ),
    (
        "/label bug docs",
        "/unlabel ~bug",
        {"remove_label_ids": ["{bug}"]},
        'Removed ~"bug" label.',
        ("labels", ["docs"]),
    ),
    ("/label bug docs", "/unlabel", {"label_ids": []}, "Removed all labels.", ("labels", [])),
    (
        "/label ~bug",
        "/relabel ~docs",
        {"label_ids": ["{docs}"]},
        'Replaced all labels with ~"docs" label.',
        ("labels", ["docs"]),
    ),
    ("", "/milestone %v1.1", {"milestone_id": "{v1}"}, 'Set the milestone to %"v1.1".', ("milestone", "v1.1")),
    ("/milestone v1.1", "/remove_milestone", {"milestone_id": None}, 'Removed %"v1.1" milestone.', ("milestone", None)),
    ("", "/estimate 1w 3d", {"time_estimate": 230_400}, "Set time estimate to 1w 3d.", ("time_estimate", 230_400)),
    ("/estimate 1h", "/remove_estimate", {"time_estimate": 0}, "Removed time estimate.", ("time_estimate", 0)),
    (
        "",
        "/spend 1h 30m",
        {"spend_time": {"duration": 5400, "user_id": "{mia}", "spent_at": "2020-11-20"}},
        "Added 1h 30m spent time.",
        ("total_time_spent", 5400),
    ),
    (
        "/spend 1h",
        "/remove_time_spent",
        {"spend_time": {"duration": "reset", "user_id": "{mia}"}},
        "Removed spent time.",
        ("total_time_spent", 0),
    ),
    (
        "",
        "/subscribe",
        {"subscription_event": "subscribe"},
        "Subscribed to this merge request.",
        ("subscribed", True),
    ),
    (
        "/subscribe",
        "/unsubscribe",
        {"subscription_event": "unsubscribe"},
        "Unsubscribed from this merge request.",
        ("subscribed", False),
    ),
    ("", "/award :thumbsup:", {"emoji_award": "thumbsup"}, "Toggled :thumbsup: emoji award.", ("upvotes", 1)),
    ("/award :+1:", "/award thumbsup", {"emoji_award": "thumbsup"}, "Toggled :thumbsup: emoji award.", ("upvotes", 0)),
    ("", "/draft", {"wip_event": "wip"}, "Marked this merge request as a draft.", ("title", "Draft: One")),
    ("", "/wip", {"wip_event": "wip"}, "Marked this merge request as a draft.", ("work_in_progress", True)),
    ("/draft", "/wip", {"wip_event": "unwip"}, "Unmarked this merge request as a draft.", ("title", "One")),
    (
        "/title [WIP] Draft: Two",
        "/draft",
        {"wip_event": "unwip"},
        "Unmarked this merge request as a draft.",
        ("title", "Two"),
    ),
    (
        "",
        "/target_branch readme",
        {"target_branch": "readme"},
        "Set target branch to readme.",
        ("target_branch", "readme"),
    ),
    ("", "/approve", {}, "Approved the current merge request.", ("state", "opened")),
]


@pytest.mark.fakeplat(clock="virtual")
@pytest.mark.parametrize(
    ("before", "text", "changes", "message", "then"),
    COMMANDS,
    ids=[f"{before} {text}" for before, text, *_ in COMMANDS],
)
def test_each_command(
    fakeplat: Fakeplat, before: str, text: str, changes: dict[str, Any], message: str, then: tuple[str, Any]
) -> None:
    """Each command changes the merge request, answers its summary and leaves no note."""
    target, ids = create_plain_merge_request(fakeplat), load_ids(fakeplat)
    if before:
        run_commands(fakeplat, before, "mia", target)

    assert (fill_in_ids(changes, ids), message) == run_commands(fakeplat, text, "mia", target)
    assert then == (then[0], read_field(fakeplat, target, then[0]))
    assert [] == list_bodies(fakeplat, target, "mia", "&activity_filter=only_comments")


UNDOABLE = [
    "/reopen",
    "/title",
    f"/title {'x' * 256}",
    "/unlock",
    "/unassign",
    "/label ~none",
    "/unlabel",
    "/relabel ~none",
    "/milestone %none",
    "/remove_milestone",
    "/estimate much",
    "/spend -1h",
    "/done",
    "/award :no_such_emoji:",
    "/copy_metadata !99",
    "/copy_metadata acme/docs#1",
    "/target_branch nowhere",
    "/target_branch no..where",
    "/target_branch",
    "/reassign @dev",
    "/confidential",
    "/due tomorrow",
    "/duplicate #1",
    "/move acme/docs",
    "/weight 3",
]


@pytest.mark.parametrize("text", UNDOABLE, ids=[text[:30] for text in UNDOABLE])
def test_commands_without_effect(fakeplat: Fakeplat, text: str) -> None:
    """Commands without effect answer 400 alone and are removed from other text."""
    target = create_plain_merge_request(fakeplat)
    assert NOTHING_DONE == refusal(fakeplat, "mia", "POST", f"{target}/notes", json={"body": text})
    status, note = post_note(fakeplat, "mia", target, f"Well.\n{text}")
    assert (201, "Well.", {}) == (status, note["body"], note["commands_changes"])


# merging


def test_merging_shows_the_merged_head(fakeplat: Fakeplat) -> None:
    """The hash of the source branch in the changes; all that follows a merge follows."""
    sha = get_json(fakeplat)["sha"]

    assert ({"merge": sha}, "Merged this merge request.") == run_commands(fakeplat, "/merge", "mia", OPEN)
    assert ("merged", "mia") == (
        read_field(fakeplat, OPEN, "state"),
        read_field(fakeplat, OPEN, "merged_by")["username"],
    )
    assert (
        get_json(fakeplat)["merge_commit_sha"]
        == get_json(fakeplat, f"{SITE}/repository/branches/master")["commit"]["id"]
    )


@pytest.mark.parametrize(
    ("by", "before", "target"),
    [
        ("dev", {}, OPEN),
        ("mia", {}, CONFLICTING),
        ("mia", {"title": "Draft: Search"}, OPEN),
        ("mia", {"state_event": "close"}, OPEN),
    ],
    ids=["no right", "conflict", "draft", "closed"],
)
def test_what_merge_does_not_merge(fakeplat: Fakeplat, by: str, before: dict[str, Any], target: str) -> None:
    """The command /merge has no effect on what its author cannot merge."""
    if before:
        assert 200 == fakeplat.as_user("mia").put(OPEN, json=before).status
    assert NOTHING_DONE == refusal(fakeplat, by, "POST", f"{target}/notes", json={"body": "/merge"})


def test_outdated_branches_are_not_merged(fakeplat: Fakeplat) -> None:
    """The command /merge does nothing where a rebase is required."""
    assert 200 == fakeplat.as_user("ada").put(SITE, json={"merge_method": "ff"}).status
    commit(fakeplat, "master", "other.txt", by="mia")
    assert NOTHING_DONE == refusal(fakeplat, "mia", "POST", f"{OPEN}/notes", json={"body": "/merge"})


def test_with_a_pipeline_under_way_it_is_merged_later(fakeplat: Fakeplat) -> None:
    """With a running pipeline /merge waits for its success."""
    sha = get_json(fakeplat)["sha"]
    with fakeplat.bench.platform.acting() as ctx:
        site = ctx.world.projects[fakeplat.world.project("acme/site").id]
        running = pipelines.create(ctx, site, sha=sha, ref="feature", status="running")
    message = "Scheduled to merge this merge request (Merge when pipeline succeeds)."

    assert ({"merge": sha}, message) == run_commands(fakeplat, "/merge", "mia", OPEN)
    waiting = get_json(fakeplat)
    assert ("opened", True) == select_fields(waiting, "state", "merge_when_pipeline_succeeds")
    with fakeplat.bench.platform.acting() as ctx:
        pipelines.set_status(ctx, running, "success")
    fakeplat.settle()
    assert ("merged", "mia") == (
        read_field(fakeplat, OPEN, "state"),
        read_field(fakeplat, OPEN, "merged_by")["username"],
    )


def test_where_pipelines_must_succeed_none_is_merged_without(fakeplat: Fakeplat) -> None:
    """The command /merge does nothing without a required pipeline."""
    assert 200 == fakeplat.as_user("ada").put(SITE, json={"only_allow_merge_if_pipeline_succeeds": True}).status
    assert NOTHING_DONE == refusal(fakeplat, "mia", "POST", f"{OPEN}/notes", json={"body": "/merge"})


def test_a_draft_is_made_ready_and_merged_at_once(fakeplat: Fakeplat) -> None:
    """A command sees what those before it did, so /draft and /merge go together on a draft, and not on another."""
    fakeplat.as_user("dev").put(OPEN, json={"title": "Draft: Search"})
    changes, message = run_commands(fakeplat, "/draft\n/merge", "mia", OPEN)

    assert ("unwip", "Unmarked this merge request as a draft. Merged this merge request.") == (
        changes["wip_event"],
        message,
    )
    assert ("Search", "merged") == select_fields(get_json(fakeplat), "title", "state")
    target = create_plain_merge_request(fakeplat)
    assert ({"wip_event": "wip"}, "Marked this merge request as a draft.") == run_commands(
        fakeplat, "/draft\n/merge", "mia", target
    )
    assert "opened" == read_field(fakeplat, target, "state")


def test_the_present_target_counts_for_merging(fakeplat: Fakeplat) -> None:
    """A Developer may not merge into master, but into a branch that nothing protects."""
    without_ci(fakeplat)
    target = create_plain_merge_request(fakeplat)
    fakeplat.as_user("dev").post(f"{SITE}/repository/branches", json={"branch": "stage", "ref": "master"})
    changes, message = run_commands(fakeplat, "/target_branch stage\n/merge", "dev", target)

    assert "Set target branch to stage. Merged this merge request." == message
    assert ("stage", "merged", changes["merge"]) == select_fields(
        get_json(fakeplat, target), "target_branch", "state", "sha"
    )


def test_a_description_merges_too(fakeplat: Fakeplat) -> None:
    """A changed one; a new merge request is not merged by its own description."""
    without_ci(fakeplat)
    new_merge_request = create_merge_request(
        fakeplat, _commit_to_branch(fakeplat), by="mia", description="Now!\n/merge"
    )
    assert ("Now!", "opened") == select_fields(new_merge_request, "description", "state")
    target = f"{MRS}/{new_merge_request['iid']}"
    changed = fakeplat.as_user("mia").put(target, json={"description": "Now, please.\n/merge"}).json()
    assert ("Now, please.", "merged") == select_fields(changed, "description", "state")


def _commit_to_branch(fake: Fakeplat, name: str = "work") -> str:
    commit(fake, name, f"{name}.txt")
    return name


# drafts


@pytest.mark.parametrize("title", ["WIP: One", "wip:One", "[WIP] One", "Draft: One", "(draft) One", "Draft - One"])
def test_every_sign_of_a_draft_is_taken_away(fakeplat: Fakeplat, title: str) -> None:
    """The command /wip removes every draft prefix of the title."""
    target = create_plain_merge_request(fakeplat)
    fakeplat.as_user("dev").put(target, json={"title": title})
    assert {"wip_event": "unwip"} == run_commands(fakeplat, "/wip", "dev", target)[0]
    assert "One" == read_field(fakeplat, target, "title")


def test_titles_have_room_for_the_sign_and_something_behind_it(fakeplat: Fakeplat) -> None:
    """The command /draft does nothing if the title would be too long or only the prefix."""
    target = create_plain_merge_request(fakeplat)
    for title in ("x" * 250, "Draft:"):
        assert 200 == fakeplat.as_user("dev").put(target, json={"title": title}).status
        assert NOTHING_DONE == refusal(fakeplat, "dev", "POST", f"{target}/notes", json={"body": "/draft"})


def test_a_title_and_a_draft_in_one(fakeplat: Fakeplat) -> None:
    """The title that is given is marked; both are told."""
    target = create_plain_merge_request(fakeplat)
    changes, _ = run_commands(fakeplat, "/title Two\n/draft", "dev", target)
    assert ({"title": "Draft: Two", "wip_event": "wip"}, "Draft: Two") == (
        changes,
        read_field(fakeplat, target, "title"),
    )


# what is copied


@pytest.mark.parametrize("written", ["#1", "acme/site#1", "!1", "acme/site!1", "{web_url}"])
def test_metadata_are_copied_from_issues_and_merge_requests(fakeplat: Fakeplat, written: str) -> None:
    """The command /copy_metadata adds labels and takes over the milestone."""
    source = ONE if "#" in written else OPEN
    name = "bug" if "#" in written else "feature"
    reference = "#1" if "#" in written else "!1"
    for target in (create_plain_merge_request(fakeplat), f"{SITE}/issues/5"):
        run_commands(fakeplat, "/label ~docs", "mia", target)
        text = f"/copy_metadata {written.format(**get_json(fakeplat, source, by='mia'))}"
        changes, message = run_commands(fakeplat, text, "mia", target)

        ids = load_ids(fakeplat)
        assert {"add_label_ids": [ids[name]], "milestone_id": ids["v1"]} == changes
        assert f"Copied labels and milestone from {reference}." == message
        assert (sorted(["docs", name]), "v1.1") == (
            sorted(read_field(fakeplat, target, "labels")),
            read_field(fakeplat, target, "milestone"),
        )


# to-dos and approvals


def test_to_dos_by_command(fakeplat: Fakeplat) -> None:
    """/todo asks oneself, /done is done with it; neither twice."""
    target = create_plain_merge_request(fakeplat)
    before = list_todos(fakeplat, "mia")
    assert ({"todo_event": "add"}, "Added a To Do.") == run_commands(fakeplat, "/todo", "mia", target)
    assert [("marked", "One"), *before] == list_todos(fakeplat, "mia")
    assert NOTHING_DONE == refusal(fakeplat, "mia", "POST", f"{target}/notes", json={"body": "/todo"})
    assert ({"todo_event": "done"}, "Marked To Do as done.") == run_commands(fakeplat, "/done", "mia", target)
    assert before == list_todos(fakeplat, "mia")


def test_approving_twice_has_no_effect(fakeplat: Fakeplat) -> None:
    """The command /approve works once for each user and is noted once."""
    target = create_plain_merge_request(fakeplat)
    assert "Approved the current merge request." == run_commands(fakeplat, "/approve\n/approve", "mia", target)[1]
    assert NOTHING_DONE == refusal(fakeplat, "mia", "POST", f"{target}/notes", json={"body": "/approve"})
    approvals = get_json(fakeplat, f"{target}/approvals", by="mia")
    assert ["mia"] == [row["user"]["username"] for row in approvals["approved_by"]]
    assert ["approved this merge request"] == list_system_notes(fakeplat, target, "mia")


@pytest.mark.fakeplat(tier="premium")
def test_paid_commands(fakeplat: Fakeplat) -> None:
    """Several assignees, others in their place, some of them no more; authors do not approve."""
    target = create_plain_merge_request(fakeplat)
    run_commands(fakeplat, "/assign @dev @ada", "mia", target)
    assert "Assigned @rep." == run_commands(fakeplat, "/assign @rep", "mia", target)[1]
    assert ["dev", "ada", "rep"] == read_field(fakeplat, target, "assignees")
    assert "Removed assignees @dev and @ada." == run_commands(fakeplat, "/unassign @dev @ada", "mia", target)[1]
    assert "Changed assignees to @mia." == run_commands(fakeplat, "/reassign @mia", "mia", target)[1]
    assert ["mia"] == read_field(fakeplat, target, "assignees")
    assert NOTHING_DONE == refusal(fakeplat, "dev", "POST", f"{target}/notes", json={"body": "/approve"})


# texts


@pytest.mark.parametrize(
    "text",
    [
        "/nothing of that kind",
        "/cc @dev",
        "/rebase",
        " /close",
        "say /close",
        "/closed",
        "/etc/hosts",
        "```\n/close\n```",
        "~~~\n/merge\n~~~",
        ">>>\n/close\n>>>",
        "  kept as it is  ",
    ],
)
def test_lines_that_are_no_commands(fakeplat: Fakeplat, text: str) -> None:
    """Lines in code or quotations, or that begin otherwise, are no commands."""
    status, note = post_note(fakeplat, "mia", OPEN, text)
    assert (201, text, {}) == (status, note["body"], note["commands_changes"])
    changed = fakeplat.as_user("mia").put(OPEN, json={"description": text}).json()
    assert (text, "opened") == select_fields(changed, "description", "state")


def test_some_write_something(fakeplat: Fakeplat) -> None:
    """The commands /shrug and /tableflip write their emoticons."""
    assert "so what ¯\\＿(ツ)＿/¯" == post_note(fakeplat, "mia", OPEN, "/shrug so what")[1]["body"]  # noqa: RUF001
    changed = fakeplat.as_user("mia").put(OPEN, json={"description": "/tableflip"}).json()
    assert "(╯°□°)╯︵ ┻━┻" == changed["description"]


def test_several_beside_a_text(fakeplat: Fakeplat) -> None:
    """Commands beside a text are executed, and the note has only the text."""
    status, note = post_note(fakeplat, "mia", OPEN, "Fine.\n/label ~bug\n/nothing\n/estimate 1h\n/title Find\n")
    assert (201, "Fine.\n/nothing") == (status, note["body"])
    assert {"add_label_ids": [load_ids(fakeplat)["bug"]], "time_estimate": 3600, "title": "Find"} == (
        note["commands_changes"]
    )
    assert (["bug", "feature"], "Find", 3600) == tuple(
        read_field(fakeplat, OPEN, name) for name in ("labels", "title", "time_estimate")
    )


def test_discussions_have_their_commands_done(fakeplat: Fakeplat) -> None:
    """Commands in discussions are executed; commands alone leave no note and answer 400."""
    mia = fakeplat.as_user("mia")
    assert NOTHING_DONE == outcome(mia.post(f"{OPEN}/discussions", json={"body": "/close"}))
    assert "closed" == read_field(fakeplat, OPEN, "state")
    thread = mia.post(f"{OPEN}/discussions", json={"body": "No!\n/reopen"}).json()
    assert (["No!"], "opened") == (names(thread["notes"], "body"), read_field(fakeplat, OPEN, "state"))
    reply = mia.post(f"{OPEN}/discussions/{thread['id']}/notes", json={"body": "Find it.\n/title Find"}).json()
    assert ("Find it.", {"title": "Find"}) == (reply["body"], reply["commands_changes"])


def test_a_changed_note_has_its_commands_done(fakeplat: Fakeplat) -> None:
    """The text is left; a note of which nothing is left is gone, and answered with 400."""
    mia, note = fakeplat.as_user("mia"), post_note(fakeplat, "mia", OPEN, "Well.")[1]
    target = f"{OPEN}/notes/{note['id']}"
    changed = mia.put(target, json={"body": "Better.\n/title New"}).json()
    assert ("Better.", {"title": "New"}) == (changed["body"], changed["commands_changes"])
    gone = outcome(mia.put(target, json={"body": "/close"}))

    assert (400, {"message": '400 Bad request - Failed to save note {:note=>["can\'t be blank"]}'}) == gone
    assert (404, "closed") == (mia.get(target).status, read_field(fakeplat, OPEN, "state"))


NO_NOTE = (400, {"message": 'Failed to save note {:note=>["can\'t be blank"]}'})


def test_commits_are_tagged_and_take_no_other_command(fakeplat: Fakeplat) -> None:
    """In comments on commits only /tag is executed."""
    sha = get_json(fakeplat)["sha"]
    target, mia = f"{SITE}/repository/commits/{sha}/comments", fakeplat.as_user("mia")
    messages = [mia.post(target, json={"note": f"Good.\n{text}"}).json()["note"] for text in COMMIT_COMMANDS]
    notes = fakeplat.bench.platform.view.notes.all()
    tags = {tag["name"]: tag["message"] for tag in mia.get(f"{SITE}/repository/tags").json()}

    assert ["Good."] * 3 == messages
    assert {"v1.2.3": None, "v1.2.4": "Stable release"}.items() <= tags.items()
    assert [f"tagged commit {sha} to [`{name}`](/acme/site/-/tags/{name})" for name in ("v1.2.3", "v1.2.4")] == [
        note.body for note in notes if note.system and note.subject[0] == "commit"
    ]


COMMIT_COMMANDS = ("/tag v1.2.3", "/tag v1.2.4 Stable release", "/close")


def test_a_comment_of_a_tag_alone_leaves_no_comment(fakeplat: Fakeplat) -> None:
    """A comment of /tag alone creates the tag and answers 400."""
    target = f"{SITE}/repository/commits/{get_json(fakeplat)['sha']}/comments"
    assert NO_NOTE == outcome(fakeplat.as_user("mia").post(target, json={"note": "/tag v1.2.3"}))
    assert 200 == fakeplat.as_user("mia").get(f"{SITE}/repository/tags/v1.2.3").status
    for text in ("/tag", "/close"):
        assert NO_NOTE == refusal(fakeplat, "mia", "POST", target, json={"note": text})


# descriptions


@pytest.mark.fakeplat(clock="virtual")
def test_commands_apply_to_a_new_merge_request(fakeplat: Fakeplat) -> None:
    """Commands in a new description set its attributes without notes."""
    text = (
        "It works.\n/label ~bug\n/assign @mia\n/milestone %v1.1\n/estimate 2h\n/draft\n/target_branch readme\n"
        "/close\n/title No\n/approve"
    )
    new_merge_request = create_merge_request(
        fakeplat, _commit_to_branch(fakeplat), target_branch="nowhere", description=text
    )

    assert ("It works.", ["bug"], "Draft: T", "readme", "opened", 7200) == (
        *select_fields(new_merge_request, "description", "labels", "title", "target_branch", "state"),
        new_merge_request["time_stats"]["time_estimate"],
    )
    assert ("v1.1", ["mia"]) == (
        new_merge_request["milestone"]["title"],
        names(new_merge_request["assignees"], "username"),
    )
    assert [] == list_system_notes(fakeplat, f"{MRS}/{new_merge_request['iid']}", "mia")
    assert ("assigned", "Draft: T") == list_todos(fakeplat, "mia")[0]


@pytest.mark.parametrize("kind", ["issues", "merge_requests"])
def test_commands_add_to_parameters(fakeplat: Fakeplat, kind: str) -> None:
    """Labels that parameters name stay, with those of the description; when it is made and later."""
    branches = (
        {"source_branch": _commit_to_branch(fakeplat), "target_branch": "master"} if kind == "merge_requests" else {}
    )
    text = {"labels": "docs", "description": "Well.\n/label ~bug"}
    record = fakeplat.as_user("dev").post(f"{SITE}/{kind}", json={"title": "T", **branches, **text}).json()
    assert ["bug", "docs"] == sorted(record["labels"])
    target = f"{SITE}/{kind}/{record['iid']}"
    changed = fakeplat.as_user("dev").put(target, json={"labels": "urgent", "description": "Well.\n/label ~feature"})

    assert ["feature", "urgent"] == sorted(changed.json()["labels"])


def test_a_changed_description_has_its_commands_done(fakeplat: Fakeplat) -> None:
    """Commands in a changed description are executed and noted."""
    target = create_plain_merge_request(fakeplat)
    changed = fakeplat.as_user("dev").put(target, json={"description": "Fixed.\n/close\n/label ~bug\n/draft"}).json()

    assert ("Fixed.", "closed", ["bug"], "Draft: One") == select_fields(
        changed, "description", "state", "labels", "title"
    )
    assert ["marked as a **Work In Progress**", "changed the description"] == list_system_notes(fakeplat, target, "mia")


def test_a_description_of_commands_only_is_empty(fakeplat: Fakeplat) -> None:
    """A description that consists of commands is empty after they are executed."""
    changed = fakeplat.as_user("dev").put(OPEN, json={"description": "/title Find"}).json()
    assert ("", "Find") == select_fields(changed, "description", "title")


def test_results_of_commands_are_validated(fakeplat: Fakeplat) -> None:
    """A branch that cannot be the target refuses the whole, as the parameter would."""
    body = {"title": "T", "source_branch": "feature", "target_branch": "readme", "description": "/target_branch master"}
    taken = (409, {"message": ["Another open merge request already exists for this source branch: !1"]})
    assert taken == refusal(fakeplat, "dev", "POST", MRS, json=body)
    body = {**body, "title": " ", "target_branch": "readme", "description": "/draft"}
    assert invalid_record(title=["can't be blank"]) == refusal(fakeplat, "dev", "POST", MRS, json=body)


def test_an_impossible_command_is_skipped(fakeplat: Fakeplat) -> None:
    """Another open one between the branches: it does not go there, the rest is done."""
    commit(fakeplat, "work", "work.txt")
    create_merge_request(fakeplat, "work", target_branch="readme")
    target = f"{MRS}/{create_merge_request(fakeplat, 'work')['iid']}"
    run_commands(fakeplat, "/target_branch readme\n/label ~bug", "dev", target)
    assert ("master", ["bug"]) == select_fields(get_json(fakeplat, target), "target_branch", "labels")


def test_a_fork_s_author_may_plan_nothing(fakeplat: Fakeplat) -> None:
    """Commands that the author of a fork may not use are removed without effect."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "visibility": "public"}]})
    fork = fakeplat.as_user("eve").post(f"{SITE}/fork").json()
    fakeplat.settle()
    source = f"projects/{fork['id']}"
    commit(fakeplat, "mine", "mine.txt", by="eve", project=source)
    new_merge_request = create_merge_request(
        fakeplat,
        "mine",
        by="eve",
        project=source,
        target_project_id=fork["forked_from_project"]["id"],
        description="Please.\n/label ~bug\n/assign me\n/lock\n/draft",
    )
    assert ("Please.", [], [], "Draft: T") == select_fields(
        new_merge_request, "description", "labels", "assignees", "title"
    )
    target = f"{MRS}/{new_merge_request['iid']}"
    assert NOTHING_DONE == outcome(fakeplat.as_user("eve").post(f"{target}/notes", json={"body": "/label ~bug"}))
    assert {"state_event": "close"} == run_commands(fakeplat, "/close", "eve", target)[0]


def test_archived_projects_take_no_commands(fakeplat: Fakeplat) -> None:
    """Commands in archived projects answer 403."""
    assert 201 == fakeplat.as_user("ada").post(f"{SITE}/archive").status
    assert (403, {"message": "403 Forbidden"}) == refusal(
        fakeplat, "mia", "POST", f"{OPEN}/notes", json={"body": "/close"}
    )


def test_administrators_command_in_another_name(fakeplat: Fakeplat) -> None:
    """With sudo commands have the rights of the other user."""
    body = {"body": "/approve"}
    assert 202 == fakeplat.as_user("root").post(f"{OPEN}/notes?sudo=mia", json=body).status
    assert NOTHING_DONE == refusal(fakeplat, "root", "POST", f"{OPEN}/notes?sudo=rep", json=body)
