"""What is wrong with a query or its variables, in the words of the platform's library."""

from typing import Any

import pytest

from fakeplat.graphql.validation.spelling import suggest
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import GRAPHQL_SUGGESTS_NAMES
from tests.by_release import by_release
from tests.graphql.queries import WORLD, list_messages, query_refused

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=WORLD)]
SITE = 'project(fullPath: "acme/site")'


@pytest.mark.parametrize(
    ("query", "message", "path", "code"),
    [
        (
            "{ project { id } }",
            "Field 'project' is missing required arguments: fullPath",
            ["query", "project"],
            "missingRequiredArguments",
        ),
        (
            f"query A {{ mine: {SITE} }}",
            (
                "Field must have selections (field 'project' returns Project but has no selections. "
                "Did you mean 'project { ... }'?)"
            ),
            ["query A", "mine"],
            "selectionMismatch",
        ),
        (
            f"{{ {SITE} {{ name {{ x ...F ... on Project {{ id }} }} }} }} fragment F on Project {{ id }}",
            (
                "Selections can't be made on scalars "
                '(field \'name\' returns String but has selections ["x", "F", "... on Project { ... }"])'
            ),
            ["query", "project", "name"],
            "selectionMismatch",
        ),
        (
            f"{{ {SITE} {{ issues(first: true) {{ count }} }} }}",
            "Argument 'first' on Field 'issues' has an invalid value (true). Expected type 'Int'.",
            ["query", "project", "issues", "first"],
            "argumentLiteralsIncompatible",
        ),
        (
            "{ project(fullPath: null) { id } }",
            "Argument 'fullPath' on Field 'project' has an invalid value (null). Expected type 'ID!'.",
            ["query", "project", "fullPath"],
            "argumentLiteralsIncompatible",
        ),
        (
            'mutation { createNote(input: {body: "x"}) { errors } }',
            "Argument 'noteableId' on InputObject 'CreateNoteInput' is required. Expected type NoteableID!",
            ["mutation", "createNote", "input", "noteableId"],
            "missingRequiredInputObjectAttribute",
        ),
        (
            (
                'mutation { createSnippet(input: {title: "x", visibilityLevel: private, blobActions: '
                "[{action: create, filePath: 1}]}) { errors } }"
            ),
            (
                "Argument 'filePath' on InputObject 'SnippetBlobActionInputType' has an invalid value (1). "
                "Expected type 'String!'."
            ),
            ["mutation", "createSnippet", "input", "blobActions", 0, "filePath"],
            "argumentLiteralsIncompatible",
        ),
        (
            'mutation { createNote(input: "x") { errors } }',
            "Argument 'input' on Field 'createNote' has an invalid value (\"x\"). Expected type 'CreateNoteInput!'.",
            ["mutation", "createNote", "input"],
            "argumentLiteralsIncompatible",
        ),
        (
            f'{{ {SITE} {{ issues(createdAfter: "soon") {{ count }} }} }}',
            'no time information in "soon"',
            ["query", "project", "issues", "createdAfter"],
            "argumentLiteralsIncompatible",
        ),
        (
            '{ echo(text: "a", text: "b") }',
            'There can be only one argument named "text"',
            ["query", "echo"],
            "argumentNotUnique",
        ),
        ('{ echo(text: "a") @gone }', "Directive @gone is not defined", ["query", "echo"], "undefinedDirective"),
        (
            '{ echo(text: "a") @skip }',
            "Directive 'skip' is missing required arguments: if",
            ["query", "echo"],
            "missingRequiredArguments",
        ),
        (
            'query A($a: Int) { echo(text: "a") }',
            "Variable $a is declared by A but not used",
            ["query A"],
            "variableNotUsed",
        ),
        (
            "{ echo(text: $a) }",
            "Variable $a is used by anonymous query but not declared",
            ["query", "echo", "text"],
            "variableNotDefined",
        ),
        (
            "query($a: Int!) { echo(text: $a) }",
            "Type mismatch on variable $a and argument text (Int! / String!)",
            ["query", "echo", "text"],
            "variableMismatch",
        ),
        (
            "query($a: String) { echo(text: $a) }",
            "Nullability mismatch on variable $a and argument text (String / String!)",
            ["query", "echo", "text"],
            "variableMismatch",
        ),
        (
            f"query($a: String) {{ {SITE} {{ issues(labelName: $a) {{ count }} }} }}",
            "List dimension mismatch on variable $a and argument labelName (String / [String])",
            ["query", "project", "issues", "labelName"],
            "variableMismatch",
        ),
        (
            "query($a: Nothing) { echo(text: $a) }",
            "Nothing isn't a defined input type (on $a)",
            ["query"],
            "variableRequiresValidType",
        ),
        (
            'query($a: Int = "x", $a: Int) { echo(text: "a") }',
            'There can only be one variable named "a"',
            ["query"],
            "variableNotUnique",
        ),
        ("{ ...F }", "Fragment F was used, but not defined", ["query", "... F"], "useAndDefineFragment"),
        (
            '{ echo(text: "a") } fragment F on Query { echo(text: "a") }',
            "Fragment F was defined, but not used",
            ["fragment F"],
            "useAndDefineFragment",
        ),
        (
            "{ ... on Nothing { id } }",
            "No such type Nothing, so it can't be a fragment condition",
            ["query", "... on Nothing"],
            "undefinedType",
        ),
        (
            "{ ... on String { id } }",
            "Invalid fragment on type String (must be Union, Interface or Object)",
            ["query", "... on String"],
            "fragmentOnNonCompositeType",
        ),
        (
            "{ ... on Project { id } }",
            "Fragment on Project can't be spread inside Query",
            ["query", "... on Project"],
            "cannotSpreadFragment",
        ),
        (
            "{ ...F } fragment F on Query { ...F }",
            "Fragment F contains an infinite loop",
            ["fragment F"],
            "infiniteLoop",
        ),
        (
            '{ ...F } fragment F on Query { echo(text: "a") } fragment F on Query { echo(text: "a") }',
            'Fragment name "F" must be unique',
            [],
            "fragmentNotUnique",
        ),
        (
            'query A { echo(text: "a") } query A { echo(text: "b") }',
            'Operation name "A" must be unique',
            [],
            "uniquelyNamedOperations",
        ),
        (
            'query A { echo(text: "a") } { echo(text: "b") }',
            "Operation name is required when multiple operations are present",
            [],
            "uniquelyNamedOperations",
        ),
        ("type A { a: Int }", "Query cannot contain schema definitions", [], "queryContainsSchemaDefinitions"),
    ],
    ids=str,
)
def test_an_invalid_query_says_what_is_wrong(
    fakeplat: Fakeplat, query: str, message: str, path: list[str | int], code: str
) -> None:
    """Each error has the message, the path from the operation on, and the code of the platform's library."""
    answered = query_refused(fakeplat, "ada", query)
    first = answered["errors"][0]

    assert ["errors"] == [*answered]
    assert (message, path, code) == (first["message"], first["path"], first["extensions"]["code"])
    assert ["message", "locations", "path", "extensions"] == [*first]


