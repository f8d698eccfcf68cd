"""The endpoint itself: credentials, bodies, errors, limits, several queries at once, what the journal tells."""

from collections.abc import Callable
from typing import Any

import pytest
from graphql import (
    build_client_schema,
    get_introspection_query,
    lexicographic_sort_schema,
    print_schema,
)

from fakeplat.core.release import profile_of
from fakeplat.graphql.schema import schema, schema_text
from fakeplat.harness.fake import Fakeplat
from fakeplat.pipeline.handler import BODY_LIMIT
from tests.architecture.sources import ROOT
from tests.graphql.queries import NOT_AVAILABLE, PATH, WORLD, list_messages, post_query, query_data, query_refused
from tests.signals import SentSignals

pytestmark = pytest.mark.fakeplat(scenario=WORLD)

WHO = "{ currentUser { username } }"
ADA = {"data": {"currentUser": {"username": "ada"}}}
NOBODY = {"data": {"currentUser": None}}
INVALID = (401, {"errors": [{"message": "Invalid token"}]})
NO_ACCESS = (403, {"errors": [{"message": "API not accessible for user"}]})
JSON = {"content-type": "application/json"}


def post(fake: Fakeplat, by: str | None = None, **sent: Any) -> tuple[int, Any]:
    reply = fake.as_user(by).post(PATH, **sent)
    return reply.status, reply.json()


def test_variables_may_come_as_a_file(fakeplat: Fakeplat) -> None:
    """Variables can be sent as a file in a multipart form."""
    fields = {"query": "query q($name: String!) { user(username: $name) { name } }"}
    parts = [
        f'--AA\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n' for name, text in fields.items()
    ]
    disposition = 'Content-Disposition: form-data; name="variables"; filename="v.json"'
    for variables, expected in (
        ('{"name": "ada"}', (200, {"data": {"user": {"name": "ada"}}})),
        ("[1]", (422, {"errors": [{"message": "Unexpected parameter: [1]"}]})),
    ):
        file = f"--AA\r\n{disposition}\r\nContent-Type: application/json\r\n\r\n{variables}\r\n--AA--\r\n"
        headers = {"content-type": "multipart/form-data; boundary=AA"}
        assert expected == post(fakeplat, "ada", data="".join([*parts, file]).encode(), headers=headers)


# credentials


@pytest.mark.parametrize(
    "headers",
    [
        {"private-token": "{}"},
        {"authorization": "Bearer {}"},
    ],
)
def test_tokens_come_as_in_rest(fakeplat: Fakeplat, headers: dict[str, str]) -> None:
    """A personal access token is accepted in ``PRIVATE-TOKEN`` and as a bearer."""
    sent = {name: text.format(fakeplat.token("ada")) for name, text in headers.items()}

    assert (200, ADA) == post(fakeplat, json={"query": WHO}, headers=sent)


def test_oauth_tokens_and_sessions_ask_too(fakeplat: Fakeplat) -> None:
    """OAuth tokens and sessions are accepted; a session without its CSRF token is anonymous."""
    oauth = {"authorization": f"Bearer {fakeplat.token('ada', kind='oauth')}"}
    session = fakeplat.token("ada", kind="session")
    cookie = {"cookie": f"_gitlab_session={session}"}

    assert (200, ADA) == post(fakeplat, json={"query": WHO}, headers=oauth)
    assert (200, NOBODY) == post(fakeplat, json={"query": WHO}, headers=cookie)
    assert (200, ADA) == post(fakeplat, json={"query": WHO}, headers={**cookie, "x-csrf-token": f"csrf-{session}"})


def test_every_unusable_token_gets_the_same_response(fakeplat: Fakeplat) -> None:
    """Unknown, expired and insufficient tokens get 401 ``Invalid token``."""
    tokens = [
        "nothing",
        fakeplat.token("ada", kind="personal", expires_at="2020-01-01"),
        fakeplat.token("ada", kind="personal", scopes=["read_user"]),
    ]

    for token in tokens:
        assert INVALID == post(fakeplat, json={"query": WHO}, headers={"private-token": token})


def test_a_blocked_user_has_no_access(fakeplat: Fakeplat) -> None:
    """A blocked user gets 403."""
    token = fakeplat.token("eve")
    fakeplat.as_user("root").post(f"users/{fakeplat.world.user('eve').id}/block")

    assert NO_ACCESS == post(fakeplat, json={"query": WHO}, headers={"private-token": token})


