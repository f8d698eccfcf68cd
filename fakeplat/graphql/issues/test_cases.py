"""Test cases, which are issues of their own type (ultimate). Source: docs/platform/issues.md ('Test cases')."""

from collections.abc import Mapping, Sequence
from typing import Any

from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.issuables import creation_limit
from fakeplat.domain.issues import issues
from fakeplat.domain.planning import labels
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.schema_builder import mutation
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature


@mutation(
    "createTestCase",
    input_fields='''
"""The full path of the project."""
projectPath: ID!
"""The title."""
title: String!
"""The description in Markdown."""
description: String
"""The IDs of labels, as numbers."""
labelIds: [ID!]
"""Whether the test case is confidential."""
confidential: Boolean @lifetime(since: "<=18.9")
''',
    payload_fields='"""The test case."""\ntestCase: Issue',
    since="<=13.6",
)
def create_test_case(
    ctx: WriteContext,
    project_path: str,
    title: str,
    description: str | None = None,
    label_ids: Sequence[str] | None = None,
    confidential: bool | None = None,
) -> Mapping[str, Any]:
    """Create a test case."""
    project = require_project(ctx, project_path)
    if not has_feature(ctx.world, "ultimate", project) or not can(ctx, Ability.CREATE_TEST_CASE, project):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} creates no test cases in {project_path}")
    creation_limit.count_copy(ctx, project)
    with collect_errors(test_case=None):
        created = issues.create(
            ctx,
            project,
            ctx.signed_in_user,
            kind="test_case",
            title=title,
            description=description,
            confidential=bool(confidential),
            labels=_list_titles(ctx, project, label_ids or ()),
        )
        return {"test_case": created}


def _list_titles(ctx: ReadContext, project: Project, ids: Sequence[str]) -> list[str]:
    """Return the titles of the labels with some numbers; global IDs select none, as on the platform."""
    numbers = {parse_number(text) for text in ids}
    return [label.title for label in labels.list_available(ctx.world, project) if label.id in numbers]
