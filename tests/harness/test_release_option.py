"""A release of the platform is taken as it is written, wherever it can be given; a number is refused."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

import fakeplat
from fakeplat import asgi
from fakeplat.asgi import create_app
from fakeplat.cli import main
from fakeplat.cli.options import UsageError, create_workbench
from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario import ScenarioError, export_world, get_scenario
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.options import Options
from tests.harness.test_plugin import INI, run, session

__all__ = ["session"]

ACCEPTED = "a release from 13.5 to 19.3 as text, such as '17.10', or 'latest'"
NUMBER = f"version must be {ACCEPTED}, not 13.1: write it as text"
BEYOND = f"version must be {ACCEPTED}, not '19.4.1'; 'beyond: true' serves the latest release under this number"
TEST = "def test_it(fakeplat): assert '13.10' == fakeplat.as_user('ada').get('version').json()['version']"


def get_version(scenario: Any, **instance: Any) -> str:
    return Options(scenario, instance=instance).bench().platform.view.instance.version


@pytest.mark.parametrize("text", ["13.10", '"13.10"'])
def test_the_command_line_takes_a_release_as_written(text: str) -> None:
    """The command line reads the release 13.10 as text, with or without quotes."""
    bench = create_workbench("empty", None, (f"instance.version={text}",), None, explain=False)
    assert "13.10" == bench.platform.view.instance.version


@pytest.mark.parametrize(
    "text", ["14", "13,5", "banana", "null", "", "13.", ".5", "13.x", "13.4", "12.10", "16.12", "19.99x", "newer", "18"]
)
def test_the_command_line_refuses_what_is_no_release(text: str) -> None:
    """The command line refuses an invalid release in one line that says what is accepted."""
    with pytest.raises(UsageError, match=rf"^instance: version must be {ACCEPTED}, not '{re.escape(text)}'$"):
        create_workbench("empty", None, (f"instance.version={text}",), None, explain=False)


@pytest.mark.parametrize("option", ["--fakeplat-version=13.10", "-ofakeplat_version=13.10"])
def test_an_option_and_an_ini_key_take_a_release_as_written(session: pytest.Pytester, option: str) -> None:
    """pytest's option and ini key read the release 13.10 as text."""
    run(session, TEST, option).assert_outcomes(passed=1)


def test_a_marker_with_a_number_is_refused(session: pytest.Pytester) -> None:
    """A marker with a number as release is refused with the text to write instead."""
    session.makeini(INI)
    result = run(session, f"import pytest\n@pytest.mark.fakeplat(version=13.10)\n{TEST}")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{NUMBER}*"])


def test_a_number_from_python_is_refused() -> None:
    """A float as release is refused, because 13.10 and 13.1 are the same number."""
    with pytest.raises(InvalidOption, match=f"^instance: {NUMBER}$"):
        fakeplat.start(version=13.10)  # type: ignore[arg-type]  # that is the mistake


@pytest.mark.parametrize(
    "text",
    [
        "instance: {version: 13.10}",
        "instance:\n  version: 13.10\n",
        "x-common: &common\n  version: 13.10\ninstance:\n  <<: *common\n",
        '{"instance": {"version": "13.10"}}',
    ],
    ids=["flow", "block", "merged", "json"],
)
def test_yaml_takes_a_release_as_written(tmp_path: Path, text: str) -> None:
    """The release 13.10 in YAML stays 13.10 without quotes."""
    file = tmp_path / "world.yaml"
    file.write_text(text, "utf-8")
    assert "13.10" == get_version(file)


@pytest.mark.parametrize(
    ("name", "version", "actual"),
    [
        ("world.json", "13.10", "a number"),
        ("world.yaml", "14", "'14'"),
        ("world.yaml", "banana", "'banana'"),
        ("world.yaml", "16.12", "'16.12'"),
    ],
)
def test_a_scenario_with_another_release_is_refused(tmp_path: Path, name: str, version: str, actual: str) -> None:
    """A scenario with an invalid release is refused at its key with an example."""
    file = tmp_path / name
    file.write_text(f'{{"instance": {{"version": {version}}}}}', "utf-8")
    with pytest.raises(ScenarioError) as refused:
        get_version(get_scenario(file, ()))
    message = f"$.instance.version: must be {ACCEPTED}, not {actual}"
    assert f"{file}:1: {message}" == str(refused.value)


