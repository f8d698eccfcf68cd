"""How the pages of projects are served. Source: docs/platform/graphql.md, docs/platform/pages.md."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.domain.pages_domains import pages_domains
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import mutation
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=18.5"
_INPUT: Final = '''
"""The full path of the project."""
projectPath: ID!
"""The new value."""
value: Boolean!
'''
_GIVES: Final = '"""The project."""\nproject: Project'


@PROJECT.field("pagesForceHttps: Boolean!", since=_SINCE)
def forces_https(_ctx: ReadContext, project: Project) -> bool:
    """Whether the pages are served encrypted only."""
    return project.pages_https_only


@PROJECT.field("pagesUseUniqueDomain: Boolean!", since=_SINCE)
def has_unique_domain(_ctx: ReadContext, project: Project) -> bool:
    """Whether the pages have a domain of their own."""
    return project.pages_unique_domain_enabled


def _require_project(ctx: WriteContext, project_path: str) -> Project:
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.ADMIN_PROJECT, project)
    return project


@mutation("setPagesForceHttps", input_fields=_INPUT, payload_fields=_GIVES, since=_SINCE)
def set_force_https(ctx: WriteContext, project_path: str, value: bool) -> Mapping[str, Any]:
    """Serve the pages of a project encrypted only, or not."""
    project = _require_project(ctx, project_path)
    return {"project": pages_domains.change_settings(ctx, project, pages_https_only=value)}


@mutation("setPagesUseUniqueDomain", input_fields=_INPUT, payload_fields=_GIVES, since=_SINCE)
def set_unique_domain(ctx: WriteContext, project_path: str, value: bool) -> Mapping[str, Any]:
    """Give the pages of a project a domain of their own, or not."""
    project = _require_project(ctx, project_path)
    return {"project": pages_domains.change_settings(ctx, project, pages_unique_domain_enabled=value)}
