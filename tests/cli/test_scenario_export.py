"""`fakeplat scenario export`: a scenario from a live server or from a tape."""

from collections.abc import Iterator
from pathlib import Path

import gitlab
import orjson
import pytest

from fakeplat import scenario
from tests.cli.commands import fakeplat
from tests.clients.server import serving
from tests.scenario.worlds import create_platform, get_status
from tests.tape.sessions import Session, record_session


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("server")) as ready:
        yield ready["url"]


def send_requests(session: Session) -> None:
    session.ask("GET", "projects/acme%2Fsite")
    session.ask("GET", "projects/acme%2Fsite/issues")


@pytest.mark.parametrize("name", ["site.yaml", "site.json"])
def test_a_live_project_becomes_a_file_that_can_be_served(url: str, tmp_path: Path, name: str) -> None:
    """A live project is exported to YAML or JSON that passes the check and contains no token."""
    out = tmp_path / name
    done = fakeplat("scenario", "export", url, "--project", "acme/site", "--token", "root-token", "--out", out)

    # On standard error there is only the progress, after every hundred requests.
    assert (0, "", []) == (
        done.returncode,
        done.stdout,
        [line for line in done.stderr.splitlines() if "00: GET /api/v4/" not in line],
    )
    assert "root-token" not in out.read_text("utf-8")
    assert f"{out}: fine\n" == fakeplat("scenario", "check", out).stdout
    for path in ("issues/1", "repository/commits/master", "repository/branches/feature", "protected_branches/master"):
        assert 200 == get_status(
            scenario.create_platform(scenario.get_scenario(out)), f"projects/acme%2Fsite/{path}", "ada-token"
        ), path


def test_a_group_is_read_with_all_that_is_in_it(url: str, tmp_path: Path) -> None:
    """A group is exported with its projects and those of its subgroups."""
    out = tmp_path / "acme.json"
    done = fakeplat("scenario", "export", url, "--group", "acme", "--token", "root-token", "--out", out)
    world = create_platform(out).view

    assert 0 == done.returncode
    assert {"site", "docs", "kit"} == {project.path for project in world.projects.all()}


def test_the_clock_of_a_fakeplat_goes_on_where_it_stands(tmp_path: Path) -> None:
    """The export of a fakeplat starts at the time of its clock, not of the machine."""
    out = tmp_path / "docs.json"
    with serving(tmp_path, "--clock", "virtual") as ready:
        fakeplat("scenario", "export", ready["url"], "--project", "acme/docs", "--out", out)
    # A fetch is counted, and a virtual clock ticks with each write.
    assert "2020-11-20T09:00:00.001Z" == orjson.loads(out.read_bytes())["clock"]["start"]


def test_comments_are_exported(url: str, tmp_path: Path) -> None:
    """Comments with emoji, merge request threads and approvals are exported."""
    out = tmp_path / "docs.json"
    client = gitlab.Gitlab(url, private_token="mia-token")
    site = client.projects.get("acme/site")
    note = site.issues.get(2).notes.create({"body": "I would like that"})
    note.awardemojis.create({"name": "heart"})
    site.mergerequests.get(1).discussions.create({"body": "Shall we?"})
    site.mergerequests.get(1).approve()
    done = fakeplat("scenario", "export", url, "--project", "acme/site", "--token", "rep-token", "--out", out)
    world = create_platform(out).view
    awards = [award for award in world.awards.all() if award.subject[0] == "note"]

    assert (0, "") == (done.returncode, done.stdout)
    assert "left out: not given: projects/acme%2Fsite/access_requests 403 (1)" in done.stderr.splitlines()
    assert {"I would like that", "Shall we?"} <= {note.body for note in world.notes.all()}
    assert [("heart", "I would like that")] == [(award.name, world.notes[award.subject[1]].body) for award in awards]
    assert ["mia"] == [world.users[approval.user_id].username for approval in world.approvals.all()]


def test_a_tape_becomes_a_scenario_on_standard_output(tmp_path: Path) -> None:
    """Without --out the scenario of a tape is printed, and assumptions are reported on stderr."""
    record_session(create_platform("starter"), tmp_path / "a.tape", send_requests)
    done = fakeplat("scenario", "export", tmp_path / "a.tape")
    out = tmp_path / "printed.yaml"
    out.write_text(done.stdout, "utf-8")

    assumed = "assumed: the repository of acme/site holds next to nothing\n"
    assert (0, assumed) == (done.returncode, done.stderr)
    assert [] == scenario.check_file(out)
    assert "path_with_namespace: acme/site" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["{url}"], "--project group/name"),
        (["{url}", "--project", "acme/nothing", "--token", "root-token"], "no project acme/nothing (404)"),
        (["{url}", "--project", "acme/site", "--token", "wrong"], "the token is not accepted (401)"),
        (["http://127.0.0.1:1", "--project", "acme/site"], "http://127.0.0.1:1 cannot be reached"),
        (["{url}/api/v4", "--project", "acme/site"], "not the origin of a server"),
        (["no-such.tape"], "no-such.tape"),
        (["no-such.tape", "--project", "acme/site"], "a tape is exported completely"),
    ],
)
def test_what_cannot_be_exported_is_status_2_in_one_line(url: str, arguments: list[str], part: str) -> None:
    """An impossible export exits with 2 and one line on stderr."""
    done = fakeplat("scenario", "export", *(argument.format(url=url) for argument in arguments))

    assert (2, 1) == (done.returncode, len(done.stderr.splitlines()))
    assert part in done.stderr


def test_records_that_are_not_read_are_reported(tmp_path: Path) -> None:
    """Alerts, approval rules and snippets that are not exported are counted on stderr."""
    world = {
        "extends": "starter",
        "instance": {"tier": "premium"},
        "projects": [
            {
                "path_with_namespace": "acme/site",
                "alerts": {"active": True, "received": ["Down"]},
                "approval_rules": [{"name": "Two", "approvals_required": 2}],
                "snippets": [{"title": "s", "files": {"a": "b"}}],
            }
        ],
    }
    file = tmp_path / "world.json"
    file.write_bytes(orjson.dumps(world))
    with serving(tmp_path, "--scenario", str(file)) as ready:
        out = tmp_path / "site.json"
        done = fakeplat(
            "scenario", "export", ready["url"], "--project", "acme/site", "--token", "root-token", "--out", out
        )
    lines = done.stderr.splitlines()
    assert {"left out: alerts (1)", "left out: approval rules (1)", "left out: snippets (1)"} <= set(lines)
