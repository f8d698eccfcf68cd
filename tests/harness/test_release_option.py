"""A release of the platform is taken as it is written, wherever it can be given; a number is refused."""

from pathlib import Path
from typing import Any

import pytest

import fakeplat
from fakeplat.cli.options import UsageError, create_workbench
from fakeplat.scenario import ScenarioError, get_scenario
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.options import Options
from tests.harness.test_plugin import INI, run, session

__all__ = ["session"]

NUMBER = "version must be text, not 13.1: write it as text, such as '13.10'"
TEST = "def test_it(fakeplat): assert '13.10' == fakeplat.as_user('ada').get('version').json()['version']"


def get_version(scenario: Any, **instance: Any) -> str:
    return Options(scenario, instance=instance).bench().platform.view.instance.version


@pytest.mark.parametrize("text", ["13.10", '"13.10"'])
def test_the_command_line_takes_a_release_as_written(text: str) -> None:
    """The command line reads the release 13.10 as text, with or without quotes."""
    bench = create_workbench("empty", None, (f"instance.version={text}",), None, explain=False)
    assert "13.10" == bench.platform.view.instance.version


@pytest.mark.parametrize("text", ["14", "13,5", "banana", "null", "", "13.", ".5", "13.x"])
def test_the_command_line_refuses_what_is_no_release(text: str) -> None:
    """The command line refuses an invalid release in one line with an example."""
    with pytest.raises(UsageError, match=r"^instance: '.*' is not a release such as 13\.5\.1$"):
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
    [("world.json", "13.10", "a number"), ("world.yaml", "14", "'14'"), ("world.yaml", "banana", "'banana'")],
)
def test_a_scenario_with_another_release_is_refused(tmp_path: Path, name: str, version: str, actual: str) -> None:
    """A scenario with an invalid release is refused at its key with an example."""
    file = tmp_path / name
    file.write_text(f'{{"instance": {{"version": {version}}}}}', "utf-8")
    with pytest.raises(ScenarioError) as refused:
        get_version(get_scenario(file, ()))
    message = f"$.instance.version: must be a release as text, such as '13.10', not {actual}"
    assert f"{file}:1: {message}" == str(refused.value)
