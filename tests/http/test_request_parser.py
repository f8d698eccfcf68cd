"""Requests as they are made of bytes."""

import gzip
import zlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeplat.http.request_parser import Limits, RawRequest, RequestParser

POST = b"POST /a%2Fb?x=1#y HTTP/1.1\r\nHost: h\r\nPRIVATE-TOKEN:  t \r\nContent-Length: 3\r\n\r\nabc"
CHUNKED = b"PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
OLD = b"GET /old HTTP/1.0\r\n\r\n"
STREAM = POST + CHUNKED + POST + b"DELETE /d HTTP/1.1\r\nCookie: a=1\r\nCookie: b=2\r\nX-A: 1\r\nx-a: 2\r\n\r\n"

LIMITS = Limits(body=1000, line=100)


def parse_requests(*parts: bytes, limits: Limits = LIMITS) -> list[RawRequest]:
    reader = RequestParser(limits)
    for part in parts:
        reader.feed(part)
    reader.close()
    return list(reader.complete)


def list_refusals(*parts: bytes, limits: Limits = LIMITS) -> list[int]:
    return [
        incoming.refusal.status for incoming in parse_requests(*parts, limits=limits) if incoming.refusal is not None
    ]


def test_requests_are_read_as_they_were_sent() -> None:
    """Requests are parsed with raw target, lower-case header names, stripped and joined values, and bodies."""
    first, second, third, last = parse_requests(STREAM)
    assert ("POST", "/a%2Fb?x=1#y", "1.1", b"abc", True) == first[:3] + first[4:6]
    assert {"host": "h", "private-token": "t", "content-length": "3"} == first.headers
    assert ("PUT", "/c", b"abcde") == (second.method, second.target, second.body)
    assert first == third
    assert {"cookie": "a=1; b=2", "x-a": "1, 2"} == last.headers


@given(st.lists(st.integers(0, len(STREAM)), max_size=20))
def test_it_does_not_matter_how_the_bytes_arrive(cuts: list[int]) -> None:
    """Requests are parsed equally, however their bytes are divided."""
    bounds = [0, *sorted(cuts), len(STREAM)]
    assert parse_requests(STREAM) == parse_requests(*(STREAM[start:end] for start, end in pairwise(bounds)))


MESSAGES = (
    b"GET /a HTTP/1.1\r\nHost: h\r\n\r\n",
    b"GET /b HTTP/1.1\r\nHost: h\r\n\r\n",
    b"\r\n\r\nGET /c HTTP/1.1\r\n\r\n",
    b"GET /d HTTP/1.1\n\nGET /e HTTP/1.1\r\n\r\n",
    b"GET /f HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"GET /g HTTP/1.1\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
    b"GET /h HTTP/1.1\r\nX-Long: " + b"l" * 200 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
    OLD,
    POST,
    POST[:-3] + b"def",
    b"POST /i HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
    b"POST /j HTTP/1.1\nContent-Length: 9\n\nabc\r\n\r\nde\r\n",
    b"POST /k HTTP/1.1\r\nContent-Length: 3\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nabc",
    b"POST /l HTTP/1.1\r\nContent-Length: 3\r\nContent-Encoding: gzip\r\n\r\nabc",
    b"POST /m HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc",
    b"POST /n HTTP/1.1\r\nContent-Length: 1001\r\n\r\n" + b"n" * 1001,
    CHUNKED,
)


@given(st.lists(st.sampled_from(MESSAGES), max_size=8), st.integers(0, 300))
def test_a_request_that_is_repeated_is_read_like_the_first(messages: list[bytes], cut: int) -> None:
    """Requests that follow each other in one part, equal ones among them, are parsed as if each byte came alone."""
    stream = b"".join(messages)
    expected = parse_requests(*(stream[index : index + 1] for index in range(len(stream))))
    assert expected == parse_requests(stream) == parse_requests(stream[:cut], stream[cut:])


def test_a_repeated_request_is_not_parsed_again() -> None:
    """Requests with the same bytes, such as those of a client that polls, are one object."""
    first, second, third, last = parse_requests(MESSAGES[0] * 2 + POST, MESSAGES[0])
    assert (True, True, "POST") == (first is second, first is last, third.method)