@pytest.mark.parametrize("version", ["latest", "19.3"])
def test_the_latest_release_says_its_number(fakeplat_factory: Callable[..., Fakeplat], version: str) -> None:
    """A world of the latest release reports the number of that release."""
    with fakeplat_factory(version=version) as fake:
        told = fake.as_user("ada").get("version").json()["version"]
    assert {"latest": "19.3.0"}.get(version, version) == told


def test_a_release_beyond_the_latest_is_served_under_its_number(fakeplat_factory: Callable[..., Fakeplat]) -> None:
    """With `beyond`, a release after the latest has the operations of the latest under its own number."""
    with pytest.raises(pytest.UsageError, match=re.escape(BEYOND)):
        fakeplat_factory(version="19.4.1")
    with fakeplat_factory(version="19.4.1", beyond=True) as fake:
        assert "19.4.1" == fake.as_user("ada").get("version").json()["version"]
        assert 200 == fake.as_user("ada").get("metadata").status


def test_a_scenario_may_allow_what_an_option_says(tmp_path: Path) -> None:
    """The keys of a scenario and of those that extend it are checked together; a refusal names its line."""
    tmp_path.joinpath("base.yaml").write_text("instance:\n  tier: free\n  version: 19.4.1\n", "utf-8")
    world = tmp_path / "world.yaml"
    world.write_text("extends: ./base.yaml\ninstance: {beyond: true}\n", "utf-8")
    assert "19.4.1" == get_version(world)
    assert "20.1" == get_version(world, version="20.1")
    with pytest.raises(ScenarioError) as refused:
        get_version(tmp_path / "base.yaml")
    assert f"{tmp_path / 'base.yaml'}:3: $.instance.version: {BEYOND}" == str(refused.value)
    with pytest.raises(ScenarioError) as refused:
        get_version("empty", version="19.4.1")
    assert f"$.instance.version: {BEYOND}" == str(refused.value)


@pytest.mark.parametrize("version", [18, 18.1, "13.4", "16.12", "19.4.1", None])
@pytest.mark.parametrize("is_scenario", [False, True], ids=["instance", "scenario"])
def test_the_control_route_refuses_other_releases(fakeplat: Fakeplat, version: object, is_scenario: bool) -> None:
    """A world with an impossible release is refused by the control route with 400 and one line."""
    instance = {"instance": {"version": version}}
    body = json.dumps({"scenario": instance} if is_scenario else instance).encode()
    request = urllib.request.Request(f"{fakeplat.listen_url}/_fakeplat/worlds", body)
    with pytest.raises(urllib.error.HTTPError) as refused, urllib.request.urlopen(request):
        pass
    with refused.value as response:
        error = json.loads(response.read())["error"]
    assert (400, True, False) == (response.status, ACCEPTED in error or "a number" in error, "\n" in error)


@pytest.mark.parametrize("value", [13, 13.1, "13.4", "19.4.1"])
def test_the_commands_refuse_a_release_with_status_2(tmp_path: Path, value: object) -> None:
    """`serve` prints one line and exits with status 2 for an impossible release in `--set` and in a scenario."""
    file = tmp_path / "world.json"
    file.write_text(json.dumps({"instance": {"version": value}}), "utf-8")
    for options in (["--set", f"instance.version={value}"], ["--scenario", str(file)]):
        result = CliRunner().invoke(main, ["serve", *options])
        assert (2, 1) == (result.exit_code, result.stderr.count("\n"))
        assert "a release from 13.5 to 19.3 as text, such as '17.10', or 'latest'" in result.stderr
    result = CliRunner().invoke(main, ["scenario", "check", str(file)])
    assert (1, True) == (result.exit_code, f"{file}:1: $.instance.version" in result.stdout)


