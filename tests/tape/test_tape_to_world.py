"""What a tape shows of the world in which its session began becomes a scenario."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gitlab
import pytest

from fakeplat import scenario
from fakeplat.tape.export.from_tape import scenario_from_tape
from fakeplat.tape.export.scenario_builder import BuiltScenario
from fakeplat.tape.formats.tape import Tape, read
from tests.clients.server import serving
from tests.scenario.worlds import create_platform
from tests.tape.python_gitlab_session import reread
from tests.tape.sessions import Session, as_server_tape, record_session
from tests.tape.tapes import build_exchange, build_tape
from tests.tape.test_verify import list_drifts, verify_tape

SITE_URL = "https://git.example.test/acme/site"


def build_world(file: Path, send_requests: Callable[[Session], Any], scenario_: Any = "starter") -> BuiltScenario:
    """The world that a session with a server shows."""
    return scenario_from_tape(record_tape(file, send_requests, scenario_))


def record_tape(file: Path, send_requests: Callable[[Session], Any], scenario_: Any = "starter") -> Tape:
    platform = create_platform(scenario_)
    return as_server_tape(record_session(platform, file, send_requests), platform)


def get_entry(made_of: BuiltScenario, section: str, **names: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = [row for row in made_of.scenario[section] if names.items() <= row.items()]
    assert 1 == len(rows), rows
    return rows[0]


def get_site(world: BuiltScenario) -> dict[str, Any]:
    return get_entry(world, "projects", path_with_namespace="acme/site")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "session.tape"


def test_what_the_session_made_was_not_there_before(file: Path) -> None:
    """An issue, a member and a project that a POST created are not in the world of the tape."""

    def send_requests(session: Session) -> None:
        session.ask("POST", "projects/acme%2Fsite/issues", title="Made here")
        eve = session.ask("GET", "users?username=eve")[0]
        session.ask("POST", "projects/acme%2Fsite/members", user_id=eve["id"], access_level=20)
        session.ask("POST", "projects", name="Made too")
        for target in (
            "projects/acme%2Fsite",
            "projects/acme%2Fsite/issues",
            "projects/acme%2Fsite/members",
            "projects",
        ):
            session.ask("GET", target)

    world = build_world(file, send_requests)

    assert "Made here" not in [issue["title"] for issue in get_site(world)["issues"]]
    assert "Made too" not in [project["name"] for project in world.scenario["projects"]]
    assert "eve" not in [member["username"] for member in get_site(world)["members"]]
    assert get_entry(world, "users", username="eve")


def test_what_the_session_changed_is_as_it_was_first_seen(file: Path) -> None:
    """Fields have the value that the tape shows first; fields changed before any read are unknown."""

    def send_requests(session: Session) -> None:
        session.ask("GET", "projects/acme%2Fsite/issues/1")
        session.ask("PUT", "projects/acme%2Fsite/issues/1", title="Another title", state_event="close")
        session.ask("GET", "projects/acme%2Fsite/issues/1")
        session.ask("PUT", "projects/acme%2Fsite/issues/2", description="Another text")
        session.ask("GET", "projects/acme%2Fsite/issues/2")
        session.ask("GET", "projects/acme%2Fsite")

    first, second = sorted(get_site(build_world(file, send_requests))["issues"], key=lambda issue: issue["iid"])

    assert "Another title" != first["title"]
    assert "closed" != first.get("state")
    assert "description" not in second
    assert second["title"] == create_platform("starter").view.issues.all()[1].title


@pytest.mark.parametrize(("method", "is_kept"), [("HEAD", True), ("GET", True), ("PUT", False)])
def test_a_head_is_no_write(method: str, is_kept: bool) -> None:
    """Records created after the session's first write are left out, and a HEAD request is not a write."""
    site = {"id": 1, "name": "Site", "path_with_namespace": "acme/site", "visibility": "public"}
    pipeline = {"id": 7, "ref": "main", "sha": "a" * 40, "status": "success", "created_at": "2020-11-20T09:00:30.000Z"}
    world = scenario_from_tape(
        build_tape(
            build_exchange("GET", "/api/v4/projects/1", site),
            build_exchange(method, "/api/v4/projects/1", site),
            build_exchange("GET", "/api/v4/projects/1/pipelines", [pipeline]),
        )
    )

    assert is_kept == ("pipelines" in world.scenario["projects"][0])


