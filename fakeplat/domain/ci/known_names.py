"""The keywords of configurations and the predefined variables of all releases."""

from collections.abc import Iterator
from typing import Literal

from fakeplat.core.release import Lifetime
from fakeplat.domain.ci.predefined_variables import LIFETIMES


def list_known_names() -> Iterator[tuple[Literal["keyword", "variable"], str, Lifetime]]:
    """Return each keyword or value, and each variable that not all releases have, with its releases."""
    # Imported late: most worlds read no configuration.
    from fakeplat.ci_config.validation.documents import list_all_keywords

    for name, keyword in list_all_keywords():
        yield "keyword", name, Lifetime(keyword.since, keyword.until)
    for name, lifetime in LIFETIMES.items():
        yield "variable", name, lifetime