def test_an_administrator_acts_as_somebody(fakeplat: Fakeplat) -> None:
    """An administrator can use sudo, and other users are refused."""
    sudo = {"sudo": "ada"}

    assert (200, ADA) == post(fakeplat, "root", json={"query": WHO}, headers=sudo)
    assert NO_ACCESS == post(fakeplat, "dev", json={"query": WHO}, headers=sudo)


# bodies


@pytest.mark.parametrize(
    "sent",
    [
        {"json": {"query": WHO}},
        {"data": {"query": WHO}},
        {"params": {"query": WHO}},
        {"json": {"query": WHO, "variables": None, "operationName": None}},
        {"json": {"query": WHO, "variables": ""}},
        {"json": {"query": WHO, "variables": "{}"}},
        {"json": {"query": f'query A {WHO} query B {{ echo(text: "x") }}', "operationName": "A"}},
    ],
)
def test_a_query_comes_in_many_ways(fakeplat: Fakeplat, sent: dict[str, Any]) -> None:
    """A query is accepted as JSON, as a form and in the URL, with or without variables."""
    assert (200, ADA) == post(fakeplat, "ada", **sent)


@pytest.mark.parametrize("variables", [{"text": "hi"}, '{"text": "hi"}'])
def test_variables_are_a_hash_or_a_text_of_one(fakeplat: Fakeplat, variables: object) -> None:
    """Variables are accepted as a JSON object and as a string that contains one."""
    sent = {"query": "query($text: String!) { echo(text: $text) }", "variables": variables}

    assert (200, {"data": {"echo": '"ada" says: hi'}}) == post(fakeplat, "ada", json=sent)


@pytest.mark.parametrize("variables", ["[1]", "{", [1], 7])
def test_other_variables_are_refused(fakeplat: Fakeplat, variables: object) -> None:
    """Variables that are no JSON object get 422, and nothing is executed."""
    status, answered = post(fakeplat, "ada", json={"query": WHO, "variables": variables})

    assert (422, ["errors"], 1) == (status, [*answered], len(answered["errors"]))


@pytest.mark.parametrize("content", [b"{", b"nothing", b'{"query": }'])
def test_malformed_json_is_a_bad_request(fakeplat: Fakeplat, content: bytes) -> None:
    """A request with malformed JSON gets 400."""
    assert (400, {"status": 400, "error": "Bad Request"}) == post(fakeplat, "ada", data=content, headers=JSON)


def test_a_body_has_a_limit(fakeplat: Fakeplat) -> None:
    """A request body over the limit gets 413."""
    sent = {"data": b" " * (BODY_LIMIT + 1), "headers": JSON}

    assert (413, {"message": "413 Request Entity Too Large"}) == post(fakeplat, "ada", **sent)


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({"json": {}}, "No query string was present"),
        ({"json": {"query": None}}, "No query string was present"),
        ({"json": {"query": 7}}, "No query string was present"),
        ({"json": []}, "No query string was present"),
        ({"json": "text"}, "No query string was present"),
        (
            {"data": b"{ currentUser { id } }", "headers": {"content-type": "application/graphql"}},
            "No query string was present",
        ),
        ({}, "No query string was present"),
        ({"json": {"query": ""}}, "Unexpected end of document"),
        ({"json": {"query": "# nothing"}}, "Unexpected end of document"),
        ({"json": {"query": "{"}}, "Unexpected end of document"),
        ({"json": {"query": "{ a } }"}}, 'Parse error on "}" (RCURLY) at [1, 7]'),
        ({"json": {"query": "\n  what"}}, 'Parse error on "what" (IDENTIFIER) at [2, 3]'),
        ({"json": {"query": "{ a(b: 1 2) }"}}, 'Parse error on "2" (INT) at [1, 10]'),
        ({"json": {"query": f"query A {WHO} query B {WHO}"}}, "An operation name is required"),
        ({"json": {"query": f"query A {WHO}", "operationName": "B"}}, 'No operation named "B"'),
        ({"json": {"query": "fragment A on User { id }"}}, None),
    ],
)
def test_what_cannot_be_executed_is_an_error(fakeplat: Fakeplat, sent: dict[str, Any], text: str | None) -> None:
    """A query that cannot be executed gets 200 with an error and no data."""
    status, answered = post(fakeplat, "ada", **sent)

    assert (200, ["errors"]) == (status, [*answered])
    assert text in (None, *list_messages(answered))


