"""The format of tapes: what is written can be read, and what cannot be read is told in one line."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.tape.formats.tape import (
    Exchange,
    Head,
    InitialWorld,
    InvalidTape,
    Tape,
    again_line,
    exchange_line,
    head_line,
    parse,
    read,
    schema,
    users_line,
    write,
)
from tests.architecture.sources import ROOT
from tests.tape.tapes import AT, UPSTREAM, build_content, build_exchange, build_tape

HEAD = Head(
    UPSTREAM, AT, {"pat:1": "ada"}, InitialWorld("starter", 7, {"kind": "virtual", "start": AT}, {"tier": "premium"})
)
WHOLE = build_tape(
    build_exchange("GET", "/api/v4/user", {"username": "ada", "bio": "ein Löwe"}),
    build_exchange("POST", "/api/v4/projects?x=%20", {"id": 1}, body={"name": "site"}, status=201),
    build_exchange("GET", "/api/v4/projects/1/repository/archive", b"\x1f\x8b\x00\xff", headers=()),
    head=HEAD,
)


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    """A tape that is written and read is equal to the original."""
    write(WHOLE, tmp_path / "tape")
    assert WHOLE == read(tmp_path / "tape")


def test_lines_are_json_that_people_can_read() -> None:
    """Each line of a tape is a JSON object; text bodies are text, others are base64."""
    lines = [json.loads(line) for line in build_content(WHOLE).splitlines()]
    assert ["tape", "recorded_at", "upstream", "users", "fakeplat"] == list(lines[0])
    assert '{"username": "ada", "bio": "ein L\\u00f6we"}' == lines[1]["response"]["body"]
    assert {"base64": "H4sA/w=="} == lines[3]["response"]["body"]


def test_users_that_became_known_later_amend_the_head() -> None:
    """A later line of users adds to the head and overrides earlier names."""
    tape = parse(build_content(WHOLE) + users_line({"pat:2": "mia"}) + users_line({"pat:1": "bob"}))
    assert {"pat:1": "bob", "pat:2": "mia"} == tape.head.users
    assert 3 == len(tape)


def test_a_broken_last_line_is_reported_and_the_rest_is_usable() -> None:
    """A tape whose last line is incomplete is refused with advice, and is valid without that line."""
    cut = build_content(WHOLE)[:-20]
    with pytest.raises(InvalidTape, match=r"^tape:4: the line is incomplete; delete it to use the rest of the tape$"):
        parse(cut)
    assert 2 == len(parse(cut[: cut.rindex(b"\n") + 1]))


def remove_key(line: bytes, *path: str) -> bytes:
    value = json.loads(line)
    inner = value
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return json.dumps(value).encode() + b"\n"


def change_key(line: bytes, to: Any, *path: str) -> bytes:
    value = json.loads(line)
    inner = value
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = to
    return json.dumps(value).encode() + b"\n"


FIRST = head_line(HEAD)
SECOND = exchange_line(WHOLE.exchanges[1])


@pytest.mark.parametrize(
    ("content_", "message"),
    [
        (b"", "tape:1: is empty"),
        (b"\n\n", "tape:1: is empty"),
        (b"not a tape\n", "tape:1: is not valid JSON"),
        (b"[]\n", "tape:1: must be a map, not a list"),
        (b"\xff\xfe\n", "tape:1: is not valid JSON"),
        (change_key(FIRST, 2, "tape"), "tape:1: $.tape: must be 1"),
        (change_key(FIRST, "git.example.test", "upstream"), "tape:1: $.upstream: must be an origin"),
        (change_key(FIRST, {"pat": "ada"}, "users"), "tape:1: $.users: the name 'pat' must be a placeholder"),
        (change_key(FIRST, "7", "fakeplat", "seed"), "tape:1: $.fakeplat.seed: must be a whole number, not text"),
        (remove_key(FIRST, "users"), "tape:1: needs 'users'"),
        (SECOND, "tape:1: $.request: unknown key 'request'"),
        (FIRST + FIRST, "tape:2: $.tape: unknown key 'tape'"),
        (FIRST + remove_key(SECOND, "response"), "tape:2: needs 'response'"),
        (FIRST + remove_key(SECOND, "request", "path"), "tape:2: $.request: needs 'path'"),
        (
            FIRST + change_key(SECOND, "api", "request", "path"),
            "tape:2: $.request.path: must be a path, percent-encoded as it was sent, not 'api'",
        ),
        (
            FIRST + change_key(SECOND, 42, "response", "status"),
            "tape:2: $.response.status: must be at least 100",
        ),
        (FIRST + change_key(SECOND, True, "took"), "tape:2: $.took: must be a number, not true or false"),
        (FIRST + change_key(SECOND, "noon", "at"), "tape:2: $.at: must be a time"),
        (FIRST + change_key(SECOND, "2020-02-30T09:00:00.000Z", "at"), "tape:2: $.at: must be a time"),
        (change_key(FIRST, "2020-13-20T09:00:00.000Z", "recorded_at"), "tape:1: $.recorded_at: must be a time"),
        (b"no tape and no line break", "tape:1: is not valid JSON"),
        (
            FIRST + change_key(SECOND, {"base64": "%"}, "request", "body"),
            "tape:2: $.request.body.base64: must be base64, not '%'",
        ),
        (
            FIRST + change_key(SECOND, [["a"]], "response", "headers"),
            "tape:2: $.response.headers[0]: must have 2 items, not 1",
        ),
        *(
            (
                FIRST + change_key(SECOND, [["X-A", value]], "response", "headers"),
                "tape:2: $.response.headers[0][1]: must be a line of text",
            )
            for value in ("a\x00b", "a\r\nX-B: b", "a\nb")
        ),
        (
            FIRST + change_key(SECOND, [["content-length", "5"]], "response", "headers"),
            "tape:2: $.response.headers: content-length is '5', but the body has ",
        ),
        (
            FIRST + change_key(SECOND, [["Transfer-Encoding", "chunked"]], "response", "headers"),
            "tape:2: $.response.headers: Transfer-Encoding is not allowed, as a tape has whole bodies",
        ),
        (FIRST + b"\n" + SECOND + b"{}\n", "tape:4: needs 'request'"),
    ],
)
def test_mistakes_are_reported_with_their_line(content_: bytes, message: str) -> None:
    """A mistake in a tape is one line with the file, the line, the path and the expected value."""
    with pytest.raises(InvalidTape) as error:
        parse(content_)
    assert 1 == len(str(error.value).splitlines())
    assert str(error.value).startswith(message)


def test_a_file_that_cannot_be_read_is_an_unusable_tape(tmp_path: Path) -> None:
    """Reading a missing file or a folder as a tape is refused with its path."""
    for path in (tmp_path / "nothing", tmp_path):
        with pytest.raises(InvalidTape, match=str(path)):
            read(path)


BYTES = build_content(WHOLE)


def try_parse(data: bytes) -> Tape | str:
    """The tape, or what is wrong with it."""
    try:
        return parse(data)
    except InvalidTape as error:
        return str(error)


@given(st.data())
def test_no_mutation_is_more_than_an_unusable_tape(data: st.DataObject) -> None:
    """A tape with changed bytes is read or refused in one line."""
    start = data.draw(st.integers(0, len(BYTES)))
    stop = data.draw(st.integers(start, min(len(BYTES), start + 200)))
    put = data.draw(st.one_of(st.binary(max_size=20), st.sampled_from([b'"', b"{", b"\n", b"[]", b"null", b"9" * 400])))
    result = try_parse(BYTES[:start] + put + BYTES[stop:])
    assert isinstance(result, Tape) or (result.startswith("tape:") and 1 == len(result.splitlines()))


VALUES = st.one_of(st.none(), st.booleans(), st.integers(-5, 700), st.text(max_size=3), st.just([]), st.just({}))


@given(st.data())
def test_the_schema_and_the_reader_agree(data: st.DataObject) -> None:
    """The reader accepts a changed line exactly when the schema does, apart from invalid base64."""
    lines = [json.loads(line) for line in BYTES.splitlines()]
    number = data.draw(st.integers(0, len(lines) - 1))
    holder, key = data.draw(st.sampled_from(list(list_places(lines[number]))))
    if data.draw(st.booleans()) and isinstance(holder, dict):
        del holder[key]
    else:
        holder[key] = data.draw(VALUES)
    whole = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    kind = "head" if number == 0 else "exchange"
    valid = Draft202012Validator(schema()["$defs"][kind]).is_valid(lines[number])
    result = try_parse(whole)
    assert valid == isinstance(result, Tape) or "must be base64" in str(result)


def list_places(value: Any) -> Any:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield value, key
        yield from list_places(inner)


def test_the_shipped_schema_takes_every_line() -> None:
    """The shipped schema is current and accepts heads, exchanges, amendments and repeats."""
    shipped = json.loads((ROOT / "fakeplat/tape/schema.json").read_text("utf-8"))
    validator = Draft202012Validator(shipped)
    assert schema() == shipped
    for line in [*BYTES.splitlines(), users_line({"pat:1": "ada"}), again_line(2, 0.5, AT)]:
        validator.validate(json.loads(line))


def test_an_exchange_is_in_the_terms_of_the_core() -> None:
    """An exchange has a request and a response as the platform handles them, with the upstream's origin."""
    first = parse(BYTES).exchanges[1]
    assert isinstance(first, Exchange)
    assert (
        Request(
            "POST", "/api/v4/projects", "x=%20", {"content-type": "application/json"}, b'{"name": "site"}', UPSTREAM
        )
        == first.request
    )
    assert Response(201, (("Content-Type", "application/json"),), b'{"id": 1}') == first.response


def test_what_happened_again_is_the_exchange_on_its_line() -> None:
    """A repeat has the request and response of the named line, and a time and line of its own."""
    later = "2020-11-20T09:00:01.000Z"
    first, *_, again = parse(BYTES + again_line(2, 0.5, later))
    assert (first.request, first.response) == (again.request, again.response)
    assert (0.5, later, len(BYTES.splitlines()) + 1) == (again.took, again.at, again.line)


@pytest.mark.parametrize("line", [1, 99])
def test_what_happened_again_must_have_happened(line: int) -> None:
    """A repeat that names the head or a missing line is refused."""
    number = len(BYTES.splitlines()) + 1
    if line == 1:
        message = f"tape:{number}: $.again: must be at least 2"
    else:
        message = f"tape:{number}: $.again: line 99 is not an earlier exchange"
    assert message == try_parse(BYTES + b'{"again":%d,"took":1,"at":"%b"}\n' % (line, AT.encode()))
