"""Environment scopes: names of environments in which ``*`` stands for any text."""

import re
from typing import Final

from fakeplat.domain.validation import BLANK, ValidationErrors, too_long

_FORM: Final = re.compile(r"[a-zA-Z0-9_/${}. *-]+")
_FORM_TEXT: Final = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"


def add_scope_errors(errors: ValidationErrors, field: str, scope: str | None) -> None:
    """Add the errors of an environment scope."""
    errors.when(not (scope or "").strip(), field, BLANK)
    errors.when(not _FORM.fullmatch(scope or ""), field, _FORM_TEXT)
    too_long(errors, field, scope)
