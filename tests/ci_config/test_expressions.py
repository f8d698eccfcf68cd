"""Expressions on variables. Source: the platform's specs of expressions and their lexemes."""

from typing import Any

import pytest

from fakeplat.ci_config.expressions import ExpressionError, evaluate, is_true, is_valid

VARIABLES = {
    "PRESENT": "my variable",
    "PATH": "a/path/variable/value",
    "FULL_PATH": "/a/full/path/variable/value",
    "EMPTY": "",
    "PATTERN": "/^MY/i",
}
RESULTS: list[tuple[str, Any]] = [
    ('$PRESENT == "my variable"', True),
    ("'my variable' == $PRESENT", True),
    ("$PRESENT == null", False),
    ("$EMPTY == null", False),
    ('"" == $EMPTY', True),
    ("$EMPTY", ""),
    ("$UNDEFINED == null", True),
    ("null == $UNDEFINED", True),
    ("$PRESENT", "my variable"),
    ("$UNDEFINED", None),
    ("$PRESENT =~ /var.*e$/", True),
    (r"$PRESENT =~ /va\r.*e$/", False),
    (r"$PRESENT =~ /va\/r.*e$/", False),
    ("$PRESENT =~ /^var.*/", False),
    ("$EMPTY =~ /var.*/", False),
    ("$UNDEFINED =~ /var.*/", False),
    ("$PRESENT =~ /VAR.*/i", True),
    (r"$PATH =~ /path\/variable/", True),
    (r"$FULL_PATH =~ /^\/a\/full\/path\/variable\/value$/", True),
    ('$PRESENT != "my variable"', False),
    ("$PRESENT != null", True),
    ("$EMPTY != null", True),
    ('"" != $EMPTY', False),
    ("$UNDEFINED != null", False),
    ("$PRESENT !~ /var.*e$/", False),
    ("$PRESENT !~ /^var.*/", True),
    ("$EMPTY !~ /var.*/", True),
    ("$UNDEFINED !~ /var.*/", True),
    ("$PRESENT !~ /VAR.*/i", False),
    ("$PRESENT =~ $PATTERN", True),
    ('$PRESENT && "string"', "string"),
    ("$PRESENT && $EMPTY", ""),
    ("$PRESENT && null", None),
    ("$EMPTY && $PRESENT", "my variable"),
    ("null && $PRESENT", None),
    ("$PRESENT =~ /my var/ && $EMPTY =~ /nope/", False),
    ('$EMPTY == "" && $PRESENT', "my variable"),
    ('$EMPTY == "" && $PRESENT != "nope"', True),
    ("$UNDEFINED && $EMPTY", None),
    ("$PRESENT =~ /my var/ || $EMPTY =~ /nope/", True),
    ('$EMPTY == "" || $PRESENT', True),
    ('$PRESENT && null || $EMPTY == ""', True),
    ("$PRESENT || $UNDEFINED", "my variable"),
    ("$UNDEFINED || $PRESENT", "my variable"),
    ("$PRESENT || $UNDEFINED == null", "my variable"),
    ("($PRESENT)", "my variable"),
    ("(($PRESENT))", "my variable"),
    ('($PRESENT) && (null || $EMPTY == "")', True),
    ('("string" || "test") == "string"', True),
    ('(null || ("test" == "string"))', False),
    ('("string" == ("test" && "string"))', True),
    ('("string" == ("test" || "string"))', False),
    ('("string" == "test" || "string")', "string"),
    ('("string" == ("string" || (("1" == "1") && ("2" == "3"))))', True),
]
INVALID = [
    "== null",
    "$A =",
    "$INVALID = 1",
    "$A == 1",
    "$A $B",
    "$A ==",
    "&& $A",
    "($A",
    "$A)",
    "()",
    "",
    "$A =~ /a(?=b)/",
    "$A =~ /a/",
    "$A =~ //",
    "$A =~ /(unclosed/",
    '$A == "unclosed',
    " && ".join(["$A"] * 51),
]


@pytest.mark.parametrize(("expression", "result"), RESULTS)
def test_an_expression_has_a_result(expression: str, result: Any) -> None:
    """An expression evaluates to its result, and conjunctions return one of their operands, as in Ruby."""
    assert result == evaluate(expression, VARIABLES)


@pytest.mark.parametrize("expression", INVALID)
def test_an_invalid_expression_does_not_hold(expression: str) -> None:
    """An invalid expression is not true, and evaluating it raises ExpressionError."""
    assert not is_valid(expression)
    assert not is_true(expression, VARIABLES)
    with pytest.raises(ExpressionError):
        evaluate(expression, VARIABLES)


@pytest.mark.parametrize(
    ("expression", "holds"),
    [("$PRESENT", True), ("$EMPTY", False), ("$UNDEFINED", False), ("$UNDEFINED == null", True), ("$BLANK", True)],
)
def test_an_expression_holds_unless_its_result_is_empty(expression: str, holds: bool) -> None:
    """An expression is true unless its result is empty; white space is not empty."""
    assert holds == is_true(expression, {**VARIABLES, "BLANK": " "})


def test_an_expression_is_a_text() -> None:
    """An expression that is not a string is invalid."""
    assert [False, False, False] == [is_valid(value) for value in (None, ["$A"], 1)]