def test_the_head_of_a_repeated_write_is_not_parsed_again() -> None:
    """Writes with the same head, such as those of a tool that reports events, share its parts, and have own bodies."""
    first, second = parse_requests(POST + POST[:-3] + b"def")
    assert (True, b"abc", b"def") == (first.target is second.target, first.body, second.body)
    assert first._replace(body=b"") == second._replace(body=b"")


def test_who_stays_and_who_goes() -> None:
    """The connection is kept or closed by default of the HTTP version, unless the client asks otherwise."""
    close, keep = b"Connection: close\r\n\r\n", b"Connection: keep-alive\r\n\r\n"
    assert [True] == [incoming.keep_alive for incoming in parse_requests(b"GET / HTTP/1.1\r\n\r\n")]
    assert [False] == [incoming.keep_alive for incoming in parse_requests(b"GET / HTTP/1.1\r\n" + close)]
    assert [False] == [incoming.keep_alive for incoming in parse_requests(OLD)]
    assert [True] == [incoming.keep_alive for incoming in parse_requests(b"GET / HTTP/1.0\r\n" + keep)]


@given(st.binary(max_size=200), st.booleans())
def test_whatever_is_sent_is_read_or_refused(noise: bytes, begins_well: bool) -> None:
    """Any bytes are parsed or refused, and nothing is parsed after malformed HTTP."""
    requests = parse_requests(POST + noise if begins_well else noise, OLD)
    broken = [number for number, incoming in enumerate(requests) if incoming.refusal and not incoming.keep_alive]
    assert broken in ([], [len(requests) - 1])


@pytest.mark.parametrize(
    "noise",
    [b"\x16\x03\x01\x02\x00", b"hello\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n"],
)
def test_what_is_no_http_is_400_and_the_end(noise: bytes) -> None:
    """Bytes that are not HTTP get 400 and end the connection."""
    (request,) = parse_requests(noise, OLD)
    assert request.refusal is not None
    assert (400, False) == (request.refusal.status, request.keep_alive)


def test_long_lines_are_refused_and_what_follows_is_read() -> None:
    """A target over the limit gets 414 and a header 400; a request after a target at the limit is read."""
    for length, expected in ((100, []), (101, [414])):
        assert expected == list_refusals(b"GET /%b HTTP/1.1\r\n\r\n" % (b"a" * (length - 1)))
    for length, expected in ((100, []), (101, [400])):
        assert expected == list_refusals(b"GET / HTTP/1.1\r\nX-A: %b\r\n\r\n" % (b"a" * length))
    assert ["/" + "a" * 100, "/old"] == [
        request.target for request in parse_requests(b"GET /%b HTTP/1.1\r\n\r\n" % (b"a" * 100), OLD)
    ]


def test_a_head_without_an_end_is_given_up() -> None:
    """A head without an end gets 400."""
    assert [400] == list_refusals(b"GET / HTTP/1.1\r\nX-A: ", *([b"a" * 60_000] * 20))


def test_a_body_over_the_limit_is_413_and_what_follows_is_read() -> None:
    """A body over the limit, with a length or in chunks, gets 413, and the next request is read."""
    sized = b"POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n" + b"a" * 1001
    chunked = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"64\r\n" + b"a" * 100 + b"\r\n"
    chunked += (b"64\r\n" + b"a" * 100 + b"\r\n") * 10 + b"0\r\n\r\n"
    for large in (sized, chunked):
        assert [413] == list_refusals(large, OLD)
        assert [b"", b""] == [request.body for request in parse_requests(large, OLD)]


def compress_body(body: bytes, window: int) -> bytes:
    packer = zlib.compressobj(wbits=window)
    return packer.compress(body) + packer.flush()


def encode_request(body: bytes, encoding: str) -> bytes:
    head = f"POST / HTTP/1.1\r\nContent-Encoding: {encoding}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(b"words", mtime=0)),
        ("GZIP", gzip.compress(b"words", mtime=0)),
        ("x-gzip", gzip.compress(b"words", mtime=0)),
        ("deflate", zlib.compress(b"words")),
        ("deflate", compress_body(b"words", -15)),
        ("identity", b"words"),
        ("zebra", b"words"),
    ],
)
def test_bodies_are_unpacked(encoding: str, body: bytes) -> None:
    """Compressed bodies are decompressed, and bodies with an unknown encoding are left as they are."""
    assert [b"words"] == [request.body for request in parse_requests(encode_request(body, encoding))]


