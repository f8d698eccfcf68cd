"""The JSON Schema of scenarios says what the loader says."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from fakeplat import scenario
from fakeplat.core.schema.mistakes import Mistake
from fakeplat.core.schema.report import find_mistakes
from fakeplat.scenario import ScenarioError
from fakeplat.scenario.descriptions import read_texts
from fakeplat.scenario.world_keys import scenario_shape
from tests.architecture.sources import ROOT
from tests.scenario.rich import RICH
from tests.scenario.worlds import create_platform

WRONG: list[dict[str, Any]] = [
    {"usrs": []},
    {"users": [{"name": "x"}]},
    {"users": [{"username": 1}]},
    {"users": [{"username": "a", "nme": "x"}]},
    {"users": [{"username": "a", "admin": None}]},
    {"users": [{"username": "a", "state": "asleep"}]},
    {"users": [{"username": "a", "projects_limit": -1}]},
    {"users": [{"username": "a", "tokens": [{"scopes": ["everything"]}]}]},
    {"users": "ada"},
    {"groups": [{"name": "x"}]},
    {"groups": [{"path": "a", "full_path": "a"}]},
    {"groups": [{"path": "a", "members": {"a": "ownr"}}]},
    {"groups": [{"path": "a", "members": ["a"]}], "seed": "x"},
    {"groups": [{"path": "a", "groups": [{"path": "b", "visiblity": "x"}]}]},
    {"projects": [{"path_with_namespace": "a/b", "languages": {"C": "x"}}]},
    {"instance": {"tier": "gold"}},
    {"instance": {"throttle": True}},
    {"instance": {"merge_check": {"after": "2s", "polls": 2}}},
    {"clock": {"kind": "sundial"}},
    {"settings": {"restricted_visibility_levels": ["secret"]}},
    {"chance": {"x": -1}},
]
RIGHT: list[dict[str, Any]] = [
    {},
    {"$schema": "x", "seed": 3, "users": ["ada", {"username": "eve", "is_admin": True}]},
    {"instance": {"throttle": {"requests": 5, "period": "60s"}, "merge_check": {"polls": 2}}},
    {"instance": {"throttle": False, "merge_check": "immediate"}},
    {"groups": [{"path": "a", "members": {}, "description": None, "custom_attributes": {"a": "b"}}]},
    RICH,
]


def build_validator() -> Draft202012Validator:
    return Draft202012Validator(scenario.schema())


def test_the_schema_is_a_schema_of_draft_2020_12() -> None:
    """The schema is valid by draft 2020-12 and forbids unknown keys in every map with declared keys."""
    schema = scenario.schema()
    Draft202012Validator.check_schema(schema)

    assert "https://json-schema.org/draft/2020-12/schema" == schema["$schema"]
    assert [] == [name for name, part in {"": schema, **schema["$defs"]}.items() if part["additionalProperties"]]


def test_the_shipped_schema_is_this_one() -> None:
    """The shipped schema.json is equal to the schema that the code builds."""
    assert scenario.schema() == orjson.loads((ROOT / "fakeplat/scenario/schema.json").read_bytes())


@pytest.mark.parametrize("name", scenario.list_names())
def test_builtin_scenarios_are_valid(name: str) -> None:
    """The schema accepts each built-in scenario."""
    assert [] == list(build_validator().iter_errors(scenario.get_scenario(name).data))


@pytest.mark.parametrize("document", RIGHT)
def test_what_loads_is_valid(document: dict[str, Any]) -> None:
    """The schema accepts a scenario that loads, and the export of its world."""
    assert [] == list(build_validator().iter_errors(document))
    assert [] == list(
        build_validator().iter_errors(orjson.loads(orjson.dumps(scenario.export_world(create_platform(document)))))
    )


@pytest.mark.parametrize("document", WRONG)
def test_what_is_wrong_is_wrong_for_both(document: dict[str, Any]) -> None:
    """A scenario of a wrong form is refused by the schema and by the loader."""
    assert not build_validator().is_valid(document)
    with pytest.raises(ScenarioError):
        create_platform(document)


def test_editors_find_the_schema() -> None:
    """The shipped YAML files refer to the schema by a relative path that exists."""
    for file in (ROOT / "scenarios").glob("*.yaml"):
        named = scenario.get_scenario(file).data["$schema"]
        assert (ROOT / "fakeplat/scenario/schema.json") == (file.parent / named).resolve()


PLACES: list[tuple[Any, tuple[Any, ...]]] = [(RICH, ())]
for _document, _path in PLACES:
    _pairs = _document.items() if isinstance(_document, dict) else enumerate(_document)
    PLACES += [(inner, (*_path, step)) for step, inner in _pairs if isinstance(inner, dict | list)]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 60),
    st.sampled_from([1.0, 30.0, "owner", "opened", "2020-11-20", "2020-11-20T09:00:00Z", "0001-01-01T00:00:00+14:00"]),
    st.text(max_size=3),
    st.sampled_from([[], {}, [7], ["ada"], {"a": 1}, {"name": "x"}, {7: "x"}, {"user": "ada", "group": "acme"}]),
)
KEYS = st.sampled_from(["name", "title", "created_at", "is_admin", "admin", "issue_type", "type", "full_path", "nme"])


@given(st.data())
def test_the_reader_refuses_exactly_what_is_reported(data: st.DataObject) -> None:
    """After any change of a scenario the reader refuses exactly what the schema reports."""
    document = deepcopy(RICH)
    _, path = data.draw(st.sampled_from(PLACES))
    holder: Any = document
    for step in path:
        holder = holder[step]
    names = st.sampled_from(sorted(holder)) | KEYS if isinstance(holder, dict) else st.integers(0, len(holder) - 1)
    name = data.draw(names)
    if isinstance(holder, dict) and data.draw(st.booleans()):
        holder.pop(name, None)
    else:
        holder[name] = data.draw(VALUES)
    nothing_found = [Mistake("is not valid")]
    assert scenario_shape().allows(document) == (find_mistakes(document, scenario.schema()) == nothing_found)


def list_keys(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every key of every map, with its schema."""
    if isinstance(schema, list):
        for part in schema:
            yield from list_keys(part, path)
    elif isinstance(schema, dict):
        for key, part in schema.get("properties", {}).items():
            yield f"{path}.{key}", part
            yield from list_keys(part, f"{path}.{key}")
        for name, part in schema.get("$defs", {}).items():
            yield from list_keys(part, name)
        for keyword in ("items", "additionalProperties", "anyOf"):
            yield from list_keys(schema.get(keyword), path)


def test_every_key_is_described() -> None:
    """Each key of the schema has a description that ends with a full stop."""
    keys = list(list_keys(scenario.schema()))
    assert len(keys) > 1500
    assert [] == [path for path, part in keys if not part.get("description", "").endswith(".")]


def test_no_description_is_unused() -> None:
    """Each text of the table describes a key that has no description of its own."""
    described = {part["description"] for _, part in list_keys(scenario.schema())}
    tables = {name: texts for name, texts in read_texts().items() if name != "records"}
    nouns = read_texts()["records"].values()
    unused = [
        f"{name}.{key}"
        for name, texts in tables.items()
        for key, text in texts.items()
        if not any(text.replace("{record}", noun) in described for noun in nouns)
    ]
    assert [] == unused
