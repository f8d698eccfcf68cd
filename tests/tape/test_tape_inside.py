"""What a tape shows within projects, issues and merge requests is in the world that is made of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakeplat.platform import Platform
from fakeplat.tape.export.from_tape import scenario_from_tape
from fakeplat.tape.export.scenario_builder import BuiltScenario
from fakeplat.tape.formats.tape import Tape
from tests.scenario.worlds import create_platform
from tests.tape.beyond import without_repositories
from tests.tape.busy import SITE, busy_starter
from tests.tape.sessions import Session, as_server_tape, record_session
from tests.tape.test_crawl_inside import use_everything
from tests.tape.test_verify import list_drifts, verify_tape

AROUND = (
    *(f"{SITE}/{word}" for word in ("members", "labels", "milestones", "repository/branches", "members/all")),
    *("projects/acme%2Fdocs", "projects/acme%2Ftools%2Fkit", "groups/acme", "groups/acme%2Ftools"),
    *("groups/acme/members", "groups/acme/labels", "groups/acme/milestones"),
)


def record_tape(platform: Platform, file: Path, send_requests: Callable[[Session], Any]) -> Tape:
    return as_server_tape(record_session(platform, file, send_requests), platform)


def export_key(world: BuiltScenario, key: str, **names: Any) -> dict[str, Any]:
    """What is said under a key of the project acme/site."""
    (site,) = [project for project in world.scenario["projects"] if project["path_with_namespace"] == "acme/site"]
    (row,) = [row for row in site[key] if names.items() <= row.items()]
    return dict(row)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "session.tape"


def test_a_busy_session_makes_a_world_that_answers_it(file: Path) -> None:
    """The world of a busy session's tape answers it again, apart from what depends on commits."""

    def send_requests(session: Session) -> None:
        session.ask("GET", SITE, "mia")
        for target in AROUND:
            session.ask("GET", target, "mia")
        use_everything(session)

    tape = record_tape(busy_starter(), file, send_requests)
    world = scenario_from_tape(tape)

    assert [] == without_repositories(list_drifts(verify_tape(tape, create_platform(world.scenario))))
    assert {"Plain", "Why this line?"} & {note["body"] for note in export_key(world, "merge_requests", iid=5)["notes"]}
    assert 8 == world.left_out["comments on commits"]


def test_records_created_by_the_session_were_not_there_before(file: Path) -> None:
    """Notes, links, approvals, to-dos and boards that the session created are not in the world of its tape."""

    def send_requests(session: Session) -> None:
        own = f"{SITE}/issues/1"
        session.ask("GET", SITE)
        for word in ("members/all", "labels", "issues", "merge_requests"):
            session.ask("GET", f"{SITE}/{word}", "dev")
        session.ask("POST", f"{own}/notes", "dev", body="Made here")
        thread = session.ask("POST", f"{own}/discussions", "dev", body="Begun here")["id"]
        session.ask("POST", f"{own}/discussions/{thread}/notes", "mia", body="Replied here")
        session.ask("POST", f"{own}/award_emoji", "mia", name="tada")
        session.ask("POST", f"{own}/links", "dev", target_project_id="acme/site", target_issue_iid=2)
        session.ask("PUT", own, "dev", title="Another", labels="docs", state_event="close")
        session.ask("POST", f"{own}/todo", "dev")
        session.ask("POST", f"{SITE}/merge_requests/1/approve", "mia")
        session.ask("POST", f"{SITE}/boards", "mia", name="Work")
        for part in ("", "/notes", "/discussions", "/award_emoji", "/links", "/resource_label_events"):
            session.ask("GET", f"{own}{part}", "dev")
        session.ask("GET", f"{own}/resource_state_events", "dev")
        session.ask("GET", f"{SITE}/issues/2", "dev")
        session.ask("GET", f"{SITE}/issues/2/links", "dev")
        session.ask("GET", f"{SITE}/merge_requests/1", "dev")
        session.ask("GET", f"{SITE}/merge_requests/1/approvals", "dev")
        session.ask("GET", f"{SITE}/boards", "dev")
        session.ask("GET", "todos", "dev")

    tape = record_tape(create_platform("starter"), file, send_requests)
    world = scenario_from_tape(tape)
    issue, merge_request = export_key(world, "issues", iid=1), export_key(world, "merge_requests", iid=1)

    assert [] == [key for key in issue if key in ("notes", "award_emoji") or key.startswith("resource_")]
    assert "approved_by" not in merge_request
    assert [] == [user["username"] for user in world.scenario["users"] if "todos" in user]
    assert "issue_links" not in world.scenario
    assert "boards" not in world.scenario["projects"][0]
    assert [] == without_repositories(list_drifts(verify_tape(tape, create_platform(world.scenario))))