async def test_the_environment_takes_a_release_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable of the ASGI application has the release as text."""
    monkeypatch.setenv("FAKEPLAT_VERSION", "13.4")
    with pytest.raises(InvalidOption, match=f"^instance: version must be {ACCEPTED}, not '13.4'$"):
        create_app()
    monkeypatch.setenv("FAKEPLAT_VERSION", "17.10")
    transport = httpx.ASGITransport(create_app())
    headers = {"PRIVATE-TOKEN": "root-token"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        assert "17.10" == (await client.get("/api/v4/version")).json()["version"]


@pytest.mark.parametrize("version", ["13.4", "19.4.1"])
def test_a_server_of_the_application_prints_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], version: str
) -> None:
    """A server that imports the application with an impossible release ends with status 2 and one line."""
    monkeypatch.setenv("FAKEPLAT_VERSION", version)
    with pytest.raises(SystemExit) as end:
        print(asgi.app)
    line = capsys.readouterr().err
    assert (2, 1, True) == (end.value.code, line.count("\n"), f"version must be {ACCEPTED}, not '{version}'" in line)


NEWER = "instance.newer is deprecated: write 'version: latest'"


def test_newer_is_a_deprecated_synonym_of_latest() -> None:
    """The key `newer` warns and serves the latest release, which the world also reports."""
    with pytest.warns(DeprecationWarning, match=f"^{NEWER}$"):
        assert "19.3.0" == get_version("empty", newer=True)
    with pytest.warns(DeprecationWarning, match="^instance.newer is deprecated: leave it out$"):
        assert "13.5.1" == get_version("empty", newer=False)


def test_a_version_replaces_newer_of_a_scenario_that_is_extended(tmp_path: Path) -> None:
    """A closer `version` counts more than `newer` of an extended scenario, whose file the warning names."""
    tmp_path.joinpath("base.yaml").write_text("instance: {newer: true}\n", "utf-8")
    world = tmp_path / "world.yaml"
    world.write_text("extends: ./base.yaml\ninstance: {version: 16.11}\n", "utf-8")
    with pytest.warns(DeprecationWarning, match=f"^{tmp_path / 'base.yaml'}: {NEWER}$"):
        assert "16.11" == get_version(world)


def test_a_closer_version_replaces_newer_of_a_module(session: pytest.Pytester) -> None:
    """The marker of a test overrides `newer` of its module and of the ini file; pytest lists the warnings."""
    session.makeini(INI + "fakeplat_newer = true\n")
    source = """
        import pytest
        def get_version(fakeplat):
            return fakeplat.as_user("ada").get("version").json()["version"]
        def test_ini(fakeplat):
            assert "19.3.0" == get_version(fakeplat)
        @pytest.mark.fakeplat(newer=True)
        class TestMarked:
            def test_latest(self, fakeplat):
                assert "19.3.0" == get_version(fakeplat)
            @pytest.mark.fakeplat(version="16.11")
            def test_version(self, fakeplat):
                assert "16.11" == get_version(fakeplat)
    """
    result = run(session, source)
    result.assert_outcomes(passed=3, warnings=3)
    result.stdout.fnmatch_lines([f"*DeprecationWarning: {NEWER}"])


def test_the_commands_print_that_newer_is_deprecated(tmp_path: Path) -> None:
    """The command line prints a line on standard error for `newer`, and its check of the scenario succeeds."""
    file = tmp_path / "world.yaml"
    file.write_text("instance: {newer: true}\n", "utf-8")
    result = CliRunner().invoke(main, ["scenario", "check", str(file)])
    assert (0, f"{file}: fine\n", f"fakeplat: {file}: {NEWER}\n") == (result.exit_code, result.stdout, result.stderr)


def test_a_world_of_another_release_is_exported_with_its_version(fakeplat_factory: Callable[..., Fakeplat]) -> None:
    """The export of a world has the version that it was resolved to, and loads again."""
    with fakeplat_factory(scenario="empty", version="latest") as fake:
        exported = export_world(fake.bench.platform)
    assert {"version": "19.3.0"} == exported["instance"]
    assert "19.3.0" == get_version(exported)
