"""What is secret does not reach the disk, wherever it stands; what is none stays as it was."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from fakeplat.core.operations.http_messages import Headers, Request, Response
from fakeplat.core.secret_names import kind_of
from fakeplat.tape.formats.tape import Head, parse
from fakeplat.tape.record.recorder import Recorder, TapeFile
from fakeplat.tape.redaction.exchanges import Redactor
from tests.tape.tapes import AT, UPSTREAM, make_request

JSON_TYPE = (("Content-Type", "application/json"),)
FORM = "application/x-www-form-urlencoded"


def encode_basic(user: str, password: str) -> str:
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


def build_multipart(**fields: str) -> bytes:
    parts = (
        f'--AA\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()
    )
    return ("".join(parts) + "--AA--\r\n").encode()


def build_secret(kind: str) -> str:
    """A value that needs encoding in URLs and JSON."""
    return f'Sq7/{kind}+"zW9'


def build_simple_secret(kind: str) -> str:
    return f"Sq7.{kind}-zW9"


Pair = tuple[Request, Response]


def build_get(target: str = "/", **headers: str) -> Pair:
    return make_request("GET", target, b"", **headers), Response(200)


def build_post(body: object, path: str = "/", content_type: str = "application/json") -> Pair:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return make_request("POST", path, sent, content_type=content_type), Response(200)


def build_text_body(body: str) -> Pair:
    return build_post(body.encode(), content_type="text/plain")


def build_form_body(body: str) -> Pair:
    return build_post(body.encode(), content_type=FORM)


def build_json_answer(body: object) -> Pair:
    return make_request("GET", "/"), Response(200, JSON_TYPE, json.dumps(body).encode())


def build_raw_answer(body: str) -> Pair:
    return make_request("GET", "/"), Response(200, (), body.encode())


def build_answer_header(name: str, value: str) -> Pair:
    return make_request("GET", "/"), Response(200, ((name, value),))


def quote_value(value: str) -> str:
    return quote(value, safe="")


def quote_every_byte(value: str) -> str:
    return "".join(f"%{byte:02x}" for byte in value.encode())


PEM = "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"
PARTS = "multipart/form-data; boundary=AA"
PLACES: dict[str, Pair] = {
    "private-token": build_get(private_token=build_secret("private-token")),
    "job-token": build_get(job_token=build_secret("job-token")),
    "deploy-token": build_get(deploy_token=build_secret("deploy-token")),
    "bearer": build_get(authorization=f"Bearer {build_simple_secret('bearer')}"),
    "basic": build_get(authorization=encode_basic("ada", build_secret("basic"))),
    "scheme": build_get(authorization=f"Digest {build_secret('scheme')}"),
    "bare": build_get(authorization=build_simple_secret("bare")),
    "cookie": build_get(cookie=f"a=1; _platform_session={build_simple_secret('cookie')}"),
    "csrf": build_get(x_csrf_token=build_secret("csrf")),
    "unlisted": build_get(x_custom_token=build_secret("unlisted")),
    "query": build_get(f"/?private_token={quote_value(build_secret('query'))}"),
    "plus": build_get(f"/?job_token={quote_plus(build_secret('plus'))}&x=1"),
    "bytes": build_get(f"/?token={quote_every_byte(build_secret('bytes'))}"),
    "url": build_get(f"/?import_url={quote_value('https://u:' + build_simple_secret('url') + '@h/x')}"),
    "json": build_post({"a": [{"b": {"password": build_secret("json")}}]}),
    "list": build_post({"secrets": {"secret": [build_secret("list")]}}),
    "key": build_post({"key": build_secret("key")}),
    "escaped": build_post(b'{"pass\\u0077ord": "Sq7\\u002eescaped-zW9"}'),
    "number": build_post({"password": 83714650291}),
    "variable": build_post({"key": "NAME", "value": build_secret("variable")}, "/api/v4/projects/1/variables"),
    "pipeline": build_post(
        {"variables": [{"key": "A", "value": build_secret("pipeline")}]}, "/api/v4/projects/1/pipeline"
    ),
    "remote": build_post({"url": f"https://ada:{build_simple_secret('remote')}@h.test/x.git"}),
    "graphql": build_post({"query": f'mutation {{ x(token: "{build_simple_secret("graphql")}") }}'}),
    "form": build_form_body(f"user[password]={quote_plus(build_secret('form'))}&a=b"),
    "multipart": build_post(build_multipart(password=build_secret("multipart"), a="b"), content_type=PARTS),
    "form-without-a-type": (
        make_request("POST", "/", b"private_token=" + build_simple_secret("form-without-a-type").encode()),
        Response(200),
    ),
    "form-as-text": build_text_body(f"password={build_simple_secret('form-as-text')}&a=b"),
    "form-as-JSON": build_post(f"password={build_simple_secret('form-as-JSON')}".encode()),
    "JSON-as-form": build_form_body(json.dumps({"password": build_secret("JSON-as-form")})),
    "JSON-in-JSON": build_post({"a": json.dumps({"b": json.dumps({"password": build_simple_secret("JSON-in-JSON")})})}),
    "file-of-a-form": build_post(
        build_multipart(**{'password"; filename="p': build_secret("file-of-a-form")}), content_type=PARTS
    ),
    "multipart-bare-line-feeds": build_post(
        build_multipart(password=build_simple_secret("multipart-bare-line-feeds")).replace(b"\r", b""),
        content_type=PARTS,
    ),
    "trigger": build_post({"variables": {"A": build_secret("trigger")}}, "/api/v4/projects/1/trigger/pipeline"),
    "trigger-form": build_form_body(f"ref=master&variables[A]={quote_plus(build_secret('trigger-form'))}"),
    "trigger-query": build_get(f"/?variables%5BA%5D={quote_value(build_secret('trigger-query'))}"),
    "graphql-tight": build_post({"query": f'mutation{{x(token:"{build_simple_secret("graphql-tight")}")}}'}),
    "remote-sign": build_post({"url": f"https://ada:p@{build_simple_secret('remote-sign')}@h.test/x.git"}),
    "remote-slashes": build_raw_answer(
        f'{{"url":"https:\\/\\/ada:{build_simple_secret("remote-slashes")}@h.test\\/x"}}'
    ),
    "basic-user-alone": build_get(authorization=encode_basic(build_simple_secret("basic-user-alone"), "")),
    "bare-cookie": build_get(cookie=build_simple_secret("bare-cookie")),
    "fragment": build_answer_header(
        "Location", f"https://app.test/back#access_token={build_simple_secret('fragment')}&token_type=bearer"
    ),
    "url-in-url": build_json_answer(f"https://h/?u=https://h/?private_token={build_simple_secret('url-in-url')}"),
    "input": build_raw_answer(f'<input name="authenticity_token" value="{build_simple_secret("input")}" />'),
    "meta": build_raw_answer(f'<meta name="csrf-token" content="{build_simple_secret("meta")}" />'),
    "script": build_text_body(f"curl --header 'PRIVATE-TOKEN: {build_simple_secret('script')}'"),
    "git": build_text_body(f"AUTHORIZATION: {encode_basic('ada', build_secret('git'))}"),
    "answer": build_json_answer([{"runners_token": build_secret("answer")}]),
    "feed": build_json_answer({"url": f"{UPSTREAM}/x.atom?feed_token={build_simple_secret('feed')}"}),
    "page": build_json_answer(f"<a href='/x?a=1&amp;feed_token={build_simple_secret('page')}'>"),
    "pem": build_json_answer({"text": PEM.format(build_simple_secret("pem"))}),
    "set-cookie": build_answer_header("Set-Cookie", f"_s={build_simple_secret('set-cookie')}; Path=/; HttpOnly"),
    "link": build_answer_header(
        "Link", f'<{UPSTREAM}/?private_token={build_simple_secret("link")}&page=2>; rel="next"'
    ),
    "header": build_answer_header("X-Api-Key", build_simple_secret("header")),
    "user-key": build_post({"user_key": build_secret("user-key")}),
    "slack": build_post({"webhook": "https://hooks.slack.com/services/T012345/B012345/slackXZW9slackXZW9"}),
    "mattermost": build_json_answer({"webhook": "https://chat.example.test/hooks/mattermostzw9mattermost0"}),
    "teams": build_raw_answer(r'{"url":"https:\/\/a.webhook.office.com\/webhookb2\/teamsZW9-0000\/x\/teamsZW9"}'),
    "discord": build_text_body("post to https://discord.com/api/webhooks/1234567890/discordZW9_discordZW9 please"),
    "jwt": build_text_body("found eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJqd3RaVzkifQ.jwtZW9signature here"),
    "jwt-in-path": build_get("/uploads/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJqd3RaVzkifQ.pathZW9signature"),
    "aws": build_json_answer({"text": "the key AKIAIOSFODNN7EXAMPLE was found"}),
    "environment": build_text_body("DEBUG=1\nexport DATABASE_PASSWORD=environmentZW9\nAPI_TOKEN=environmentZW8\n"),
    "environment-in-json": build_json_answer({"content": "DEBUG=1\nSECRET_KEY=jsonZW9json\n"}),
}
VALUES = {
    **{kind: (build_secret(kind), build_simple_secret(kind)) for kind in PLACES},
    "number": ("83714650291",),
    "pem": (build_simple_secret("pem"),),
    "slack": ("slackXZW9slackXZW9",),
    "mattermost": ("mattermostzw9mattermost0",),
    "teams": ("teamsZW9-0000", "teamsZW9"),
    "discord": ("discordZW9_discordZW9",),
    "jwt": ("jwtZW9signature",),
    "jwt-in-path": ("pathZW9signature",),
    "aws": ("AKIAIOSFODNN7EXAMPLE",),
    "environment": ("environmentZW9", "environmentZW8"),
    "environment-in-json": ("jsonZW9json",),
}


def list_forms(value: str) -> set[str]:
    """A value as it might stand in a file."""
    quoted = quote(value, safe="")
    whole = {value, json.dumps(value)[1:-1], json.dumps(json.dumps(value)[1:-1])[1:-1], quoted, quoted.lower()}
    encoded = {b64encode(text.encode()).decode() for text in (value, f"ada:{value}")}
    return {*whole, *encoded, quote_plus(value), quote(value), quote_every_byte(value)}


def record_pairs(path: Path, *pairs: tuple[Request, Response]) -> str:
    recorder = Recorder(TapeFile(path))
    recorder.begin(Head(UPSTREAM, AT))
    for request, response in pairs:
        recorder.record(request, response, 1.0, 0)
    recorder.close()
    return path.read_text("utf-8")


@pytest.mark.parametrize("kind", PLACES)
def test_a_secret_is_not_in_the_file(tmp_path: Path, kind: str) -> None:
    """A secret is not on the tape in any encoding, and a placeholder replaces it."""
    text = record_pairs(tmp_path / "tape", PLACES[kind])
    assert [] == [form for value in VALUES[kind] for form in list_forms(value) if form in text]
    assert kind == "unlisted" or ":1>" in text
    assert 1 == len(parse(text.encode()))


VALUE = build_secret("known")
ELSEWHERE: dict[str, Pair] = {
    "path": build_get(f"/api/v4/x/{quote_value(VALUE)}/y"),
    "query": build_get(f"/?search={quote_plus(VALUE)}"),
    "query, every byte encoded": build_get(f"/?search={quote_every_byte(VALUE)}"),
    "header": build_get(accept=f"a; {VALUE}"),
    "Basic": build_get(authorization=encode_basic("ada", VALUE)),
    "JSON": build_post({"title": f"my {VALUE}!"}),
    "form": build_form_body(f"title={quote_plus(VALUE)}"),
    "multipart": build_post(build_multipart(title=VALUE), content_type=PARTS),
    "answer, as name and value": build_json_answer({VALUE: [VALUE]}),
    "answer, as text": (make_request("GET", "/"), Response(404, (), f"no {VALUE} here".encode())),
    "answer, binary": (make_request("GET", "/"), Response(200, (), b"\xff\x00" + VALUE.encode())),
    "answer, Basic": (make_request("GET", "/"), Response(200, (), encode_basic("ada", VALUE).encode())),
    "redirect": build_answer_header("Location", f"{UPSTREAM}/{quote_value(VALUE)}"),
}


@pytest.mark.parametrize("kind", ELSEWHERE)
def test_a_value_once_known_is_replaced_wherever_it_appears_later(tmp_path: Path, kind: str) -> None:
    """A known secret is replaced in later paths, queries, headers and bodies by its placeholder."""
    text = record_pairs(tmp_path / "tape", build_get(private_token=VALUE), ELSEWHERE[kind])
    assert [] == [form for form in list_forms(VALUE) if form in text]
    assert "<pat:1>" in text.splitlines()[2] or b64encode(b"\xff\x00<pat:1>").decode() in text


@pytest.mark.parametrize("before", ["", "a", "ab"])
def test_a_value_once_known_is_replaced_within_base64(tmp_path: Path, before: str) -> None:
    """A known secret is replaced inside base64 text at any offset."""
    inside = b64encode(f"{before}abc{VALUE}; z".encode()).decode()
    text = record_pairs(tmp_path / "tape", build_get(private_token=VALUE), build_json_answer({"content": inside}))
    content = json.loads(json.loads(text.splitlines()[2])["response"]["body"])["content"]
    head, tail = content.split("<pat:1>")
    assert (True, True) == (inside.startswith(head), inside.endswith(tail))
    assert len(head) + len(tail) <= len(inside) - len(VALUE)


def test_a_value_once_known_is_replaced_where_json_is_written_for_pages(tmp_path: Path) -> None:
    """A known secret is replaced in JSON that escapes &, < and >, as Ruby on Rails writes it."""
    answer = Response(200, JSON_TYPE, b'{"a":"Sq7\\u0026pages\\u003czW9"}')
    text = record_pairs(tmp_path / "tape", build_get(private_token="Sq7&pages<zW9"), (make_request("GET", "/"), answer))
    assert '{"a":"<pat:1>"}' == json.loads(text.splitlines()[2])["response"]["body"]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"password=Sq7\xff-zW9&a=b", FORM),
        (b'{"password":"Sq7-zW9\\\\","a":"Sq7-zW9\\\\\\\\"}', "application/json"),
        (b'{"password":["Sq7-zW9\\"",1.5],"token":{"a":{}}}', "application/json"),
    ],
)
def test_no_secret_stops_the_recording(tmp_path: Path, body: bytes, content_type: str) -> None:
    """Secrets with invalid UTF-8, backslashes or quotes are replaced, and the tape can be read."""
    text = record_pairs(
        tmp_path / "tape", build_post(body, content_type=content_type), build_get(private_token="Sq7.after-zW9")
    )
    assert "Sq7" not in text
    assert 2 == len(parse(text.encode()))


def test_a_value_that_is_a_plain_word_does_not_break_names() -> None:
    """A variable with the value `protected` does not replace the key `protected` of a response."""
    body = b'[{"key":"STATE","value":"protected","protected":true}]'
    path = "/api/v4/projects/1/variables"
    assert b'[{"key":"STATE","value":"<variable:1>","protected":true}]' == clean_body(body, path)


@pytest.mark.parametrize(
    "body",
    [
        b'{"message":{"password":["is too short (minimum is 8 characters)"],"token":["has already been taken"]}}',
        b'{"text":"Bearer authentication","require_two_factor_authentication":false}',
    ],
)
def test_prose_about_secrets_is_kept(body: bytes) -> None:
    """Text that only mentions a password, such as an error message, is kept."""
    assert body == clean_body(body)


def test_an_answer_teaches_what_its_own_request_named(tmp_path: Path) -> None:
    """A token that a response reveals is replaced in the path of its own request."""
    pair = (make_request("GET", "/api/v4/x/Sq7.taught-zW9"), Response(200, JSON_TYPE, b'{"token":"Sq7.taught-zW9"}'))
    assert "Sq7.taught" not in record_pairs(tmp_path / "tape", pair)


def test_each_secret_has_one_placeholder_by_kind() -> None:
    """Secrets are numbered by kind, and equal values have the same placeholder."""
    cleaner = Redactor()
    pairs = [("Sq7.first-zW9", "<pat:1>"), ("Sq7.other-zW9", "<pat:2>"), ("Sq7.first-zW9", "<pat:1>")]
    for value, placeholder in pairs:
        request, _ = cleaner.redact(make_request("GET", "/", private_token=value), Response(200))
        assert {"private-token": placeholder} == request.headers
    request, _ = cleaner.redact(make_request("GET", "/", authorization="Bearer Sq7.other-zW9"), Response(200))
    assert {"authorization": "Bearer <pat:2>"} == request.headers


def clean_body(body: bytes, path: str = "/", content_type: str = "application/json") -> bytes:
    request, _ = Redactor().redact(make_request("POST", path, body, content_type=content_type), Response(200))
    return request.body


@pytest.mark.parametrize(
    "body",
    [
        b'{ "title":"a", "n":1.0, "n":2e3,\n"x":"\\u00e9" }',
        b'{"key":"DEPLOY","value":"to the moon"}',
        b'{"key":"mit","name":"MIT License"}',
        b'{"title":"laptop","key":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ada"}',
        b'{"token":null,"password":"","reset_password":true,"token_type":"bearer","public_key":"abcdefgh"}',
        b'{"url":"https://ada@h.test/x","mail":"ada@example.test"}',
        b'{"text":"the token is lost, the password too: reset them"}',
        b'{"url":"http://h.test/api/v4/projects/1/hooks/12","services":"https://h.test/-/settings/integrations/slack/edit"}',
        b'{"text":"TOKEN= and DEBUG=1, AKIA or eyJ alone"}',
        b"[1,2",
        b"\xff\xfe\x00",
    ],
)
def test_what_is_no_secret_stays_byte_for_byte(body: bytes) -> None:
    """Bodies without secrets, such as public keys, nulls and names of variables, are kept byte for byte."""
    assert body == clean_body(body)


def test_json_keeps_its_bytes_around_a_secret() -> None:
    """Redaction of JSON changes only the bytes of the secret."""
    body = b'{ "a" : 1.0,\n "password" : "Sq7.bytes-zW9", "b":"\\u00e9" }'
    assert body.replace(b"Sq7.bytes-zW9", b"<password:1>") == clean_body(body)


def test_a_short_secret_is_replaced_in_its_place_only() -> None:
    """A short password such as `abc` is replaced only in its own field."""
    assert b'{"password":"<password:1>","title":"abc"}' == clean_body(b'{"password":"abc","title":"abc"}')
    assert b"password=<password:1>&title=abc" == clean_body(b"password=abc&title=abc", content_type=FORM)


def test_the_value_of_a_variable_is_secret_in_a_form() -> None:
    """In a form the value of a CI variable is replaced and its key kept; other keys are judged by their names."""
    body = b"key=DEPLOY_TARGET&value=to-the-moon"
    path = "/api/v4/projects/1/variables"
    assert b"key=DEPLOY_TARGET&value=<variable:1>" == clean_body(body, path, FORM)
    assert body == clean_body(body, "/api/v4/projects/1/custom_attributes", FORM)
    assert b"key=<key:1>" == clean_body(b"key=to-the-moon", content_type=FORM)
    assert b"password=<password:1>&value=1" == clean_body(b"password=to-the-moon&value=1", content_type=FORM)


def test_a_password_that_is_a_common_word_does_not_break_names() -> None:
    """The password `password` is replaced and the key of that name kept."""
    assert b'{"password":"<password:1>"}' == clean_body(b'{"password":"password"}')


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("PRIVATE-TOKEN", "pat"),
        ("privateToken", "pat"),
        ("user[password]", "password"),
        ("webhook_secret", "secret"),
        ("runners_token", "runner"),
        ("X-CSRF-Token", "csrf"),
        ("aws_access_key", "key"),
        ("author_key", None),
        ("public_key", None),
        ("token_type", None),
        ("title", None),
        ("", None),
    ],
)
def test_kinds_are_known_by_name(name: str, kind: str | None) -> None:
    """The kind of a secret follows from its name, regardless of case and punctuation."""
    assert kind == kind_of(name)


def test_only_headers_that_matter_are_kept() -> None:
    """A tape keeps only listed request headers and drops response headers of the connection or moment."""
    headers = {"user-agent": "x", "accept": "*/*", "connection": "close", "x-request-id": "1"}
    sent: Headers = (("Date", "now"), ("Connection", "close"), ("X-Total", "2"), ("X-Runtime", "0.1"), ("ETag", "W/1"))
    request, response = Redactor().redact(Request("GET", "/", "", headers), Response(200, sent))
    assert {"accept": "*/*"} == request.headers
    assert (("X-Total", "2"), ("ETag", "W/1")) == response.headers


def test_the_journal_hides_what_a_tape_hides(fakeplat: Any) -> None:
    """The paths in the journal show secret query values as asterisks."""
    fakeplat.as_user("ada").get("version?api_key=abc&user%5Bpassword%5D=x&private_token=&page=1")
    assert "/api/v4/version?api_key=***&user%5Bpassword%5D=***&private_token=***&page=1" == fakeplat.requests[0].path
