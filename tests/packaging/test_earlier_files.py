"""Files that release 0.1.0 wrote, or that users wrote for it, are read by this release.

Their folder has a scenario by hand, the world of a server as a scenario, the tape of a session with deliveries, and the
bundle of a failed test.
"""

from pathlib import Path
from urllib.request import urlopen

import orjson
import pytest

import fakeplat
from fakeplat.tape.formats.tape import read
from fakeplat.tape.replay.replayer import Replay
from tests.cli.commands import fakeplat as run

FILES = Path(__file__).parent / "data/0.1.0"


@pytest.mark.parametrize("name", ["team.yaml", "exported.json"])
def test_earlier_scenarios_make_the_same_worlds(name: str) -> None:
    """Scenarios of 0.1.0, without a version of their format, have the same records as then."""
    assert 0 == run("scenario", "check", FILES / name).returncode
    with fakeplat.start(scenario=str(FILES / name)) as platform:
        world = platform.world
        project = world.project("shop/till")
        assert "13.9" == platform.as_user("ada").get("version").json()["version"]
        assert ("Where money goes", "ada", "shop") == (
            project.description,
            world.user("ada").username,
            world.group("shop").path,
        )
        assert "Broken drawer" in [issue.title for issue in project.issues]
        file = platform.as_user("release-bot").get("projects/shop%2Ftill/repository/files/README.md?ref=master")
        assert 200 == file.status


def test_exports_name_the_version_of_their_format() -> None:
    """An exported scenario begins with the version of the format."""
    with fakeplat.start(scenario="empty") as platform, urlopen(f"{platform.url}/_fakeplat/scenario") as response:
        exported = orjson.loads(response.read())
    assert ("scenario", 1) == next(iter(exported.items()))


@pytest.mark.parametrize("version", ["2", "0", "true", '"1"'])
def test_another_version_of_scenarios_is_refused(tmp_path: Path, version: str) -> None:
    """A scenario in another version of the format is refused in one line."""
    path = tmp_path / "later.yaml"
    path.write_text(f"scenario: {version}\nextends: starter\n", "utf-8")
    result = run("scenario", "check", path)
    assert (1, f"{path}:1: $.scenario: must be 1\n") == (result.returncode, result.stdout + result.stderr)


def test_an_earlier_tape_is_replayed(tmp_path: Path) -> None:
    """A tape of 0.1.0 is replayed, its deliveries are read, and it becomes a scenario."""
    recorded = read(FILES / "session.tape")
    replay = Replay(recorded)
    answers = [replay.handle(exchange.request).status for exchange in recorded]
    assert [exchange.response.status for exchange in recorded] == answers
    assert (11, 2) == (len(recorded), len(recorded.deliveries))
    out = tmp_path / "world.json"
    assert 0 == run("scenario", "export", FILES / "session.tape", "--out", out).returncode
    assert 1 == orjson.loads(out.read_bytes())["scenario"]


def test_an_earlier_bundle_is_run() -> None:
    """The bundle of a test that failed under 0.1.0 gives the same responses."""
    result = run("bundle", "run", FILES / "bundle.json")
    assert 0 == result.returncode, result.stdout + result.stderr
    assert "503 POST /api/v4/projects/acme%2Fsite/issues by dev" in result.stdout
    assert "no drift" in result.stdout
