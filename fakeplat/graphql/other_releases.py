"""Explanations of names that a query uses, and that only other releases have. They are computed only when read."""

from collections.abc import Mapping
from functools import cache

from graphql import DocumentNode

from fakeplat.core.release import Lifetime, Profile
from fakeplat.graphql.schema import list_declared
from fakeplat.graphql.used_names import UsedNames


def explain_absent(document: DocumentNode, values: Mapping[str, object], profile: Profile, version: str) -> str:
    """Return a sentence for each name in a query or its variables that exists, but not in the release."""
    lifetimes = _lifetimes_by_name()
    used = {name: lifetimes[name] for name in UsedNames(document, values).names if name in lifetimes}
    return "; ".join(
        f"`{name}` exists {' and '.join(map(str, shapes))}; this world is {version}"
        for name, shapes in used.items()
        if not any(map(profile.has, shapes))
    )


@cache
def _lifetimes_by_name() -> dict[str, list[Lifetime]]:
    """Return the lifetimes of the shapes of each name that not all releases have."""
    found: dict[str, list[Lifetime]] = {}
    for _, name, lifetime in list_declared():
        if lifetime:
            found.setdefault(name, []).append(lifetime)
    return found
