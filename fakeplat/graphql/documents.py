"""From a text to a document that the schema takes, or what is wrong with it. Both are kept per text."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from graphql import (
    DocumentNode,
    FieldNode,
    FieldsOnCorrectTypeRule,
    GraphQLError,
    GraphQLSyntaxError,
    OperationDefinitionNode,
    Visitor,
    parse,
    specified_rules,
    validate,
    visit,
)
from graphql.type import GraphQLObjectType

from fakeplat.core.operations.reasons import did_you_mean
from fakeplat.core.store.frozen import frozen
from fakeplat.graphql.schema import schema

NO_QUERY: Final = "No query string was present"
MOST_NODES: Final = 1_000
MOST_DEFINITIONS: Final = 100
DEEPEST_TEXT: Final = 60
_KEPT: Final = 500
_MOST_ERRORS: Final = 5
_STRINGS: Final = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*', re.DOTALL)
_TOKEN: Final = re.compile(r'\.\.\.|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?|\w+|\S')
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


@frozen
class Document:
    """A document, or why it is none.

    ``depth`` is that of the text's brackets where it is too deep to be read, ``fields`` the number of its fields where
    these are too many to be looked at.
    """

    nodes: DocumentNode | None = None
    errors: tuple[dict[str, Any], ...] = ()
    depth: int = 0
    fields: int = 0

    @property
    def operations(self) -> list[OperationDefinitionNode]:
        """The operations that it has."""
        found = self.nodes.definitions if self.nodes else ()
        return [node for node in found if isinstance(node, OperationDefinitionNode)]


@lru_cache(_KEPT)
def parse_document(text: str) -> Document:
    """The document that a text is."""
    depth = _depth(text)
    if depth > DEEPEST_TEXT:
        return Document(depth=depth)
    try:
        nodes = parse(text)
    except GraphQLSyntaxError as wrong:
        return Document(errors=(_misread(wrong),))
    fields = _count(nodes)
    if fields > MOST_NODES or len(nodes.definitions) > MOST_DEFINITIONS:
        return Document(fields=max(fields, MOST_NODES))
    errors = validate(schema(), nodes, _RULES, max_errors=_MOST_ERRORS)
    return Document(nodes, tuple(dict(error.formatted) for error in errors))


def _depth(text: str) -> int:
    """How deep brackets are nested; told without reading the text, which takes a frame of Python's stack per level."""
    deepest = depth = 0
    for sign in _STRINGS.sub("", text):
        if sign in "{[(":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "}])":
            depth -= 1
    return deepest


def _count(nodes: DocumentNode) -> int:
    counter = _Counter()
    visit(nodes, counter)
    return counter.fields


class _Counter(Visitor):
    fields = 0

    def enter_field(self, *_: object) -> None:
        self.fields += 1


def _misread(wrong: GraphQLSyntaxError) -> dict[str, Any]:
    """A syntax error in the words of the platform's parser."""
    source, (at, *_) = wrong.source, wrong.positions or [0]
    found = _TOKEN.search(source.body, at) if source else None
    if found is None:
        return {"message": "Unexpected end of document", "locations": []}
    line, column = wrong.locations[0] if wrong.locations else (1, 1)
    text = found[0]
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


class _KnownFields(FieldsOnCorrectTypeRule):
    """A field that a type does not have, in the platform's words, with the fields that it does have."""

    def enter_field(self, node: FieldNode, *_args: Any) -> None:
        parent, name = self.context.get_parent_type(), node.name.value
        if parent is None or self.context.get_field_def() is not None:
            return
        known = list(parent.fields) if isinstance(parent, GraphQLObjectType) else []
        message = f"Field '{name}' doesn't exist on type '{parent.name}'{did_you_mean(name, known)}"
        told = {"code": "undefinedField", "typeName": parent.name, "fieldName": name, "supported": sorted(known)}
        self.report_error(GraphQLError(message, node, extensions=told))


_RULES: Final = [_KnownFields if rule is FieldsOnCorrectTypeRule else rule for rule in specified_rules]


def titles(nodes: OperationDefinitionNode) -> Iterator[str]:
    """What an operation is called, or else its first fields."""
    if nodes.name is not None:
        yield nodes.name.value
        return
    for node in nodes.selection_set.selections:
        if isinstance(node, FieldNode):
            yield node.name.value
