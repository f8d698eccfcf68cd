"""Environment scopes: names of environments in which ``*`` stands for any text."""

import re
from fnmatch import fnmatchcase
from typing import Final

from fakeplat.domain.validation import BLANK, ValidationErrors, too_long

EVERYWHERE: Final = "*"
_FORM: Final = re.compile(r"[a-zA-Z0-9_/${}. *-]+")
_FORM_TEXT: Final = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"


def add_scope_errors(errors: ValidationErrors, field: str, scope: str | None) -> None:
    """Add the errors of an environment scope."""
    errors.when(not (scope or "").strip(), field, BLANK)
    errors.when(not _FORM.fullmatch(scope or ""), field, _FORM_TEXT)
    too_long(errors, field, scope)


def matches(scope: str, environment: str) -> bool:
    """Return whether an environment is within a scope."""
    # Of the signs that have a meaning in a pattern, a scope can contain only the asterisk.
    return fnmatchcase(environment, scope)


def specificity(scope: str, environment: str) -> int:
    """Return the precedence of a scope that matches: a name beats a pattern, and a pattern the scope of all."""
    return 2 if scope == environment else int(scope != EVERYWHERE)
