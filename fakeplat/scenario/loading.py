"""From documents to records: reading what they say, and adding it to a world that is being made or lives."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fakeplat.core.schema.mistakes import DocumentError, Mistake
from fakeplat.core.schema.shapes import Object, read_document
from fakeplat.platform import Platform
from fakeplat.policy.context import WriteContext
from fakeplat.scenario import sections  # noqa: F401  # registers the sections
from fakeplat.scenario.documents import Document, Reference, find_scenario
from fakeplat.scenario.errors import ScenarioError
from fakeplat.scenario.loader import Loader
from fakeplat.scenario.world_keys import FIXED, UNLOCKED, scenario_shape

Said = dict[str, Any]


def load(platform: Platform, fragment: Reference, folders: Sequence[Path] = ()) -> None:
    """Add to a living world what a piece of a scenario says: all of it, or with a ScenarioError nothing.

    What is named and there already is changed. Nothing of it counts as having happened, so nobody is told.
    """
    documents = find_scenario(fragment, folders).documents
    said = [read(document) for document in documents]
    for document, one in zip(documents, said, strict=True):
        _refuse_fixed(document, one)
    with platform.acting() as doing:
        fill(doing, documents, said)
        doing.events.clear()


def _refuse_fixed(document: Document, said: Said) -> None:
    fixed = [Mistake(f"a world that lives keeps its {name!r}", (name,)) for name in FIXED if name in said]
    if fixed:
        raise ScenarioError(document.located(fixed))


def read(document: Document) -> Said:
    """What a document says, if nothing is wrong with its form."""
    try:
        said: Said = read_document(scenario_shape(), {} if document.data is None else document.data)
    except DocumentError as error:
        raise ScenarioError(document.located(error.mistakes)) from None
    return said


def read_part(shape: Object, given: Said, name: str) -> Said:
    """What is said under one key, if nothing is wrong with its form."""
    try:
        said: Said = read_document(shape, given)
    except DocumentError as error:
        raise ScenarioError([mistake._replace(path=(name, *mistake.path)) for mistake in error.mistakes]) from None
    return said


def merge_maps(said: Sequence[Said], key: str) -> Said:
    """The maps that documents have under a key: of two values the later one's."""
    return {name: value for one in said for name, value in one.get(key, {}).items()}


def fill(doing: WriteContext, documents: Sequence[Document], said: Sequence[Said], *, thorough: bool = False) -> None:
    """Do what documents say; what would forbid things that may be there comes last."""
    table, before = doing.world.settings_table, doing.world.settings
    wanted = {**{name: getattr(before, name) for name in UNLOCKED}, **merge_maps(said, "settings")}
    table.change(before, **{**wanted, **UNLOCKED})
    seeding = Loader(doing, said, [document.file for document in documents], thorough=thorough)
    seeding.run()
    found = zip(documents, seeding.mistakes, strict=True)
    mistakes = [mistake for document, wrong in found for mistake in document.located(wrong)]
    if mistakes:
        raise ScenarioError(mistakes)
    table.change(doing.world.settings, **{name: wanted[name] for name in UNLOCKED})
    for purpose, count in merge_maps(said, "chance").items():
        doing.world.raise_to(count, "chance", purpose)