def test_nothing_is_reported_within_what_is_unknown(fakeplat: Fakeplat) -> None:
    """What is in an unknown field is not looked at, so that its variables count as not used."""
    query = "query A($a: Int) { nothing(of: $a) { more } }"

    assert [
        "Field 'nothing' doesn't exist on type 'Query'",
        "Variable $a is declared by A but not used",
    ] == list_messages(query_refused(fakeplat, "ada", query))


def test_at_most_five_errors_are_reported(fakeplat: Fakeplat) -> None:
    """A query with more errors gets the first five."""
    query = f"{{ {' '.join(f'x{n}' for n in range(9))} }}"

    assert [f"Field 'x{n}' doesn't exist on type 'Query'" for n in range(5)] == list_messages(
        query_refused(fakeplat, "ada", query)
    )


NOTE = "mutation($input: CreateNoteInput!) { createNote(input: $input) { errors } }"
NULL = "Expected value to not be null"


@pytest.mark.parametrize(
    ("given", "end", "problems"),
    [
        (
            {},
            f" for noteableId ({NULL}), body ({NULL})",
            [{"path": ["noteableId"], "explanation": NULL}, {"path": ["body"], "explanation": NULL}],
        ),
        (
            {"noteableId": "gid://gitlab/Issue/1", "body": "x", "gone": 1},
            " for gone (Field is not defined on CreateNoteInput)",
            [{"path": ["gone"], "explanation": "Field is not defined on CreateNoteInput"}],
        ),
        (
            {"noteableId": "gid://gitlab/Issue/1", "body": ["x"]},
            ' for body (Could not coerce value ["x"] to String)',
            [{"path": ["body"], "explanation": 'Could not coerce value ["x"] to String'}],
        ),
        ([7], "", [{"path": [], "explanation": "Expected [7] to be a key-value object."}]),
        (None, "", [{"path": [], "explanation": NULL}]),
    ],
    ids=["missing", "unknown", "type", "list", "null"],
)
def test_an_invalid_variable_says_where(
    fakeplat: Fakeplat, given: object, end: str, problems: list[dict[str, Any]]
) -> None:
    """The value of a variable is checked as a whole: the message and the extensions tell each wrong part of it."""
    answered = query_refused(fakeplat, "ada", NOTE, input=given)

    assert {
        "errors": [
            {
                "message": f"Variable $input of type CreateNoteInput! was provided invalid value{end}",
                "locations": [{"line": 1, "column": 10}],
                "extensions": {"value": given, "problems": problems},
            }
        ]
    } == answered