def test_other_methods_are_no_route(fakeplat: Fakeplat) -> None:
    """Methods other than POST get 404."""
    replies = [fakeplat.as_user("ada").request(method, PATH) for method in ("GET", "PUT", "DELETE")]

    assert [(404, {"error": "404 Not Found"})] * 3 == [(reply.status, reply.json()) for reply in replies]


# what a query may ask


def test_an_unknown_field_is_reported_with_the_supported_ones(fakeplat: Fakeplat) -> None:
    """The error for an unknown field names all fields of the type."""
    (error,) = post_query(fakeplat, "ada", "{ currentUser { usernam } }")["errors"]

    assert "Field 'usernam' doesn't exist on type 'User'" == error["message"]
    assert ("undefinedField", "User", "usernam") == tuple(
        error["extensions"][name] for name in ("code", "typeName", "fieldName")
    )
    assert "email" in error["extensions"]["supported"]
    assert [{"line": 1, "column": 17}] == error["locations"]


@pytest.mark.parametrize(
    ("query", "message", "extensions"),
    [
        (
            '{ project(fullPath: "x", fullpath: "x") { id } }',
            "Field 'project' doesn't accept argument 'fullpath'",
            {"code": "argumentNotAccepted", "name": "project", "typeName": "Field", "argumentName": "fullpath"},
        ),
        (
            'mutation { todoMarkDone(input: {id: "gid://gitlab/Todo/1", idd: "x"}) { errors } }',
            "InputObject 'TodoMarkDoneInput' doesn't accept argument 'idd'",
            {
                "code": "argumentNotAccepted",
                "name": "TodoMarkDoneInput",
                "typeName": "InputObject",
                "argumentName": "idd",
            },
        ),
        (
            '{ project(fullPath: "x") { issues(state: gone) { count } } }',
            "Argument 'state' on Field 'issues' has an invalid value (gone). Expected type 'IssuableState'.",
            {"code": "argumentLiteralsIncompatible", "typeName": "Field", "argumentName": "state"},
        ),
        (
            "{ currentUser { todos(state: [done, gone]) { nodes { id } } } }",
            "Argument 'state' on Field 'todos' has an invalid value ([done, gone]). Expected type '[TodoStateEnum!]'.",
            {"code": "argumentLiteralsIncompatible", "typeName": "Field", "argumentName": "state"},
        ),
        (
            'mutation { updateIssue(input: {projectPath: "x", iid: "1", stateEvent: GONE}) { errors } }',
            (
                "Argument 'stateEvent' on InputObject 'UpdateIssueInput' has an invalid value (GONE). "
                "Expected type 'IssueStateEvent'."
            ),
            {"code": "argumentLiteralsIncompatible", "typeName": "InputObject", "argumentName": "stateEvent"},
        ),
    ],
    ids=["argument", "input field", "enum value", "value in a list", "value in an input"],
)
def test_an_unknown_name_is_reported_as_on_the_platform(
    fakeplat: Fakeplat, query: str, message: str, extensions: dict[str, str]
) -> None:
    """Unknown arguments, fields of inputs and enum values get the platform's errors, with the names that are known."""
    (error,) = query_refused(fakeplat, "ada", query)["errors"]

    assert message == error["message"]
    assert error["extensions"].pop("supported")
    assert extensions == error["extensions"]


