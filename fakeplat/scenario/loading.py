"""Loading of documents: parse them and create their records in a new or a running world."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from fakeplat.core.schema.mistakes import DocumentError, Mistake
from fakeplat.core.schema.shapes import Object, read_document
from fakeplat.platform import Platform
from fakeplat.policy.context import WriteContext
from fakeplat.scenario.documents import Document, Reference, get_scenario
from fakeplat.scenario.errors import ScenarioError
from fakeplat.scenario.loader import Loader
from fakeplat.scenario.settings import SettingsOfScenario
from fakeplat.scenario.world_keys import FIXED, scenario_shape

ScenarioData = dict[str, Any]


def load(platform: Platform, fragment: Reference, folders: Sequence[Path] = ()) -> None:
    """Add the records of a scenario fragment to a running world; all of them or, with a ScenarioError, none.

    Existing records are updated. The changes do not count as activity, so nothing is sent to webhooks or by e-mail.
    """
    if not isinstance(fragment, str | PathLike | Mapping):
        raise ScenarioError([Mistake(f"a fragment is a map or a path, not {fragment!r}")])
    documents = get_scenario(fragment, folders).documents
    # Everything is parsed before the world is touched, so most mistakes are found without a draft.
    contents = [read(document) for document in documents]
    for document, content in zip(documents, contents, strict=True):
        _refuse_fixed(document, content)
    with platform.acting() as ctx:
        fill(ctx, documents, contents)
        ctx.outgoing.clear()


def _refuse_fixed(document: Document, content: ScenarioData) -> None:
    fixed = [
        Mistake(f"{name!r} cannot be changed after the world has started", (name,)) for name in FIXED if name in content
    ]
    if fixed:
        raise ScenarioError(document.located(fixed))


def read(document: Document) -> ScenarioData:
    """Return the parsed content of a document; ScenarioError if it does not match the schema."""
    try:
        content: ScenarioData = read_document(scenario_shape(), {} if document.data is None else document.data)
    except DocumentError as error:
        raise ScenarioError(document.located(error.mistakes)) from None
    return content


def read_part(shape: Object, value: ScenarioData, name: str) -> ScenarioData:
    """Return the parsed value of one key; ScenarioError if it does not match the schema."""
    try:
        content: ScenarioData = read_document(shape, value)
    except DocumentError as error:
        raise ScenarioError([mistake._replace(path=(name, *mistake.path)) for mistake in error.mistakes]) from None
    return content


def merge_maps(contents: Sequence[ScenarioData], key: str) -> ScenarioData:
    """Merge the maps under a key of several documents; later values replace earlier ones."""
    return {name: value for content in contents for name, value in content.get(key, {}).items()}


def fill(
    ctx: WriteContext, documents: Sequence[Document], contents: Sequence[ScenarioData], *, thorough: bool = False
) -> None:
    """Create the records of documents. Settings that could forbid some of them are applied last."""
    ctx.is_loading = True
    new_settings = SettingsOfScenario(ctx, merge_maps(contents, "settings"))
    new_settings.apply_permissive()
    loader = Loader(ctx, contents, [document.file for document in documents], thorough=thorough)
    loader.run()
    pairs = zip(documents, loader.mistakes, strict=True)
    mistakes = [mistake for document, document_mistakes in pairs for mistake in document.located(document_mistakes)]
    if mistakes:
        raise ScenarioError(mistakes)
    new_settings.apply_restrictive()
    for purpose, count in merge_maps(contents, "chance").items():
        ctx.world.raise_counter(count, "chance", purpose)
