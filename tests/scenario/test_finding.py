"""Where scenarios are found, and how their files are read."""

from pathlib import Path

import pytest

from fakeplat import scenario
from fakeplat.scenario import ScenarioError
from fakeplat.scenario.parsing import parse


def test_folders_come_before_the_builtin_scenarios(tmp_path: Path) -> None:
    """A scenario file in a given folder hides the built-in scenario of the same name."""
    (tmp_path / "starter.yml").write_text("seed: 5\n", "utf-8")

    assert tmp_path / "starter.yml" == scenario.get_scenario("starter", [tmp_path]).origin
    assert scenario.builtin_folder() / "starter.json" == scenario.get_scenario("starter").origin


def test_names_are_those_of_all_folders(tmp_path: Path) -> None:
    """The listed names are sorted and unique, from YAML and JSON files of all folders."""
    for name in ("b.yaml", "a.json", "c.yml", "starter.yaml", "notes.txt"):
        (tmp_path / name).write_text("{}", "utf-8")

    assert ["a", "b", "c", "empty", "starter"] == [n for n in scenario.list_names([tmp_path]) if n != "large"]


@pytest.mark.parametrize("as_text", [True, False])
def test_a_path_is_a_path(tmp_path: Path, as_text: bool) -> None:
    """A reference with a folder or a file extension is a path, relative to the given folders or absolute."""
    (tmp_path / "mine.yaml").write_text("seed: 9\n", "utf-8")
    path = tmp_path / "mine.yaml"

    assert "mine" == scenario.get_scenario(str(path) if as_text else path).name
    assert path == scenario.get_scenario("mine.yaml" if as_text else Path("mine.yaml"), [tmp_path]).origin
    assert {"seed": 9} == scenario.get_scenario(path).data


@pytest.mark.parametrize("reference", ["nowhere.yaml", "./nowhere", Path("nowhere")])
def test_a_path_to_nothing_is_a_mistake(reference: str | Path) -> None:
    """A path to a missing file is refused with the path."""
    with pytest.raises(ScenarioError, match=r"nowhere(\.yaml)?: no such file$"):
        scenario.get_scenario(reference)


def test_a_folder_is_no_scenario(tmp_path: Path) -> None:
    """A path to a folder is refused with "is a folder, not a file"."""
    with pytest.raises(ScenarioError, match=r"is a folder, not a file$"):
        scenario.get_scenario(tmp_path)


def test_an_unknown_name_names_the_nearest(tmp_path: Path) -> None:
    """An unknown scenario name is refused with the nearest name of the folders and built-in scenarios."""
    (tmp_path / "mine.yaml").write_text("{}", "utf-8")

    with pytest.raises(ScenarioError, match=r"^there is no scenario 'mne', did you mean 'mine'\?$"):
        scenario.get_scenario("mne", [tmp_path])


def test_scenarios_that_build_on_each_other_in_a_circle_are_refused(tmp_path: Path) -> None:
    """Two scenarios that extend each other are refused with the files of the cycle."""
    (tmp_path / "a.yaml").write_text("extends: b\n", "utf-8")
    (tmp_path / "b.yaml").write_text("extends: a\n", "utf-8")

    with pytest.raises(ScenarioError, match=r"b\.yaml:1: \$\.extends: extends itself: a\.yaml → b\.yaml → a\.yaml"):
        scenario.get_scenario("a", [tmp_path])


def test_data_that_json_cannot_say_is_refused() -> None:
    """Scenario data that JSON cannot represent is refused."""
    with pytest.raises(ScenarioError, match=r"^cannot be represented as JSON: "):
        scenario.get_scenario({"users": [object()]})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: yes", "yes"),
        ("a: 2020-11-20T09:00:00Z", "2020-11-20T09:00:00Z"),
        ("a: {b: 2020-11-20T09:00:00Z}", {"b": "2020-11-20T09:00:00Z"}),
        ("a: {b: 'https://x.test'}", {"b": "https://x.test"}),
        ("a: {b: https://x.test}", {"b": "https://x.test"}),
        ("a: 2020-11-20", "2020-11-20"),
        ("a: 0o17", 15),
        ("a: 12:30:45", "12:30:45"),
        ("a: ~", None),
        ("a: on", "on"),
    ],
)
def test_yaml_is_yaml_1_2(text: str, value: object) -> None:
    """YAML is read as version 1.2: the special words of YAML 1.1, and times, are text."""
    assert {"a": value} == parse(text.encode(), ".yaml")


def test_reading_yaml_changes_nothing_for_others() -> None:
    """Reading a scenario does not change how other users of ruamel.yaml read dates."""
    from ruamel.yaml import YAML

    parse(b"a: 2020-11-20", ".yaml")
    assert not isinstance(YAML(typ="safe").load("a: 2020-11-20")["a"], str)