def test_a_name_of_another_release_is_explained_in_the_journal(fakeplat: Fakeplat) -> None:
    """If a query or its variables use a name of another release, the journal tells of which one, but not the answer."""
    mutation = "mutation($input: CreateNoteInput!) { createNote(input: $input) { errors } }"
    later = query_refused(fakeplat, "ada", "{ currentUser { publicEmail } }")
    query_refused(fakeplat, "ada", "{ currentUser { publicEmail active } }")
    query_refused(fakeplat, "ada", mutation, input={"noteableId": "x", "body": "x", "internal": True})
    query_refused(fakeplat, "ada", mutation, input=[7])
    query_refused(fakeplat, "ada", "{ currentUser { nothing } }")
    reasons = (str(entry.reason) for entry in fakeplat.requests.find(operation="query_graphql"))
    field, fields, variable, wrong, unknown = reasons

    assert ["Field 'publicEmail' doesn't exist on type 'User'"] == list_messages(later)
    assert field.endswith("; `User.publicEmail` exists since 13.7; this world is 13.5.1")
    assert fields.endswith(
        "; `User.publicEmail` exists since 13.7; this world is 13.5.1; "
        "`User.active` exists since 17.3 at the latest; this world is 13.5.1"
    )
    assert variable.endswith("; `CreateNoteInput.internal` exists since 15.3; this world is 13.5.1")
    assert wrong.startswith("Variable $input of type CreateNoteInput! was provided invalid value")
    assert "exists since" not in wrong + unknown


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("15.3", "; `MergeRequest.suggestedReviewers` exists since 15.4; this world is 15.3"),
        ("15.4", "; `MergeRequest.suggestedReviewers` exists since 15.4 and is not built"),
    ],
)
def test_a_name_that_is_not_built_is_explained_in_the_journal(
    fakeplat_factory: Callable[..., Fakeplat], version: str, expected: str
) -> None:
    """A field that the release has and fakeplat has not is refused by the schema; the journal says that it exists."""
    query = '{ project(fullPath: "acme/site") { mergeRequest(iid: "1") { suggestedReviewers { accepted } } } }'
    with fakeplat_factory(version=version) as world:
        answer = query_refused(world, "ada", query)
        assert ["Field 'suggestedReviewers' doesn't exist on type 'MergeRequest'"] == list_messages(answer)
        assert str(world.requests[-1].reason).endswith(expected)


@pytest.mark.fakeplat(version="14.0")
def test_a_name_that_ended_is_explained_in_the_journal(fakeplat: Fakeplat) -> None:
    """If a query uses a name of earlier releases, the journal tells until when it existed."""
    query = 'mutation { addAwardEmoji(input: {awardableId: "x", name: "tada"}) { errors } }'
    query_refused(fakeplat, "ada", query)
    reason = fakeplat.requests.find(operation="query_graphql")[-1].reason or ""

    assert reason.endswith("; `Mutation.addAwardEmoji` exists until 14.0; this world is 14.0")


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("{ project { id } }", "fullPath"),
        ("{ project(fullPath: 1) { id } }", "ID"),
        ('{ project(path: "x") { id } }', "fullPath"),
        ("{ currentUser }", "must have selections"),
        ("{ echo(text: 1) }", "String"),
        ("subscription { a }", "subscription"),
        ("mutation { destroyEverything { errors } }", "destroyEverything"),
        ("query($x: Nothing) { echo(text: $x) }", "Nothing"),
        ("query($x: String!) { echo(text: $x) }", "$x"),
        ("{ ...F } fragment F on User { id }", "F"),
        ("{ ...A } fragment A on Query { ...A }", "A"),
    ],
)
def test_a_query_that_the_schema_does_not_take_says_why(fakeplat: Fakeplat, query: str, part: str) -> None:
    """A query that does not match the schema is not executed, and the error says why."""
    answered = query_refused(fakeplat, "ada", query)

    if query != "{ project(fullPath: 1) { id } }":  # a whole number is an ID
        assert ["errors"] == [*answered]
        assert part in " ".join(list_messages(answered))
    else:
        assert {"data": {"project": None}} == answered


@pytest.mark.fakeplat(version="14.0")
def test_the_schema_can_be_asked(fakeplat: Fakeplat) -> None:
    """Introspection gives the schema of the release, without its directives, also to anonymous callers."""
    introspection = query_data(fakeplat, None, get_introspection_query(input_value_deprecation=True))

    assert print_schema(lexicographic_sort_schema(schema(profile_of((14, 0))))) == print_schema(
        lexicographic_sort_schema(build_client_schema(introspection))
    )


def test_the_documented_schema_is_fresh() -> None:
    """The documented schema is up to date."""
    assert schema_text() == (ROOT / "docs/schema.graphql").read_text("utf-8")


def test_a_typename_can_be_asked_everywhere(fakeplat: Fakeplat) -> None:
    """`__typename` is available on every type."""
    answer = query_data(fakeplat, "ada", "{ __typename currentUser { __typename } }")

    assert {"__typename": "Query", "currentUser": {"__typename": "User"}} == answer


# limits

DEEP = '{ group(fullPath: "acme") { %s } }'


def build_nested_query(depth: int) -> str:
    """A query of a depth; its one field comes back too often, which is another error beside."""
    names = ["parent"] * (depth - 2)
    return DEEP % (" { ".join([*names, "id"]) + " }" * len(names))


