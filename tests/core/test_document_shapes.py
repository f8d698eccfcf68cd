"""Shapes of documents: what they read, their JSON Schema, and what is said of values that they do not allow."""

import subprocess
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fakeplat.core.schema.mistakes import DocumentError
from fakeplat.core.schema.shapes import (
    ANYTHING,
    BASE64,
    BOOLEAN,
    COUNT,
    DATE,
    DATE_OR_DATE_TIME,
    DATE_TIME,
    DURATION,
    INTEGER,
    NULLABLE_TEXT,
    TEXT,
    Alias,
    Choice,
    Constant,
    Integer,
    ListOf,
    MapOf,
    Nullable,
    Number,
    Object,
    Shape,
    Text,
    Union,
    read_document,
)
from tests.architecture.sources import ROOT

LEVELS = {"guest": 10, "owner": 50}
LEVEL = Choice("guest", "owner", 10, 50, meanings=LEVELS)
PERSON = Object({"name": TEXT, "admin": BOOLEAN, "is_admin": Alias("admin")}, required=("name",))
FLAGGED = Object({"admin": BOOLEAN, "is_admin": Alias("admin")}, required=("admin",))
PLACE = Object({"path": TEXT, "full_path": TEXT}, one_of=("path", "full_path"))
HEADERS = MapOf(TEXT, names=Text("a name in lower case", "[a-z]+"))

READ: list[tuple[Shape, Any, Any]] = [
    (ANYTHING, [1], [1]),
    (TEXT, "a", "a"),
    (Number(minimum=0), 0.5, 0.5),
    (DATE_TIME, "2020-11-20T10:00:00+01:00", "2020-11-20T09:00:00.000Z"),
    (DATE_OR_DATE_TIME, "2020-11-20", "2020-11-20"),
    (DATE_OR_DATE_TIME, "2020-11-20T09:00:00Z", "2020-11-20T09:00:00.000Z"),
    (DURATION, "1h30m", "1h30m"),
    (BASE64, "YQ==", b"a"),
    (LEVEL, "owner", 50),
    (LEVEL, 10, 10),
    (Nullable(DATE), None, None),
    (Nullable(DATE), "2020-11-20", "2020-11-20"),
    (Union(COUNT, DURATION), "2s", "2s"),
    (ListOf(TEXT), ["a", "b"], ("a", "b")),
    (MapOf(COUNT), {7: 1}, {"7": 1}),
    (PERSON, {"name": "Ada", "is_admin": True}, {"name": "Ada", "admin": True}),
    (Object({"a": TEXT}, extensible=True), {"a": "x", "b": 1}, {"a": "x", "b": 1}),
]
REFUSED: list[tuple[Shape, Any, list[str]]] = [
    (TEXT, 7, ["must be text, not a whole number"]),
    (NULLABLE_TEXT, [], ["must be text or null, not a list"]),
    (INTEGER, 1.0, ["must be a whole number, not a number"]),
    (INTEGER, True, ["must be a whole number, not true or false"]),
    (COUNT, -1, ["must be at least 0"]),
    (Integer(maximum=599), 600, ["must be at most 599"]),
    (Constant(1), 2, ["must be 1"]),
    (Text("an HTTP method", "[A-Z]+"), "get", ["must be an HTTP method, not 'get'"]),
    (Text("an HTTP method", "[A-Z]+"), "GET\n", ["must be an HTTP method, not 'GET\\n'"]),
    (Text("an HTTP method", "[A-Z]+"), "x" * 41, ["must be an HTTP method"]),
    (DATE_TIME, "noon", ["must be a time such as 2020-11-20T09:00:00Z, not 'noon'"]),
    (
        DATE_TIME,
        "0001-01-01T00:00:00+14:00",
        ["must be a time such as 2020-11-20T09:00:00Z, not '0001-01-01T00:00:00+14:00'"],
    ),
    (Nullable(DATE), "2020-13-01", ["must be a date such as 2020-11-20, not '2020-13-01'"]),
    (Nullable(DATE), 7, ["must be a date such as 2020-11-20 or null, not a whole number"]),
    (DATE_OR_DATE_TIME, "noon", ["must be a date or time such as 2020-11-20T09:00:00Z, not 'noon'"]),
    (BASE64, "%", ["must be base64, not '%'"]),
    (LEVEL, "ownr", ["unknown value 'ownr', did you mean 'owner'?"]),
    (LEVEL, "x", ["must be one of guest, owner, 10, 50"]),
    (LEVEL, 30.0, ["must be one of guest, owner, 10, 50, not a number"]),
    (Union(Choice(False), PLACE), True, ["must be false or a map with path or full_path"]),
    (Union(Choice(False), PLACE), 7, ["must be false or a map, not a whole number"]),
    (Union(TEXT, PERSON), {}, ["needs 'name'"]),
    (Union(PERSON, PLACE, title="a person or a place"), {"nme": "x"}, ["must be a person or a place"]),
    (ListOf(TEXT, length=2), ["a"], ["must have 2 items, not 1"]),
    (ListOf(TEXT), ["a", 7, None], ["$[1]: must be text, not a whole number", "$[2]: must be text, not null"]),
    (HEADERS, {"Host": "x"}, ["the name 'Host' must be a name in lower case, not 'Host'"]),
    (MapOf(TEXT), {7: 7}, ["$['7']: must be text, not a whole number"]),
    (PERSON, [], ["must be a map, not a list"]),
    (PERSON, {"nme": "x"}, ["$.nme: unknown key 'nme', did you mean 'name'?", "needs 'name'"]),
    (PERSON, {"name": "x", "is_admin": True, "admin": True}, ["$.admin: 'admin' and 'is_admin' are the same key"]),
    (FLAGGED, {}, ["needs 'admin'"]),
    (PLACE, {}, ["needs exactly one of path, full_path"]),
    (PLACE, {"path": "a", "full_path": "a"}, ["needs exactly one of path, full_path"]),
]


@pytest.mark.parametrize(("shape", "value", "expected"), READ)
def test_a_value_is_read_as_records_keep_it(shape: Shape, value: Any, expected: Any) -> None:
    """A value is read with times in UTC, tuples for lists and aliases resolved; the JSON Schema allows the value."""
    assert expected == read_document(shape, value)
    assert [] == list(Draft202012Validator(shape.schema()).iter_errors(value))


@pytest.mark.parametrize(("shape", "value", "expected"), REFUSED)
def test_a_mistake_is_explained(shape: Shape, value: Any, expected: list[str]) -> None:
    """Each mistake is reported with its path, what was expected and found, and the name that was probably meant."""
    with pytest.raises(DocumentError) as error:
        read_document(shape, value)
    assert expected == [str(mistake) for mistake in error.value.mistakes]


def test_a_document_that_contains_itself_is_refused() -> None:
    """A document that contains itself, as YAML anchors allow, is refused."""
    circle: list[Any] = []
    circle.append(circle)
    shape = ListOf(TEXT)
    shape._shape = shape  # no declaration can say that
    with pytest.raises(DocumentError, match=r"^is nested too deeply, or contains itself$"):
        read_document(shape, circle)


def test_only_reporting_loads_jsonschema() -> None:
    """Reading a valid document does not import jsonschema, and reporting a mistake does."""
    code = (
        "import sys\n"
        "from fakeplat.core.schema.shapes import TEXT, Invalid, read_document\n"
        "read_document(TEXT, 'a')\n"
        "print('jsonschema' in sys.modules)\n"
        "try: read_document(TEXT, 7)\n"
        "except ValueError: print('jsonschema' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "False\nTrue\n" == done.stdout
