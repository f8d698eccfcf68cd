"""Regular expressions of configuration files: ``/pattern/flags`` in the syntax of RE2."""

import re
from typing import Final

from fakeplat.core.regexps import Regexp, RegexpError, compile_regexp

_LITERAL: Final = re.compile(r"/(?P<pattern>.*)/(?P<flags>[ismU]*)", re.DOTALL)
_LONGEST: Final = 4_096


def is_literal(value: object) -> bool:
    """Return whether a value is written as a regular expression, valid or not."""
    return isinstance(value, str) and _LITERAL.fullmatch(value) is not None


def is_valid(value: object) -> bool:
    """Return whether a value is a valid regular expression."""
    try:
        compile_literal(str(value))
    except RegexpError:
        return False
    return True


def compile_literal(text: str) -> Regexp:
    """Compile ``/pattern/flags``; RegexpError if it is invalid."""
    match = _LITERAL.fullmatch(text)
    if match is None or len(text) > _LONGEST:
        raise RegexpError("Invalid regular expression!")
    flags = "".join(sorted(set(match["flags"])))
    return compile_regexp(f"(?{flags}){match['pattern']}" if flags else match["pattern"])