def test_a_text_is_at_most_ten_thousand_characters(fakeplat: Fakeplat) -> None:
    """Queries of more than 10,000 characters, counted over the whole request, get 422."""
    long = f"{WHO} #{'x' * 10_000}"
    halves = [{"query": f"{WHO} #{'x' * 6_000}"}] * 2

    assert (422, {"errors": [{"message": "Query too large"}]}) == post(fakeplat, "ada", json={"query": long})
    assert (422, {"errors": [{"message": "Query too large"}]}) == post(fakeplat, "ada", json=halves)


def test_one_field_comes_back_twice_in_a_branch_at_most(fakeplat: Fakeplat) -> None:
    """A field that is nested three times in a branch is refused as recursive."""
    fine = DEEP % "parent { parent { id } }"
    wrong = DEEP % "parent { parent { parent { id } } }"

    assert {"group": {"parent": None}} == query_data(fakeplat, "ada", fine)
    assert [
        "Recursive query - too many of fields '[\"parent\"]' detected in single branch of the query"
    ] == list_messages(post_query(fakeplat, "ada", wrong))


@pytest.mark.parametrize(("by", "most"), [(None, 15), ("ada", 20), ("root", 20)])
def test_depth_is_limited(fakeplat: Fakeplat, by: str | None, most: int) -> None:
    """The depth of a query is limited to 15 levels for anonymous callers and 20 for others."""
    messages_ = list_messages(post_query(fakeplat, by, build_nested_query(most + 1)))

    assert f"Query has depth of {most + 1}, which exceeds max depth of {most}" in messages_
    assert not any("has depth" in text for text in list_messages(post_query(fakeplat, by, build_nested_query(most))))


@pytest.mark.parametrize(("by", "most"), [(None, 200), ("ada", 250), ("root", 300)])
def test_complexity_is_limited(fakeplat: Fakeplat, by: str | None, most: int) -> None:
    """The complexity of a query is limited to 200 for anonymous callers, 250 for users and 300 for administrators."""
    text = "{ %s }"
    fields = [f'a{number}: echo(text: "")' for number in range(most + 1)]

    assert most == len(query_data(fakeplat, by, text % " ".join(fields[:-1])))
    assert [f"Query has complexity of {most + 1}, which exceeds max complexity of {most}"] == list_messages(
        post_query(fakeplat, by, text % " ".join(fields))
    )


def test_pages_are_more_complex_the_larger_they_are(fakeplat: Fakeplat) -> None:
    """Each row of a page adds a hundredth of its complexity, so 100 rows double it; variables have their values.

    30 fields: nodes 31, labels 2 · 32 = 64, nodes 65, issues 2 · 66 = 132, nodes 133, projects 2 · 134 = 268.
    """
    query = """query($first: Int) { a: projects(first: $first) { nodes {
        issues(first: $first) { nodes { labels(first: $first) { nodes { %s } } } } } } }"""
    fields = " ".join(f"f{number}: title" for number in range(30))

    assert {"a"} == query_data(fakeplat, "ada", query % fields, first=1).keys()
    assert ["Query has complexity of 268, which exceeds max complexity of 250"] == list_messages(
        post_query(fakeplat, "ada", query % fields, first=100)
    )


def build_level(inner: str) -> str:
    return "parent{" * 40 + inner + "}" * 40


FRAGMENTS = " ".join(f"fragment F{n} on Group {{ {build_level(f'...F{n + 1}')} }}" for n in range(20))


def build_spiral(inner: str) -> str:
    """Fragments within fragments: eight hundred levels, of which no text has more than forty."""
    return f'{{ group(fullPath: "acme") {{ {inner} ...F0 }} }} {FRAGMENTS} fragment F20 on Group {{ id }}'


@pytest.mark.parametrize(
    "query",
    [
        "{" * 5_000,
        "{a" * 3_000 + "}" * 3_000,
        "{ echo(text: " + "[" * 4_000,
        "{ currentUser { " + "id " * 3_000 + "} }",
        "{ currentUser { ...A } } "
        + " ".join(f"fragment {chr(65 + n)} on User {{ ...{chr(66 + n)} ...{chr(66 + n)} }}" for n in range(25))
        + " fragment Z on User { id }",
        "query { " + " ".join(f"a{n}: currentUser {{ id }}" for n in range(350)) + " }",
        " ".join(f"fragment F{n} on User {{ ...F{n + 1} }}" for n in range(250)),
        "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }",
        build_spiral("id"),
        build_spiral("parent { ...F0 } parent { ...F0 }"),
    ],
    ids=["open", "deep", "lists", "repeated", "doubling", "many", "chain", "introspection", "spiral", "twins"],
)
def test_a_hostile_query_is_answered_at_once(fakeplat: Fakeplat, query: str) -> None:
    """A query that is too deep, too large or too repetitive causes no failure."""
    query_refused(fakeplat, "eve", query)

    assert [] == fakeplat.bench.platform.failures


