"""Expressions on variables, in ``rules:if`` and ``only:variables``.

``$NAME``, texts in quotes, ``null`` and ``/patterns/`` are compared with ``==``, ``!=``, ``=~`` and ``!~``, and
combined with ``&&``, ``||`` and parentheses. As in Ruby, ``&&`` and ``||`` return one of their operands, and only
``null`` and false count as false there.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from attrs import define

from fakeplat.ci_config.regexps import RegexpError, compile_literal, is_literal
from fakeplat.core.store.frozen import frozen

Value = str | bool | re.Pattern[str] | None
Variables = Mapping[str, str]
Evaluation = Callable[[Variables], Value]

MOST_TOKENS: Final = 100
_DEEPEST: Final = 50
# A pattern has at least two characters, as on the platform.
_TOKEN: Final = re.compile(
    r"""
    (?P<parenthesis>[()])
    | \$(?P<variable>\w+)
    | "(?P<double>.*?)" | '(?P<single>.*?)'
    | (?P<pattern>/(?:[^/]|\\/)+[^\\]/[ismU]*)
    | (?P<null>null)
    | (?P<operator>==|=~|!=|!~|&&|\|\|)
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_COMPARISONS: Final = frozenset({"==", "!=", "=~", "!~"})


class ExpressionError(ValueError):
    """An expression is invalid."""


@frozen
class _Token:
    kind: str
    text: str


def is_valid(expression: object) -> bool:
    """Return whether a value is a valid expression."""
    if not isinstance(expression, str):
        return False
    try:
        parse(expression)
    except ExpressionError:
        return False
    return True


def is_true(expression: str, variables: Variables) -> bool:
    """Return whether an expression holds; an empty result does not, and neither does an invalid expression."""
    try:
        return bool(evaluate(expression, variables))
    except ExpressionError:
        return False


def evaluate(expression: str, variables: Variables) -> Value:
    """Return the result of an expression; ExpressionError if it is invalid."""
    return parse(expression)(variables)


@lru_cache(512)
def parse(expression: str) -> Evaluation:
    """Return the function that evaluates an expression; ExpressionError if it is invalid."""
    parser = _Parser(_tokenize(expression))
    evaluation = parser.parse_alternatives()
    if parser.current is not None:
        raise ExpressionError(f"unexpected {parser.current.text}")
    return evaluation


def _tokenize(expression: str) -> Sequence[_Token]:
    tokens: list[_Token] = []
    position, end = 0, len(expression.rstrip())
    while position < end:
        if expression[position].isspace():
            position += 1
            continue
        match = _TOKEN.match(expression, position)
        if match is None or match.lastgroup is None or len(tokens) == MOST_TOKENS:
            raise ExpressionError("Unknown lexeme found!" if match is None else "Too many tokens!")
        tokens.append(_Token(match.lastgroup, match[match.lastgroup]))
        position = match.end()
    return tokens


@define
class _Parser:
    """A recursive descent parser: ``||`` binds weakest, then ``&&``, then the comparisons."""

    _tokens: Sequence[_Token]
    _position: int = 0
    _depth: int = 0

    @property
    def current(self) -> _Token | None:
        """The next token, None at the end."""
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def parse_alternatives(self) -> Evaluation:
        """Parse operands joined by ``||``."""
        left = self._parse_conjunction()
        while self._accept("||"):
            left = _either(left, self._parse_conjunction())
        return left

    def _parse_conjunction(self) -> Evaluation:
        left = self._parse_comparison()
        while self._accept("&&"):
            left = _both(left, self._parse_comparison())
        return left

    def _parse_comparison(self) -> Evaluation:
        left = self._parse_operand()
        while (token := self.current) is not None and token.text in _COMPARISONS and token.kind == "operator":
            self._position += 1
            left = _compare(token.text, left, self._parse_operand())
        return left

    def _parse_operand(self) -> Evaluation:
        token = self.current
        if token is None:
            raise ExpressionError("an operand is missing")
        self._position += 1
        if token.kind == "parenthesis":
            return self._parse_group(token)
        return _operand(token)

    def _parse_group(self, token: _Token) -> Evaluation:
        self._depth += 1
        if token.text != "(" or self._depth > _DEEPEST:
            raise ExpressionError(f"unexpected {token.text}")
        inner = self.parse_alternatives()
        if not self._accept(")"):
            raise ExpressionError("a closing parenthesis is missing")
        self._depth -= 1
        return inner

    def _accept(self, text: str) -> bool:
        token = self.current
        accepted = token is not None and token.kind in ("operator", "parenthesis") and token.text == text
        self._position += accepted
        return accepted


def _operand(token: _Token) -> Evaluation:
    match token.kind:
        case "variable":
            return lambda variables: variables.get(token.text)
        case "double" | "single":
            return lambda variables: token.text
        case "null":
            return lambda variables: None
        case "pattern":
            pattern = _compile(token.text)
            return lambda variables: pattern
    raise ExpressionError(f"unexpected {token.text}")


def _compile(text: str) -> re.Pattern[str]:
    try:
        return compile_literal(text.replace("\\/", "/"))
    except RegexpError as error:
        raise ExpressionError(str(error)) from None


def _either(left: Evaluation, right: Evaluation) -> Evaluation:
    def evaluate_either(variables: Variables) -> Value:
        value = left(variables)
        return right(variables) if value is None or value is False else value

    return evaluate_either


def _both(left: Evaluation, right: Evaluation) -> Evaluation:
    def evaluate_both(variables: Variables) -> Value:
        value = left(variables)
        return value if value is None or value is False else right(variables)

    return evaluate_both


def _compare(operator: str, left: Evaluation, right: Evaluation) -> Evaluation:
    holds = _is_equal if operator in ("==", "!=") else _is_match
    expected = operator in ("==", "=~")
    return lambda variables: holds(left(variables), right(variables)) is expected


def _is_equal(left: Value, right: Value) -> bool:
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def _is_match(value: Value, pattern: Value) -> bool:
    """Return whether a value contains a match of a pattern, which may also be the content of a variable."""
    text = value if isinstance(value, str) else ""
    if isinstance(pattern, re.Pattern):
        return pattern.search(text) is not None
    if not isinstance(pattern, str):
        return False
    return _matches_text(pattern, text)


def _matches_text(pattern: str, text: str) -> bool:
    if not is_literal(pattern):
        return text in pattern
    try:
        return compile_literal(pattern).search(text) is not None
    except RegexpError:
        return False
