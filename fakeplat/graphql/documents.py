"""Parsing and validation of query texts. Documents and errors are cached by text and release."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLError,
    GraphQLSyntaxError,
    OperationDefinitionNode,
    Visitor,
    parse,
    validate,
    visit,
)
from graphql.validation.validate import ValidationAbortedError

from fakeplat.core.release import EVERYTHING, Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.graphql.schema import schema
from fakeplat.graphql.validation.rules import RULES

NO_QUERY: Final = "No query string was present"
MAX_FIELDS: Final = 1_000
MAX_DEFINITIONS: Final = 100
# Three times the depth that a user is allowed, and still far from Python's limit of recursion.
MAX_NESTING: Final = 60
_CACHE_SIZE: Final = 500
_MAX_ERRORS: Final = 5
# Strings and comments, in which brackets do not nest.
_STRINGS: Final = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*', re.DOTALL)
# The next token of a text: an ellipsis, a string, a number, a word, or any other single character.
_TOKEN: Final = re.compile(r'\.\.\.|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?|\w+|\S')
# The names of tokens in the error messages of the platform's parser.
_PUNCTUATION: Final = {
    "{": "LCURLY",
    "}": "RCURLY",
    "(": "LPAREN",
    ")": "RPAREN",
    "[": "LBRACKET",
    "]": "RBRACKET",
    ":": "COLON",
    "$": "VAR_SIGN",
    "!": "BANG",
    "=": "EQUALS",
    "|": "PIPE",
    "&": "AMP",
    "@": "DIR_SIGN",
    "...": "ELLIPSIS",
}
_KEYWORDS: Final = frozenset("query mutation subscription fragment on true false null".split())


@frozen(eq=False)
class Document:
    """A valid document, or the errors of an invalid one.

    ``depth`` is the nesting depth of a text that is too deep to be parsed, ``fields`` the number of fields of a
    document that has too many to be validated; both are 0 otherwise.
    """

    nodes: DocumentNode | None = None
    errors: tuple[dict[str, Any], ...] = ()
    depth: int = 0
    fields: int = 0

    @property
    def operations(self) -> list[OperationDefinitionNode]:
        """The operations in the document."""
        definitions = self.nodes.definitions if self.nodes else ()
        return [node for node in definitions if isinstance(node, OperationDefinitionNode)]


@lru_cache(_CACHE_SIZE)
def parse_document(text: str, profile: Profile = EVERYTHING) -> Document:
    """Parse a query text, and validate it for a release."""
    depth = _nesting_depth(text)
    if depth > MAX_NESTING:
        return Document(depth=depth)
    try:
        nodes = parse(text)
    except GraphQLSyntaxError as error:
        return Document(errors=(_syntax_error(error),))
    # Validation can take quadratic time. A document that is too large is reported with a number of fields beyond any
    # limit of complexity, so the answer is the platform's usual error.
    fields = _count_fields(nodes)
    if fields > MAX_FIELDS or len(nodes.definitions) > MAX_DEFINITIONS:
        # A document can have many definitions but few fields; it must exceed the limit of complexity all the same.
        return Document(fields=max(fields, MAX_FIELDS))
    errors = validate(schema(profile), nodes, RULES, max_errors=_MAX_ERRORS)
    # The library tells that it stopped at the limit; the platform's just stops.
    reported = (error for error in errors if not isinstance(error, ValidationAbortedError))
    return Document(nodes, tuple(map(_format_error, reported)))


def _format_error(error: GraphQLError) -> dict[str, Any]:
    formatted: dict[str, Any] = {**error.formatted}
    # The path of an error of the whole document is empty, which the library leaves out.
    extensions = formatted.pop("extensions", {})
    return {**formatted, "path": error.path or [], "extensions": extensions}


def _nesting_depth(text: str) -> int:
    """Return the nesting depth of brackets without parsing, because the parser recurses once per level."""
    max_depth = depth = 0
    for character in _STRINGS.sub("", text):
        if character in "{[(":
            depth += 1
            max_depth = max(max_depth, depth)
        elif character in "}])":
            # The depth may become negative in a text with unbalanced brackets, which the parser then reports.
            depth -= 1
    return max_depth


def _count_fields(nodes: DocumentNode) -> int:
    counter = _FieldCounter()
    visit(nodes, counter)
    return counter.fields


class _FieldCounter(Visitor):
    fields = 0

    def enter_field(self, *_: object) -> None:
        self.fields += 1


def _syntax_error(error: GraphQLSyntaxError) -> dict[str, Any]:
    """Return a syntax error in the wording of the platform's parser."""
    source, (offset, *_) = error.source, error.positions or [0]
    token = _TOKEN.search(source.body, offset) if source else None
    # Nothing but white space follows, so there is no token to name and no location.
    if token is None:
        return {"message": "Unexpected end of document", "locations": []}
    line, column = error.locations[0] if error.locations else (1, 1)
    text = token[0]
    message = f'Parse error on "{text}" ({_token_kind(text)}) at [{line}, {column}]'
    return {"message": message, "locations": [{"line": line, "column": column}]}


def _token_kind(text: str) -> str:
    if text in _PUNCTUATION:
        return _PUNCTUATION[text]
    if text in _KEYWORDS:
        return text.upper()
    if re.fullmatch(r"-?\d+", text):
        return "INT"
    if re.fullmatch(r"-?\d+\.\d+", text):
        return "FLOAT"
    if text.startswith('"') and len(text) > 1:
        return "STRING"
    return "IDENTIFIER" if re.fullmatch(r"[_A-Za-z]\w*", text) else "UNKNOWN_CHAR"


def operation_titles(nodes: OperationDefinitionNode) -> Iterator[str]:
    """Yield the operation's name, or else its top-level fields."""
    if nodes.name is not None:
        yield nodes.name.value
        return
    yield from list_root_fields(nodes)


def list_root_fields(nodes: OperationDefinitionNode) -> Iterator[str]:
    """Yield the names of the operation's top-level fields."""
    for node in nodes.selection_set.selections:
        if isinstance(node, FieldNode):
            yield node.name.value