# several queries at once


def test_several_queries_come_in_an_array(fakeplat: Fakeplat) -> None:
    """An array of queries gets their responses in order, and an invalid query does not affect the others."""
    text = 'mutation { updateIssue(input: {projectPath: "acme/site", iid: "1", title: "New"}) { errors } }'
    after = '{ project(fullPath: "acme/site") { issue(iid: "1") { title } } }'
    status, answered = post(
        fakeplat, "ada", json=[{"query": WHO}, {"query": "{"}, {"query": text}, {"query": after}, 7]
    )

    assert 200 == status
    assert [
        ADA,
        {"errors": [{"message": "Unexpected end of document", "locations": []}]},
        {"data": {"updateIssue": {"errors": []}}},
        {"data": {"project": {"issue": {"title": "New"}}}},
        {"errors": [{"message": "No query string was present"}]},
    ] == answered


def test_complexity_counts_over_all_queries_of_a_request(fakeplat: Fakeplat) -> None:
    """The complexity is added up over all queries of a request, and none is executed above the limit."""
    fields = " ".join(f'a{number}: echo(text: "")' for number in range(150))
    half = {"query": f"{{ {fields} }}"}
    text = "Query has complexity of 300, which exceeds max complexity of 250"

    assert [{"errors": [{"message": text}]}] * 2 == post(fakeplat, "ada", json=[half, half])[1]


# what a test author sees


def test_the_journal_tells_what_was_asked(fakeplat: Fakeplat) -> None:
    """The journal shows a document's name or its first fields, and the reason of a refusal."""
    post_query(fakeplat, "ada", "query Who { currentUser { id } }")
    post_query(fakeplat, "ada", '{ project(fullPath: "x") { id } echo(text: "x") }')
    post_query(fakeplat, "eve", 'mutation { createIssue(input: {projectPath: "acme/site", title: "x"}) { errors } }')
    post_query(fakeplat, "ada", 'mutation M { createIssue(input: {projectPath: "acme/site", title: " "}) { errors } }')
    entries = fakeplat.requests.find(operation="query_graphql")

    assert ["Who", "project echo", "createIssue", "M"] == [entry.detail for entry in entries]
    assert [None, None] == [entry.reason for entry in entries[:2]]
    reason = entries[2].reason or ""
    assert reason.startswith(NOT_AVAILABLE)
    assert "hidden from eve" in reason
    assert "Title can't be blank" == entries[3].reason
    assert ("eve", "personal") == (entries[2].user, entries[2].credential)


def test_a_fault_strikes_a_mutation_before_it_is_committed(fakeplat: Fakeplat) -> None:
    """An injected fault replaces the response of a mutation and prevents its changes."""
    fakeplat.faults.add(operation="query_graphql", status=502)
    before = fakeplat.bench.platform.state
    text = 'mutation { updateIssue(input: {projectPath: "acme/site", iid: "1", title: "New"}) { errors } }'
    reply = fakeplat.as_user("ada").post(PATH, json={"query": text})

    assert 502 == reply.status
    assert before is fakeplat.bench.platform.state


def test_mutations_send_the_signals_of_the_operations(fakeplat: Fakeplat, sent_signals: SentSignals) -> None:
    """A mutation sends the signal of a change by REST, and none if it is refused."""
    post_query(fakeplat, "ada", 'mutation { createIssue(input: {projectPath: "acme/site", title: "x"}) { errors } }')
    post_query(fakeplat, "ada", 'mutation { createIssue(input: {projectPath: "acme/site", title: " "}) { errors } }')

    assert 1 == len(sent_signals.list_records("issue_created"))


@pytest.mark.fakeplat(scenario=WORLD, throttle={"requests": 2, "period": "60s"})
def test_queries_are_throttled_as_everything(fakeplat: Fakeplat) -> None:
    """Requests to GraphQL and REST count towards one throttle."""
    fakeplat.as_user("ada").get("version")
    statuses = [fakeplat.as_user("ada").post(PATH, json={"query": WHO}).status for _ in range(2)]

    assert [200, 429] == statuses
