"""Whatever is sent as a query: an answer, never a bug of ours, and no changed world unless a mutation was done."""

from typing import Any

import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakeplat.core.operations.http_messages import Request
from fakeplat.core.release import EVERYTHING
from fakeplat.graphql.schema import schema
from fakeplat.graphql.schema_builder import ENUMERATIONS, INPUTS, MUTATIONS, TYPES
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.options import Options
from tests.examples import examples
from tests.graphql.reviewed_world import DISCUSSION, REVIEWED

patient = settings(deadline=None, max_examples=examples(50), suppress_health_check=[HealthCheck.too_slow])
schema()
FIELDS = sorted({name for type_ in TYPES.values() for name in type_.fields(EVERYTHING)})
WORDS = [*FIELDS, *TYPES, *MUTATIONS, *ENUMERATIONS, "query", "mutation", "fragment", "on", "id", "nodes", "edges"]
SIGNS = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ":",
    "$",
    "!",
    "=",
    "...",
    "@",
    '"',
    '"x"',
    '"acme/site"',
    "1",
    "-1",
    "#",
    "\n",
    ",",
]
# A text with a NUL byte is a request that the platform refuses before it reads the query.
characters = st.characters(exclude_characters="\0")
tokens = st.lists(st.sampled_from([*WORDS, *SIGNS]) | st.text(characters, max_size=3), max_size=30).map(" ".join)
plain = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=8)
values = st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner))
people = st.sampled_from([None, "root", "ada", "gus", "eve"])


def create_bench() -> Workbench:
    return Options(scenario=REVIEWED).bench()


def post_query(on: Workbench, by: str | None, sent: bytes, kind: str = "application/json") -> int:
    headers = {"content-type": kind, **({"private-token": f"{by}-token"} if by else {})}
    return on.platform.handle(Request("POST", "/api/graphql", "", headers, sent)).status


@patient
@given(people, st.text(characters, max_size=50) | tokens)
def test_any_text_is_answered(by: str | None, text: str) -> None:
    """Any text as a query gets 200 and changes nothing, and no operation fails."""
    on = create_bench()
    before = on.platform.state
    status = post_query(on, by, orjson.dumps({"query": text.encode("utf-8", "replace").decode()}))

    assert 200 == status
    assert [] == on.platform.failures
    assert before is on.platform.state


@patient
@given(people, st.binary(max_size=40), st.sampled_from(["application/json", "text/plain", "", "multipart/form-data"]))
def test_any_body_is_answered(by: str | None, sent: bytes, kind: str) -> None:
    """Any request body of any content type gets 200 or 400, and no operation fails."""
    on = create_bench()

    assert post_query(on, by, sent, kind) in (200, 400)
    assert [] == on.platform.failures


@patient
@given(people, values)
def test_any_json_is_answered(by: str | None, sent: Any) -> None:
    """JSON of any shape gets 200 or 422, or 400 if it contains a NUL byte, and no operation fails."""
    on = create_bench()
    whole = {"query": "query A($a: ID!) { project(fullPath: $a) { id } }", "variables": sent, "operationName": sent}
    for body in (sent, [sent], {"query": sent}, whole):
        assert post_query(on, by, orjson.dumps(body)) in ((400,) if b"\\u0000" in orjson.dumps(body) else (200, 422))

    assert [] == on.platform.failures


APT = {
    "fullPath": ["acme/site", "acme", "ada"],
    "projectPath": ["acme/site"],
    "iid": ["1", "2", "3", "99"],
    "username": ["ada"],
    "title": ["Title", "x", " "],
    "name": ["tada", "x"],
    "body": ["Hm", " ", "/close", "Done\\n/close"],
    "sourceBranch": ["topic", "master", "other"],
    "targetBranch": ["master", "topic"],
}
ISSUE, MERGE_REQUEST, NOTE = "gid://gitlab/Issue/10001", "gid://gitlab/MergeRequest/30001", "gid://gitlab/Note/4000004"
APT_KINDS = {
    "Time": ["2020-12-01", "2020-12-01T10:00:00Z"],
    "ISO8601Date": ["2020-12-01"],
    "Int": ["0", "1", "7"],
    "IssueID": [ISSUE],
    "MergeRequestID": [MERGE_REQUEST],
    "NoteableID": [ISSUE, MERGE_REQUEST],
    "TodoableID": [ISSUE, MERGE_REQUEST],
    "AwardableID": [ISSUE, MERGE_REQUEST, NOTE],
    "NoteID": [NOTE],
    "DiscussionID": [f"gid://gitlab/Discussion/{DISCUSSION}"],
}
STRANGE = ["acme/site", "1", "ada", "bug", "2020-12-01", "gid://gitlab/Issue/10001", "gid://x", "", " ", "9" * 50]


