"""Explanations of names that a query uses, and that only other releases have. They are computed only when read."""

from collections.abc import Iterator, Mapping
from functools import cache

from graphql import DocumentNode

from fakeplat.catalog.unbuilt import unbuilt_graphql
from fakeplat.core.release import Lifetime, Profile
from fakeplat.graphql.schema import list_declared
from fakeplat.graphql.schema_builder import TYPES
from fakeplat.graphql.used_names import UsedNames


def explain_absent(document: DocumentNode, values: Mapping[str, object], profile: Profile, version: str) -> str:
    """Return a sentence for each name in a query or its variables that exists, but not in the release or not here."""
    names = UsedNames(document, values).names
    return "; ".join(text for name in names for text in _explain(name, profile, version))


def _explain(newest_name: str, profile: Profile, version: str) -> Iterator[str]:
    name = _name_before(newest_name, profile)
    shapes, unbuilt = _lifetimes_by_name().get(name), _unbuilt_lifetimes().get(name)
    if unbuilt is not None and profile.has(unbuilt):
        yield f"`{name}` {f'exists {unbuilt} and ' if unbuilt else ''}is not built"
    elif unbuilt is not None:
        yield f"`{name}` exists {unbuilt}; this world is {version}"
    elif shapes and not any(map(profile.has, shapes)):
        yield f"`{name}` exists {' and '.join(map(str, shapes))}; this world is {version}"


def _name_before(name: str, profile: Profile) -> str:
    """Return the name of something in a release that has the base of its type, and not yet the type itself."""
    type_name, dot, rest = name.partition(".")
    type_ = TYPES.get(type_name)
    while dot and type_ is not None and type_.base is not None and not profile.has(type_.lifetime):
        type_ = type_.base
    return f"{type_.name}.{rest}" if dot and type_ is not None else name


@cache
def _unbuilt_lifetimes() -> Mapping[str, Lifetime]:
    return {row.name: row.lifetime for row in unbuilt_graphql()}


@cache
def _lifetimes_by_name() -> dict[str, list[Lifetime]]:
    """Return the lifetimes of the shapes of each name that not all releases have."""
    found: dict[str, list[Lifetime]] = {}
    for _, name, lifetime in list_declared():
        if lifetime:
            found.setdefault(name, []).append(lifetime)
    return found
