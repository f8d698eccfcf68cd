import sys
from types import ModuleType
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeplat.core.operations.errors import InvalidParams, NullByte
from fakeplat.core.params.body import UnsupportedType, Upload, merge_params, multipart_library, parse_body, parse_query

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=XX"
MALFORMED_JSON = (
    "Problem:\n  message body does not match declared format\nResolution:\n  when specifying application/json as "
    "content-type, you must pass valid application/json in the request's 'body'\n    "
)


def build_part(headers: str, data: bytes, *, disposition: str = "form-data; ") -> bytes:
    return b"--XX\r\nContent-Disposition: " + f"{disposition}{headers}".encode() + b"\r\n\r\n" + data + b"\r\n"


NULLS = [
    ("", "a=%00"),
    ("", "a%00=1"),
    (FORM, "a=\0"),
    (FORM, "a[b][]=x%00y"),
    (MULTIPART, build_part('name="a"', b"\0") + b"--XX--\r\n"),
    ("application/json", b'{"title": "a\\u0000b"}'),
    ("application/json", b'{"a": [{"b": "\\u0000"}]}'),
    ("application/json", b'{"\\u0000": 1}'),
    ("application/json", b'{"content": ["\\u0000"]}'),
]


@pytest.mark.parametrize(("content_type", "sent"), NULLS)
def test_a_byte_of_zero_is_refused(content_type: str, sent: Any) -> None:
    """A NUL byte anywhere in a query or body gets 400 in plain text."""
    body = sent if isinstance(sent, bytes) else sent.encode()
    with pytest.raises(NullByte) as caught:
        parse_body(content_type, body) if content_type else parse_query(sent)
    response = caught.value.response()
    assert (400, b"Bad Request") == (response.status, response.body)


@pytest.mark.parametrize(
    "body", [b'{"content": "a\\u0000b"}', b'{"a": "\\\\u0000"}', b'{"a": [{"content": "\\u0000"}]}']
)
def test_the_content_of_a_file_may_have_bytes_of_zero(body: bytes) -> None:
    """Escaped NUL bytes are accepted in the content of a file; after an escaped backslash they are plain text."""
    assert orjson.loads(body) == parse_body("application/json", body)


def get_refusal(content_type: str, body: bytes) -> Any:
    with pytest.raises(InvalidParams) as caught:
        parse_body(content_type, body)
    return caught.value.payload


@pytest.mark.parametrize(
    ("query", "params"),
    [
        ("", {}),
        ("page=2&per_page=20", {"page": "2", "per_page": "20"}),
        ("a=1&a=2", {"a": "2"}),
        ("a", {"a": None}),
        ("a=", {"a": ""}),
        ("a=b=c", {"a": "b=c"}),
        ("&&a=1&", {"a": "1"}),
        ("=1", {}),
        ("a=1;b=2", {"a": "1", "b": "2"}),
        ("a+b=c+d%20e%2B", {"a b": "c d e+"}),
        ("path=%C3%BC%2Fx", {"path": "ü/x"}),
        ("path=ü", {"path": "ü"}),
        ("iids[]=1&iids[]=2", {"iids": ["1", "2"]}),
        ("iids%5B%5D=1&iids%5B%5D=2", {"iids": ["1", "2"]}),
        ("a[]", {"a": [None]}),
        ("not[author_id]=1&not[state]=x", {"not": {"author_id": "1", "state": "x"}}),
        ("a[b][]=1&a[b][]=2", {"a": {"b": ["1", "2"]}}),
        ("a[b][c]=1", {"a": {"b": {"c": "1"}}}),
        ("a[][x]=1&a[][y]=2&a[][x]=3", {"a": [{"x": "1", "y": "2"}, {"x": "3"}]}),
        ("a[][x][y]=1&a[][x][z]=2&a[][x][y]=3", {"a": [{"x": {"y": "1", "z": "2"}}, {"x": {"y": "3"}}]}),
        ("a[][x][]=1&a[][x][]=2", {"a": [{"x": ["1", "2"]}]}),
        ("a[0]=1&a[1]=2", {"a": {"0": "1", "1": "2"}}),
        ("a&a[]=1&b&b[c]=1", {"a": ["1"], "b": {"c": "1"}}),
        ("a[b]=1&a=2", {"a": "2"}),
        ("[]=1&a]=2", {"a": "2"}),
    ],
)
def test_a_query_is_read_in_racks_manner(query: str, params: dict[str, object]) -> None:
    """In a query the last of equal names wins, ``[]`` makes arrays, ``[key]`` hashes, ``+`` spaces, no ``=`` null."""
    assert params == parse_query(query)
    assert params == parse_body(FORM, query.encode())


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("a=1&a[b]=2", "expected Hash (got String) for param `a'"),
        ("a=1&a[]=2", "expected Array (got String) for param `a'"),
        ("a[]=1&a[b]=2", "expected Hash (got Array) for param `a'"),
        ("a[b]=1&a[b][c]=2", "expected Hash (got String) for param `b'"),
        ("a=%zz", "invalid %-encoding (%zz)"),
        ("a=%2", "invalid %-encoding (%2)"),
        ("%f=1", "invalid %-encoding (%f)"),
        ("a=%ff", "invalid byte sequence in UTF-8"),
        ("a=\udcff", "invalid byte sequence in UTF-8"),
    ],
)
def test_a_query_without_sense_is_refused(query: str, text: str) -> None:
    """A query with two shapes under one name, broken escapes or broken UTF-8 gets 400 with key ``error``."""
    with pytest.raises(InvalidParams) as caught:
        parse_query(query)
    assert {"error": text} == caught.value.payload
    assert 400 == caught.value.status