def test_bodies_that_cannot_be_unpacked_are_refused() -> None:
    """A compressed body that is broken or cut off gets 400, and one over the limit 413."""
    whole = gzip.compress(b"a" * 1000, mtime=0)
    assert [] == list_refusals(encode_request(whole, "gzip"))
    assert [413] == list_refusals(encode_request(gzip.compress(b"a" * 1001, mtime=0), "gzip"))
    assert [400] == list_refusals(encode_request(whole[:-9], "gzip"))
    assert [400] == list_refusals(encode_request(b"words", "gzip"))
    assert [400] == list_refusals(encode_request(b"words", "deflate"))


def test_a_wish_for_another_protocol_is_not_granted() -> None:
    """A request to upgrade to another protocol is answered as any other, and so are those after it."""
    wish = b"GET /%b HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n"
    assert ["/1", "/2", "/old"] == [request.target for request in parse_requests(wish % b"1" + wish % b"2" + OLD)]


def test_what_follows_a_body_in_chunks_is_no_header() -> None:
    """Trailers after a chunked body are not headers."""
    (request,) = parse_requests(CHUNKED[:-2] + b"Private-Token: t\r\nHost: other\r\n\r\n")
    assert ({"transfer-encoding": "chunked"}, b"abcde") == (request.headers, request.body)


def test_bytes_in_headers_that_are_no_text_are_replaced() -> None:
    """Bytes in header values that are not UTF-8 are replaced."""
    (request,) = parse_requests(b"GET / HTTP/1.1\r\nX-A: caf\xc3\xa9\r\nX-B: caf\xe9\r\n\r\n")
    assert {"x-a": "café", "x-b": "caf\ufffd"} == request.headers


def test_targets_beyond_ascii_are_taken_as_if_they_were_encoded() -> None:
    """Bytes of a target beyond ASCII are percent-encoded, as nginx accepts them; NUL bytes get 400."""
    plain = b"GET /caf\xc3\xa9?q=\xff HTTP/1.1\r\nX-A: \xc3\xa9\r\n\r\n"
    requests = parse_requests(plain + POST + plain, plain)
    encoded = "/caf%C3%A9?q=%FF"
    assert [encoded, "/a%2Fb?x=1#y", encoded, encoded] == [incoming.target for incoming in requests]
    assert [{"x-a": "é"}] * 3 == [incoming.headers for incoming in requests if incoming.target == encoded]
    assert [400] == list_refusals(b"GET /caf\xc3\xa9\x00 HTTP/1.1\r\n\r\n")


@pytest.mark.parametrize(("version", "expected"), [(b"1.1", True), (b"1.0", False)])
def test_an_old_client_does_not_wait_to_be_told(version: bytes, expected: bool) -> None:
    """Only HTTP/1.1 clients can expect 100 Continue."""
    reader = RequestParser(LIMITS)
    reader.feed(b"POST / HTTP/%b\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n" % version)
    assert expected is reader.expects_continue


@pytest.mark.parametrize(
    "body", [b"Content-Length: 3\r\n\r\nabc", b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"]
)
def test_a_body_that_comes_with_a_wish_for_another_protocol_is_read(body: bytes) -> None:
    """The body of a request with an Upgrade header is read, wherever its bytes are divided."""
    asked = b"POST /a HTTP/1.1\r\nX-A: \xc3\xa9\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n" + body + OLD
    for cut in range(len(asked)):
        first, second = parse_requests(asked[:cut], asked[cut:])
        assert ("POST", "/a", b"abc", True, "é") == (*first[:2], first.body, first.keep_alive, first.headers["x-a"])
        assert "/old" == second.target


def test_a_tunnel_is_not_opened() -> None:
    """CONNECT opens no tunnel, and the next request is read as usual."""
    assert ["a:1", "/old"] == [
        request.target for request in parse_requests(b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n" + OLD)
    ]


@pytest.mark.parametrize("first", [1_000, 8_000, 8_900])
def test_a_long_header_in_two_parts_is_refused(first: int) -> None:
    """The limit of a header holds wherever its bytes are divided."""
    data = b"GET / HTTP/1.1\r\nHost: a\r\nX-Long: " + b"x" * 9_000 + b"\r\n\r\n"
    assert [400] == list_refusals(data[:first], data[first:], limits=Limits(body=1000))
