"""Mutations of snippets. Source: docs/platform/graphql.md, docs/platform/snippets.md."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypedDict, Unpack

from fakeplat.domain.purging import purge
from fakeplat.domain.snippets import snippet_access, snippets
from fakeplat.domain.snippets.snippet_files import FileAction
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.schema_builder import Enumeration, Input, mutation
from fakeplat.model.people import Visibility
from fakeplat.model.snippets import Snippet
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import WriteContext

Payload = Mapping[str, Any]
_GIVES: Final = '"""The snippet."""\nsnippet: Snippet'
Enumeration(
    "SnippetBlobActionEnum",
    "What to do with a file.",
    {name: (name, f"To {name} it.") for name in ("create", "update", "delete", "move")},
)
Input(
    "SnippetBlobActionInputType",
    "A change of a file of a snippet.",
    '''
"""What to do."""
action: SnippetBlobActionEnum!
"""The path before a move."""
previousPath: String
"""The path."""
filePath: String!
"""The content."""
content: String
''',
)


class Changes(TypedDict, total=False):
    """The changes of a snippet."""

    title: str
    description: str | None
    visibility_level: Visibility


@mutation(
    "createSnippet",
    input_fields='''
"""The title."""
title: String!
"""The description."""
description: String
"""The visibility."""
visibilityLevel: VisibilityLevelsEnum!
"""The full path of the project; none for a personal snippet."""
projectPath: ID
"""The files."""
blobActions: [SnippetBlobActionInputType!]
''',
    payload_fields=_GIVES,
)
def create_snippet(
    ctx: WriteContext,
    title: str,
    visibility_level: Visibility,
    description: str | None = None,
    project_path: str | None = None,
    blob_actions: Iterable[Mapping[str, Any]] | None = None,
) -> Payload:
    """Create a snippet."""
    project = require_project(ctx, project_path) if project_path is not None else None
    snippets.authorize_create(ctx, project)
    files = _to_actions(blob_actions)
    with collect_errors(snippet=None):
        created = snippets.create(
            ctx, project, files, title=title, description=description, visibility=visibility_level
        )
        return {"snippet": created}


@mutation(
    "updateSnippet",
    input_fields='''
"""The ID of the snippet."""
id: SnippetID!
"""The title."""
title: String
"""The description."""
description: String
"""The visibility."""
visibilityLevel: VisibilityLevelsEnum
"""The changes of files."""
blobActions: [SnippetBlobActionInputType!]
''',
    payload_fields=_GIVES,
)
def update_snippet(
    ctx: WriteContext, id: str, blob_actions: Iterable[Mapping[str, Any]] | None = None, **changes: Unpack[Changes]
) -> Payload:
    """Change a snippet."""
    snippet = _require_snippet(ctx, id)
    snippets.authorize_change(ctx, snippet)
    params: dict[str, Any] = {name.removesuffix("_level"): value for name, value in changes.items()}
    with collect_errors(snippet=snippet):
        return {"snippet": snippets.update(ctx, snippet, _to_actions(blob_actions), **params)}


@mutation("destroySnippet", input_fields='"""The ID of the snippet."""\nid: SnippetID!', payload_fields=_GIVES)
def destroy_snippet(ctx: WriteContext, id: str) -> Payload:
    """Delete a snippet."""
    snippet = _require_snippet(ctx, id)
    snippets.authorize_change(ctx, snippet)
    purge(ctx, snippet)
    return {"snippet": None}


def _require_snippet(ctx: WriteContext, text: str) -> Snippet:
    snippet = ctx.world.snippets.get(parse_id(ctx, text, "Snippet", "PersonalSnippet", "ProjectSnippet"))
    if snippet is None or not snippet_access.is_visible(ctx, snippet):
        raise ResourceNotAvailable(lambda: f"{text} does not exist or is hidden from {caller_name(ctx)}")
    return snippet


def _to_actions(inputs: Iterable[Mapping[str, Any]] | None) -> list[FileAction]:
    return [FileAction(**each) for each in inputs or ()]