@pytest.mark.parametrize("name", ["a" + "[b]" * 101, "a" + "[]" * 101, "a" + "[" * 1_000_000])
def test_a_query_nested_too_deep_is_refused(name: str) -> None:
    """A query that is nested too deeply is refused."""
    with pytest.raises(InvalidParams):
        parse_query(f"{name}=1")


@pytest.mark.parametrize(
    "content_type", ["application/json", "Application/JSON; charset=utf-8", "application/vnd.api+json"]
)
def test_json_is_read_by_its_content_type(content_type: str) -> None:
    """A body of any JSON media type is parsed as JSON, in any case and with parameters."""
    body = b'{"title": "x", "n": 1.5, "labels": ["a"], "not": {"a": null}}'
    assert {"title": "x", "n": 1.5, "labels": ["a"], "not": {"a": None}} == parse_body(content_type, body)


@pytest.mark.parametrize("body", [b"", b"[1]", b"1", b"null", b'"x"'])
def test_json_that_is_no_hash_gives_no_parameters(body: bytes) -> None:
    """An empty body and JSON that is not a hash give no parameters."""
    assert {} == parse_body("application/json", body)


@pytest.mark.parametrize(
    "body", [b"{", b"{'a': 1}", b"\xff", b'{"a": NaN}', b"title=x", b"[" * 200_000, b'{"a":' * 101 + b"1" + b"}" * 101]
)
def test_malformed_json_is_refused(body: bytes) -> None:
    """Malformed JSON and JSON nested deeper than 100 levels get 400 with the platform's text."""
    assert {"error": MALFORMED_JSON} == get_refusal("application/json", body)


def test_json_may_be_nested_100_deep_and_have_any_number_of_elements() -> None:
    """JSON is limited in depth, not in the number of hashes and arrays."""
    deep = b'{"a":' * 100 + b"1" + b"}" * 100
    wide = {"actions": [{"action": "create", "file_path": str(number)} for number in range(500)]}
    assert orjson.loads(deep) == parse_body("application/json", deep)
    assert wide == parse_body("application/json", orjson.dumps(wide))


def test_a_body_without_a_content_type_is_a_form() -> None:
    """A body without a content type is read as a form."""
    assert {"title": "x", "iids": ["1"]} == parse_body("", b"title=x&iids[]=1")


def test_a_form_in_broken_utf8_is_refused() -> None:
    """A form that is not valid UTF-8 is refused."""
    assert {"error": "invalid byte sequence in UTF-8"} == get_refusal(FORM, b"a=\xff")


def test_a_multipart_form_has_fields_and_files() -> None:
    """In a multipart form, fields are texts, files are uploads with name, type and content, and brackets nest."""
    body = b"".join(
        [
            build_part('name="name"', "ü".encode()),
            build_part('name="file"; filename="a.png"\r\nContent-Type: image/png', b"\x89PNG\r\n\x00"),
            build_part('name="override_params[visibility]"', b"private"),
            build_part('name="iids[]"', b"1"),
            build_part('name="iids[]"', b"2"),
            build_part('name="plain"; filename="b"', b""),
            b"--XX--\r\n",
        ]
    )
    assert {
        "name": "ü",
        "file": Upload("a.png", "image/png", b"\x89PNG\r\n\x00"),
        "override_params": {"visibility": "private"},
        "iids": ["1", "2"],
        "plain": Upload("b", "application/octet-stream", b""),
    } == parse_body(MULTIPART, body)