def test_what_the_session_removed_was_there(file: Path) -> None:
    """An issue that the session read and then deleted is in the world of the tape."""

    def send_requests(session: Session) -> None:
        session.ask("GET", "projects/acme%2Fsite")
        session.ask("GET", "projects/acme%2Fsite/issues/1")
        session.ask("DELETE", "projects/acme%2Fsite/issues/1")

    assert [1] == [issue["iid"] for issue in get_site(build_world(file, send_requests))["issues"]]


def test_who_could_do_it_is_allowed_to(file: Path) -> None:
    """Memberships are inferred from permissions and successful writes, and the assumptions are reported."""

    def send_requests(session: Session) -> None:
        session.ask("GET", "projects/acme%2Fsite")
        session.ask("GET", "projects/ada%2Fnotes", "root")
        session.ask("POST", "projects/acme%2Fsite/labels", "mia", name="later", color="#ff0000")

    world = build_world(file, send_requests)

    assert [{"username": "ada", "access_level": 50}, {"username": "mia", "access_level": 40}] == (
        get_entry(world, "groups", full_path="acme")["members"] + get_site(world).get("members", [])
    )
    assert 1 == world.left_out["assumed: mia is maintainer of acme/site"]


def test_inherited_members_are_members_of_the_group(file: Path) -> None:
    """Members that a project lists only among all its members become members of its group."""

    def send_requests(session: Session) -> None:
        session.ask("GET", "projects/acme%2Fsite")
        session.ask("GET", "projects/acme%2Fsite/members")
        session.ask("GET", "projects/acme%2Fsite/members/all")

    world = build_world(file, send_requests)
    levels = {
        member["username"]: member["access_level"] for member in get_entry(world, "groups", full_path="acme")["members"]
    }

    assert {"ada": 50, "mia": 40, "dev": 30, "rep": 20, "gus": 10} == levels


def test_refusals_show_nothing(file: Path) -> None:
    """A project whose only response was a refusal is not in the world of the tape."""

    def send_requests(session: Session) -> None:
        session.ask("GET", "projects/acme%2Fsite", "eve")

    world = build_world(file, send_requests)
    assert {"scenario", "clock", "users"} == world.scenario.keys()
    assert ["eve"] == [user["username"] for user in world.scenario["users"]]


def test_a_tape_of_a_real_client_becomes_a_world_that_answers_its_reads(tmp_path: Path) -> None:
    """The world of a tape of python-gitlab answers all of its reads without drift."""
    file = tmp_path / "client.tape"
    with serving(tmp_path, "--clock", "virtual", "--record", str(file)) as ready:
        client = gitlab.Gitlab(ready["url"], private_token="mia-token")
        client.auth()
        project = client.projects.get("acme/site")
        managers = (project.members, project.labels, project.milestones, project.issues, project.mergerequests)
        for manager in managers:
            for record in manager.list(get_all=True):
                assert reread(manager, record).get_id() == record.get_id()
        client.groups.get("acme", with_projects=False).members.list(get_all=True)

    session = read(file)
    world = scenario_from_tape(session)
    again = scenario.create_platform(scenario.get_scenario(world.scenario))

    assert len(session) > 10
    assert {"assumed: the repository of acme/site holds next to nothing": 1} == dict(world.left_out)
    assert [] == list_drifts(verify_tape(session, again, session.head.upstream))


def test_a_repository_that_the_tape_tells_of_has_a_stand_in(file: Path) -> None:
    """A repository on a tape gets a substitute with its branches and tags, and the assumption is reported."""

    def send_requests(session: Session) -> None:
        session.ask("GET", "projects/acme%2Fsite")
        session.ask("GET", "projects/acme%2Fsite/repository/branches/master")
        session.ask("GET", "projects/acme%2Fsite/repository/branches/feature")
        session.ask("GET", "projects/acme%2Fsite/repository/tags")

    world = build_world(file, send_requests)
    first, second = get_site(world)["repository"]["commits"]
    again = create_platform(world.scenario)
    refs = again.view.repositories.all()

    assert ("Say how to run it", "master", ["README.md"], {"v1.0": "First release"}) == (
        first["message"],
        first["branch"],
        list(first["files"]),
        first["tags"],
    )
    assert {"name": "Mia Example", "email": "mia@example.test"} == first["author"]
    assert ("Search by name", "feature", "master") == (second["message"], second["branch"], second["start"])
    assert 1 == len(list(refs))
    assert 1 == world.left_out["assumed: the repository of acme/site holds next to nothing"]