def build_argument_values(name: str, kind: str) -> st.SearchStrategy[str]:
    """Values for an argument, as they stand in a query; mostly of its kind."""
    bare = kind.strip("[]!")
    if bare in INPUTS:
        return draw_input_fields(bare)
    if bare in ENUMERATIONS:
        values = st.sampled_from([*ENUMERATIONS[bare].values])
    elif bare in ("Int", "Boolean"):
        values = st.sampled_from(["0", "1", "7", "-5"] if bare == "Int" else ["true", "false"])
    else:
        apt = st.sampled_from(APT_KINDS.get(bare) or APT.get(name) or STRANGE)
        values = (apt | apt | apt | st.sampled_from(STRANGE)).map(lambda text: f'"{text}"')
    many = st.lists(values, max_size=2).map(lambda items: f"[{', '.join(items)}]") if "[" in kind else values
    return many if kind.endswith("!") else many | many | st.just("null")


def test_the_ids_name_something() -> None:
    """The ids used in random mutations name existing records."""
    world = create_bench().platform.view

    assert [10_001] == [issue.id for issue in world.issues.all() if issue.id == 10_001]
    assert [30_001] == [merge_request.id for merge_request in world.merge_requests.all()]
    assert 4_000_004 in {note.id for note in world.notes.where("subject", ("merge_request", 30_001))}
    assert world.notes.where("discussion", DISCUSSION)


def list_fields(type_name: str) -> dict[str, Any]:
    fields: Any = schema().type_map[type_name]
    return dict(fields.fields)


@st.composite
def draw_input_fields(draw: st.DrawFn, type_name: str) -> str:
    """What an input is given, as it stands in a query."""
    fields = list_fields(type_name)
    chosen = [key for key, field in fields.items() if str(field.type).endswith("!") or draw(st.integers(0, 3)) == 0]
    return f"{{{', '.join(f'{key}: {draw(build_argument_values(key, str(fields[key].type)))}' for key in chosen)}}}"


@st.composite
def draw_query(draw: st.DrawFn, type_name: str = "Query", depth: int = 4) -> str:
    """Queries that the schema mostly takes."""
    fields = list_fields(type_name)
    names = draw(st.lists(st.sampled_from(sorted(fields)), min_size=1, max_size=3, unique=True))
    parts = []
    for name in names:
        field = fields[name]
        chosen = [
            key
            for key, argument in field.args.items()
            if str(argument.type).endswith("!") or draw(st.integers(0, 3)) == 0
        ]
        given_ = ", ".join(f"{key}: {draw(build_argument_values(key, str(field.args[key].type)))}" for key in chosen)
        kind = str(field.type).strip("[]!")
        inner = ""
        if hasattr(schema().type_map[kind], "fields"):
            if depth == 0:
                continue
            inner = f" {{ __typename {draw(draw_query(kind, depth - 1))} }}"
        parts.append(f"{name}{f'({given_})' if given_ else ''}{inner}")
    return " ".join(parts) or "__typename"


@patient
@given(people, draw_query())
def test_any_valid_query_is_answered(by: str | None, query: str) -> None:
    """Any valid query gets 200 and changes nothing, whoever sends it."""
    on = create_bench()
    before = on.platform.state

    assert 200 == post_query(on, by, orjson.dumps({"query": f"{{ {query} }}"}))
    assert [] == on.platform.failures
    assert before is on.platform.state


@st.composite
def draw_mutation(draw: st.DrawFn) -> tuple[str, str]:
    """A mutation with any input: its name and its text."""
    name = draw(st.sampled_from(sorted(MUTATIONS)))
    given_ = draw(draw_input_fields(f"{MUTATIONS[name].type_name}Input"))
    return name, f"mutation {{ {name}(input: {given_}) {{ errors }} }}"


@patient
@given(people, draw_mutation())
def test_a_mutation_is_done_or_changes_nothing(by: str | None, asked: tuple[str, str]) -> None:
    """Any mutation gets 200 and either succeeds or changes nothing; quick actions done are listed as errors."""
    on = create_bench()
    before = on.platform.state
    headers = {"content-type": "application/json", **({"private-token": f"{by}-token"} if by else {})}
    reply = on.platform.handle(Request("POST", "/api/graphql", "", headers, orjson.dumps({"query": asked[1]})))
    answered = orjson.loads(reply.body)
    payload: Any = (answered.get("data") or {}).get(asked[0])

    assert (200, []) == (reply.status, on.platform.failures)
    assert before is on.platform.state or all(text.startswith("Commands only ") for text in payload["errors"])