def test_what_the_session_changed_was_there(file: Path) -> None:
    """An edited comment, a merged merge request and an ended subscription are in the world as they were before."""

    def send_requests(session: Session) -> None:
        note = session.ask("GET", f"{SITE}/issues/1/notes", "gus")[-2]["id"]
        session.ask("GET", SITE, "dev")
        session.ask("PUT", f"{SITE}/issues/2/notes/{note}", "gus", body="Nothing")
        session.ask("PUT", f"{SITE}/merge_requests/1/merge", "mia")
        session.ask("GET", f"{SITE}/merge_requests/1", "mia")
        session.ask("POST", f"{SITE}/issues/1/unsubscribe", "root")
        session.ask("GET", f"{SITE}/issues/1", "root")

    platform = busy_starter()
    bodies = [note.body for note in platform.view.notes.all()]
    world = scenario_from_tape(record_tape(platform, file, send_requests))
    merge_request, issue = export_key(world, "merge_requests", iid=1), export_key(world, "issues", iid=1)

    assert "merged_at" not in merge_request
    assert "opened" == merge_request.get("state", "opened")
    assert {"root": True} == issue["subscribers"]
    assert [] == [note["body"] for note in issue["notes"] if note["body"] not in bodies]


def test_what_nobody_showed_is_counted(file: Path) -> None:
    """Notes and votes that are only known by their number are counted."""

    def send_requests(session: Session) -> None:
        session.ask("GET", SITE, "dev")
        session.ask("GET", f"{SITE}/issues/1", "dev")
        session.ask("GET", f"{SITE}/merge_requests/1", "dev")

    world = scenario_from_tape(record_tape(busy_starter(), file, send_requests))

    assert (5, 1, 1, 1) == tuple(
        world.left_out[what]
        for what in ("notes of issues", "votes for issues", "notes of merge requests", "votes for merge requests")
    )


def test_the_to_dos_of_who_asked_are_theirs(file: Path) -> None:
    """To-dos on a tape belong to the user who listed them; those about other targets are counted."""

    def send_requests(session: Session) -> None:
        session.ask("GET", SITE, "root")
        session.ask("GET", f"{SITE}/issues/1/notes", "root")
        session.ask("GET", f"{SITE}/issues/1", "root")
        session.ask("GET", "todos", "root")

    world = scenario_from_tape(record_tape(busy_starter(), file, send_requests))
    (root,) = [user for user in world.scenario["users"] if user["username"] == "root"]

    (todo,) = root["todos"]
    note = export_key(world, "issues", iid=1)["notes"][todo["note"] - 1]
    assert ("acme/site#1", "dev", "@root, look") == (todo["issue"], todo["author"], note["body"])
    assert 2 == world.left_out["to-dos about other targets"]


def test_a_source_branch_stands_where_the_merge_request_says(file: Path) -> None:
    """The source branch of a merge request is ahead of its target by one commit in the world of a tape."""

    def send_requests(session: Session) -> None:
        session.ask("GET", SITE, "dev")
        session.ask("GET", f"{SITE}/merge_requests/1", "dev")

    world = scenario_from_tape(record_tape(create_platform("starter"), file, send_requests))
    session = Session(create_platform(world.scenario))
    merge_request = session.ask("GET", f"{SITE}/merge_requests/1", "dev")
    refs = merge_request["diff_refs"]

    assert "1" == merge_request["changes_count"]
    assert (
        refs["base_sha"]
        != refs["start_sha"]
        == session.ask("GET", f"{SITE}/repository/branches/master", "dev")["commit"]["id"]
    )
    assert 1 == len(session.ask("GET", f"{SITE}/merge_requests/1/commits", "dev"))