@pytest.mark.parametrize(
    ("settings", "files"),
    [
        ({"default_branch": "main", "empty_repo": False}, []),
        ({"default_branch": "main", "readme_url": f"{SITE_URL}/-/blob/main/docs/READ%20ME.md"}, ["docs/READ ME.md"]),
        ({"default_branch": "a/b", "empty_repo": False, "readme_url": f"{SITE_URL}/-/blob/a/b/README"}, ["README"]),
        ({"default_branch": "main", "empty_repo": True}, None),
        ({"default_branch": None, "empty_repo": False}, None),
        ({"default_branch": "main"}, None),
    ],
)
def test_a_stand_in_has_what_the_project_shows(settings: dict[str, Any], files: list[str] | None) -> None:
    """A substitute repository has the default branch and README that the project shows, or does not exist."""
    body = {"id": 1, "name": "Site", "path_with_namespace": "acme/site", "visibility": "public", **settings}
    [project] = scenario_from_tape(build_tape(build_exchange("GET", "/api/v4/projects/1", body))).scenario["projects"]
    commits = project.get("repository", {}).get("commits", [])

    expected = [] if files is None else [(settings["default_branch"], files)]
    assert expected == [(commit["branch"], [*commit.get("files", {})]) for commit in commits]


def test_what_the_session_pushed_was_not_there_before(file: Path) -> None:
    """Branches and tags that the session created are not in the world of the tape."""

    def send_requests(session: Session) -> None:
        own = "projects/acme%2Fsite/repository"
        session.ask("GET", "projects/acme%2Fsite")
        session.ask("POST", f"{own}/branches?branch=made&ref=master")
        session.ask("POST", f"{own}/tags?tag_name=fresh&ref=master")
        action = {"action": "create", "file_path": "a.txt", "content": "a"}
        session.ask(
            "POST", f"{own}/commits", branch="begun", start_branch="master", commit_message="Begin", actions=[action]
        )
        session.ask("GET", f"{own}/branches")
        session.ask("GET", f"{own}/tags")
        session.ask("GET", "projects/ada%2Fnotes")

    world = build_world(file, send_requests)
    commits = get_site(world)["repository"]["commits"]
    branches = {commit["branch"] for commit in commits}

    assert {"master", "feature"} <= branches
    assert not {"made", "begun"} & branches
    assert {"v1.0"} == commits[0]["tags"].keys()


def test_an_empty_project_gets_no_repository(file: Path) -> None:
    """A project that says it is empty gets no substitute repository."""

    def send_requests(session: Session) -> None:
        session.ask("GET", "projects/acme%2Fsite")
        session.ask("GET", "projects/acme%2Fsite/repository/branches")

    document = {"groups": [{"path": "acme", "projects": ["site"], "members": {"ada": "owner"}}], "users": ["ada"]}
    world = build_world(file, send_requests, document)

    assert "repository" not in get_site(world)
    assert not [what for what in world.left_out if what.startswith("assumed: the repository")]


def test_branches_and_files_of_any_name_are_no_lists_of_parts(file: Path) -> None:
    """A branch named `starrers` is not read as a list of starrers."""

    def send_requests(session: Session) -> None:
        session.ask("GET", "projects/acme%2Fsite/members")
        session.ask("GET", "projects/acme%2Fsite")
        session.ask("POST", "projects/acme%2Fsite/repository/branches?branch=starrers&ref=master")
        session.ask("GET", "projects/acme%2Fsite/repository/branches/starrers")

    assert "starrers" not in get_site(build_world(file, send_requests))


def test_emoji_of_a_comment_are_not_those_of_its_issue(file: Path) -> None:
    """Emoji of a note are not added to its issue."""

    def send_requests(session: Session) -> None:
        own = "projects/acme%2Fsite/issues/1"
        session.ask("GET", "projects/acme%2Fsite")
        note = session.ask("POST", f"{own}/notes", body="Seen")
        session.ask("POST", f"{own}/award_emoji", name="tada")
        session.ask("POST", f"{own}/notes/{note['id']}/award_emoji", "dev", name="rocket")
        session.ask("GET", f"{own}/notes/{note['id']}/award_emoji", "dev")
        session.ask("GET", own)

    [issue] = get_site(build_world(file, send_requests))["issues"]
    assert "award_emoji" not in issue