def test_a_file_field_that_was_left_empty_is_not_sent() -> None:
    """A file field with an empty file name, as browsers send it where no file was chosen, is no parameter."""
    assert {} == parse_body(MULTIPART, build_part('name="avatar"; filename=""', b"") + b"--XX--\r\n")


def test_a_field_may_name_its_character_set() -> None:
    """A part of a form is decoded with the character set that it names; an unknown set counts as UTF-8."""
    latin = build_part('name="a"\r\nContent-Type: text/plain; charset=ISO-8859-1', b"\xfc") + b"--XX--\r\n"
    unknown = build_part('name="a"\r\nContent-Type: text/plain; charset=unicode_escape', rb"\q") + b"--XX--\r\n"
    assert {"a": "ü"} == parse_body(MULTIPART, latin)
    assert {"a": r"\q"} == parse_body(MULTIPART, unknown)


@pytest.mark.parametrize(
    "body",
    [
        b"nothing",
        build_part('name="a"', b"1"),
        build_part('name="a"', b"1", disposition="attachment; ") + b"--XX--\r\n",
        b"--XX\r\nno header\r\n\r\n--XX--\r\n",
        build_part('name="a"', b"\xff") + b"--XX--\r\n",
    ],
)
def test_a_broken_multipart_form_is_refused(body: bytes) -> None:
    """A multipart body that is cut off or malformed gets 400 with key ``error``."""
    assert ["error"] == list(get_refusal(MULTIPART, body))


def test_a_multipart_form_without_a_boundary_gives_no_parameters() -> None:
    """A multipart form without a boundary has no parameters."""
    assert {} == parse_body("multipart/form-data", b"--XX--\r\n")


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml; charset=utf-8", "image/png"])
def test_another_content_type_is_not_supported(content_type: str) -> None:
    """A body of a content type without a parser gets 415, and the text names the type."""
    with pytest.raises(UnsupportedType) as caught:
        parse_body(content_type, b"x")
    kind = content_type.partition(";")[0]
    assert {"error": f"The provided content-type '{kind}' is not supported."} == caught.value.payload
    assert 415 == caught.value.status


def test_the_body_beats_the_query_and_the_path_beats_both() -> None:
    """Of equal names the path's value wins over the body's, and the body's over the query's."""
    assert {"a": 1, "b": 2, "id": "3"} == merge_params({"a": 0, "b": 2, "id": 0}, {"a": 1, "id": 1}, {"id": "3"})
    assert {"a": 0} == merge_params({"a": 0}, {}, {})
    assert {"id": "3"} == merge_params({}, {}, {"id": "3"})


def test_merging_changes_nothing_that_was_given() -> None:
    """Merging parameters leaves the query as it was."""
    query: dict[str, object] = {"a": {"b": 1}}
    merge_params(query, {"a": {"c": 2}}, {"id": "1"})
    assert {"a": {"b": 1}} == query


bracketed = st.text(alphabet="ab[]&=;+%0 \0ü\udc80", max_size=40)


@given(st.one_of(st.text(), bracketed))
def test_any_query_is_read_or_refused(query: str) -> None:
    """Any query gives parameters that JSON can hold, or a 400."""
    try:
        orjson.dumps(parse_query(query))
    except (InvalidParams, NullByte) as refused:
        refused.response()


types = st.sampled_from(
    ["", "application/json", FORM, MULTIPART, "multipart/form-data; boundary=\udc80", "text/x\udc80"]
)
pieces = st.sampled_from(
    [
        b"--XX",
        b"--",
        b"\r\n",
        b"Content-Disposition: form-data",
        b'; name="a[b]"',
        b'; name="a"',
        b'; filename="x"',
        b"Content-Type: text/plain; charset=utf-7",
        b"\xff",
        b"x=1&x[]=2",
        b'{"a": [',
        b"]}",
    ]
)


@given(types, st.one_of(st.binary(), st.lists(pieces).map(b"".join)))
def test_any_body_is_read_or_refused(content_type: str, body: bytes) -> None:
    """Any body gives a hash of parameters, a 400 or a 415."""
    try:
        assert isinstance(parse_body(content_type, body), dict)
    except (InvalidParams, NullByte, UnsupportedType) as refused:
        refused.response()


def test_uploads_are_read_beside_python_multipart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms are parsed although python-multipart, whose old releases use the same import name, is installed."""
    sent = b'--A\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--A--\r\n'
    monkeypatch.setitem(sys.modules, "multipart", ModuleType("multipart"))
    multipart_library.cache_clear()
    try:
        assert {"a": "b"} == parse_body("multipart/form-data; boundary=A", sent)
    finally:
        multipart_library.cache_clear()