@pytest.mark.parametrize(
    ("kind", "given", "explanation"),
    [
        ("Int", 2**31, "Could not coerce value 2147483648 to Int"),
        ("Int", True, "Could not coerce value true to Int"),
        ("IssuableState", "gone", 'Expected "gone" to be one of: opened, closed, all'),
        ("Time", "soon", 'no time information in "soon"'),
    ],
)
def test_an_invalid_scalar_is_explained(fakeplat: Fakeplat, kind: str, given: object, explanation: str) -> None:
    """A value that its type does not take is explained in the extensions."""
    argument = {"Int": "first", "IssuableState": "state", "Time": "createdAfter"}[kind]
    query = f"query($a: {kind}) {{ {SITE} {{ issues({argument}: $a) {{ count }} }} }}"
    (error,) = query_refused(fakeplat, "ada", query, a=given)["errors"]

    assert f"Variable $a of type {kind} was provided invalid value" == error["message"]
    assert [explanation] == [problem["explanation"] for problem in error["extensions"]["problems"]]


def test_an_item_of_a_list_is_named_by_its_index(fakeplat: Fakeplat) -> None:
    """The path of a wrong item of a list has its index."""
    query = f"query($a: [String!]) {{ {SITE} {{ mergeRequests(labels: $a) {{ count }} }} }}"

    assert ["Variable $a of type [String!] was provided invalid value for 1 (Expected value to not be null)"] == (
        list_messages(query_refused(fakeplat, "ada", query, a=["x", None]))
    )


@by_release(GRAPHQL_SUGGESTS_NAMES, "suggestion", {"18.4": "", "18.5": " (Did you mean `squashReadOnly`?)"})
def test_a_later_release_suggests_names(fakeplat: Fakeplat, suggestion: str) -> None:
    """Later releases suggest the names that a misspelt one may stand for."""
    assert [f"Field 'squashOption' doesn't exist on type 'Project'{suggestion}"] == list_messages(
        query_refused(fakeplat, "ada", f"{{ {SITE} {{ squashOption }} }}")
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("titel", " (Did you mean `title`?)"),
        ("issue", " (Did you mean `issues`?)"),
        ("iids", " (Did you mean `iid`?)"),
        ("wib", " (Did you mean `web`?)"),
        ("weblinks", " (Did you mean `webLinks` or `webLink`?)"),
        ("quite different", ""),
    ],
)
def test_similar_names_are_suggested(name: str, expected: str) -> None:
    """Names with few typing errors are suggested, the most similar first."""
    assert expected == suggest(name, ["id", "iid", "title", "issues", "web", "webLink", "webLinks"])


@pytest.mark.parametrize("digits", [19, 5_000])
def test_numbers_of_any_length_are_no_int(fakeplat: Fakeplat, digits: int) -> None:
    """A number that Python would not parse is refused like any other that is too large."""
    number = "9" * digits
    expected = f"Argument 'first' on Field 'projects' has an invalid value ({number}). Expected type 'Int'."
    assert [expected] == list_messages(
        query_refused(fakeplat, None, f"{{ projects(first: {number}) {{ pageInfo {{ hasNextPage }} }} }}")
    )
