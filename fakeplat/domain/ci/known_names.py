"""The keywords of configurations and the predefined variables of all releases."""

from collections.abc import Iterator, Mapping
from typing import Literal

from fakeplat.core.release import Lifetime
from fakeplat.domain.ci.predefined_variables import LIFETIMES


def list_known_names() -> Iterator[tuple[Literal["keyword", "variable"], str, Lifetime]]:
    """Return each keyword or value, and each variable that not all releases have, with its releases."""
    # Imported late: most worlds read no configuration.
    from fakeplat.ci_config.validation.documents import list_all_keywords

    keywords = dict(list_all_keywords())
    for name in keywords:
        yield "keyword", name, _lifetime_within(name, keywords)
    for name, lifetime in LIFETIMES.items():
        yield "variable", name, lifetime


def _lifetime_within(name: str, keywords: Mapping[str, Lifetime]) -> Lifetime:
    """Return the releases of a keyword that also have all those above it, such as `job.image` of `job.image.docker`."""
    lifetimes = [
        lifetime for above, lifetime in keywords.items() if name == above or name.startswith((f"{above}.", f"{above}="))
    ]
    latest, earliest = max(lifetimes, key=lambda each: each.start), min(lifetimes, key=lambda each: each.end)
    return Lifetime(latest.since, earliest.until)
