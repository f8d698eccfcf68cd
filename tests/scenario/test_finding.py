"""Where scenarios are found, and how their files are read."""

from pathlib import Path

import pytest

from fakeplat import scenario
from fakeplat.scenario import ScenarioError
from fakeplat.scenario.parsing import parse


def test_folders_come_before_the_builtin_scenarios(tmp_path: Path) -> None:
    """A name means the file in the first folder that has it."""
    (tmp_path / "starter.yml").write_text("seed: 5\n", "utf-8")

    assert tmp_path / "starter.yml" == scenario.get_scenario("starter", [tmp_path]).origin
    assert scenario.builtin_folder() / "starter.json" == scenario.get_scenario("starter").origin


def test_names_are_those_of_all_folders(tmp_path: Path) -> None:
    """Sorted, each once, whatever the kind of file."""
    for name in ("b.yaml", "a.json", "c.yml", "starter.yaml", "notes.txt"):
        (tmp_path / name).write_text("{}", "utf-8")

    assert ["a", "b", "c", "empty", "starter"] == [n for n in scenario.list_names([tmp_path]) if n != "large"]


@pytest.mark.parametrize("as_text", [True, False])
def test_a_path_is_a_path(tmp_path: Path, as_text: bool) -> None:
    """Anything with a folder or an ending is a path, taken from the folders or from here."""
    (tmp_path / "mine.yaml").write_text("seed: 9\n", "utf-8")
    path = tmp_path / "mine.yaml"

    assert "mine" == scenario.get_scenario(str(path) if as_text else path).name
    assert path == scenario.get_scenario("mine.yaml" if as_text else Path("mine.yaml"), [tmp_path]).origin
    assert {"seed": 9} == scenario.get_scenario(path).data


@pytest.mark.parametrize("reference", ["nowhere.yaml", "./nowhere", Path("nowhere")])
def test_a_path_to_nothing_is_a_mistake(reference: str | Path) -> None:
    """It is told with its name."""
    with pytest.raises(ScenarioError, match=r"nowhere(\.yaml)?: no such file$"):
        scenario.get_scenario(reference)


def test_a_folder_is_no_scenario(tmp_path: Path) -> None:
    """It exists, so it is not said to be missing."""
    with pytest.raises(ScenarioError, match=r"is a folder, not a file$"):
        scenario.get_scenario(tmp_path)


def test_an_unknown_name_names_the_nearest(tmp_path: Path) -> None:
    """Among those of the folders and the built-in ones."""
    (tmp_path / "mine.yaml").write_text("{}", "utf-8")

    with pytest.raises(ScenarioError, match=r"^there is no scenario 'mne', did you mean 'mine'\?$"):
        scenario.get_scenario("mne", [tmp_path])


def test_scenarios_that_build_on_each_other_in_a_circle_are_refused(tmp_path: Path) -> None:
    """A circle has no first one."""
    (tmp_path / "a.yaml").write_text("extends: b\n", "utf-8")
    (tmp_path / "b.yaml").write_text("extends: a\n", "utf-8")

    with pytest.raises(ScenarioError, match=r"b\.yaml:1: \$\.extends: extends itself: a\.yaml → b\.yaml → a\.yaml"):
        scenario.get_scenario("a", [tmp_path])


def test_data_that_json_cannot_say_is_refused() -> None:
    """Data is taken as JSON would carry it."""
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
    """Words of YAML 1.1 are text, and so are times, wherever they stand."""
    assert {"a": value} == parse(text.encode(), ".yaml")


def test_reading_yaml_changes_nothing_for_others() -> None:
    """Our reading of times is ours alone."""
    from ruamel.yaml import YAML

    parse(b"a: 2020-11-20", ".yaml")
    assert not isinstance(YAML(typ="safe").load("a: 2020-11-20")["a"], str)
