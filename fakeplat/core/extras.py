"""Optional dependencies: the extras of the distribution, for what most users never need."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final, NamedTuple

from fakeplat.core.operations.errors import ExtraNotInstalled


class _Extra(NamedTuple):
    """The module that an extra installs, and what needs it."""

    module: str
    users: str


_EXTRAS: Final[Mapping[str, _Extra]] = {
    "certificates": _Extra("cryptography", "certificates of pages domains and SSH signatures"),
    "console": _Extra("jinja2", "the pages of the console"),
    "ssh": _Extra("asyncssh", "git over SSH"),
    "signatures": _Extra("pysequoia", "GPG keys and signatures"),
}


def is_installed(extra: str) -> bool:
    """Return whether the module of an extra can be imported."""
    return find_spec(_EXTRAS[extra].module) is not None


def explain_missing(extra: str) -> str:
    """Return what an extra is needed for, and how to install it."""
    return f"{_EXTRAS[extra].users} need an extra: pip install 'fakeplat[{extra}]'"


def require_extra(extra: str) -> None:
    """Refuse with 501 if an extra is not installed."""
    if not is_installed(extra):
        raise ExtraNotInstalled(explain_missing(extra))
