"""How many examples the property tests try: few in `make test`, many others in `make properties`."""

import os

FACTOR = int(os.environ.get("EXAMPLES_FACTOR", "1"))


def examples(number: int) -> int:
    """Return the number of examples, of which ``number`` are tried in `make test`."""
    return number * FACTOR
