"""The keywords of configurations and the predefined variables of all releases."""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from fakeplat.core.release import Lifetime
from fakeplat.domain.ci.variable_lifetimes import LIFETIMES


class KnownName(NamedTuple):
    """A keyword or value, or a variable. ``is_built``: it has its effect."""

    kind: Literal["keyword", "variable"]
    name: str
    lifetime: Lifetime
    is_built: bool = True


def list_known_names() -> Iterator[KnownName]:
    """Return each keyword or value, and each variable that not all releases have, with its releases."""
    # Imported late: most worlds read no configuration.
    from fakeplat.ci_config.validation.documents import list_all_keywords

    keywords = dict(list_all_keywords())
    for name, keyword in keywords.items():
        is_built = not (keyword.is_inert or keyword.is_unbuilt)
        yield KnownName("keyword", name, _lifetime_within(name, keywords), is_built)
    for name, lifetime in LIFETIMES.items():
        yield KnownName("variable", name, lifetime)


def _lifetime_within(name: str, keywords: Mapping[str, Lifetime]) -> Lifetime:
    """Return the releases of a keyword that also have all those above it, such as `job.image` of `job.image.docker`."""
    lifetimes = [
        lifetime for above, lifetime in keywords.items() if name == above or name.startswith((f"{above}.", f"{above}="))
    ]
    latest, earliest = max(lifetimes, key=lambda each: each.start), min(lifetimes, key=lambda each: each.end)
    return Lifetime(latest.since, earliest.until)
