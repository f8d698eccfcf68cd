"""Pages domains, and the settings of a project's pages. No pages are served.

A project whose pages are disabled has none of these: 404.
"""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Final

from fakeplat.api.scopes import PROJECT as ANY_PROJECT
from fakeplat.api.scopes import PROJECT as VISIBLE_PROJECT
from fakeplat.api.scopes import get_project
from fakeplat.core.operations.errors import Forbidden, NotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Params, all_or_none_of
from fakeplat.core.release import RenamedFrom
from fakeplat.domain.pages_domains import pages_domains
from fakeplat.domain.purging import purge
from fakeplat.entities.pages_domains import PagesDomainBasic, PagesDomainView, PagesSettings
from fakeplat.model.pages_domains import PagesDomain
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import explain_closed_feature, is_feature_open
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Pages", login=Login.ALWAYS, located_first=True)


def _get_project(ctx: ReadContext, reference: str) -> Project:
    project = get_project(ctx, reference)
    if project.pages_access_level == "disabled":
        raise NotFound(reason=partial(explain_closed_feature, ctx, project, "pages"))
    return project


PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=_get_project, word="project")


class ListPagesDomains(Paged):
    """Filters of the list of all pages domains."""

    domain: str | None = None


@area.operation(
    "GET",
    "pages/domains",
    ability=Ability.READ_ALL_RESOURCES,
    params=ListPagesDomains,
    view=PagesDomainBasic,
    many=True,
    refusals=(404,),
)
def list_pages_domains(ctx: ReadContext, p: ListPagesDomains) -> Sequence[PagesDomain]:
    """List the pages domains of all projects."""
    return pages_domains.list_all(ctx.world, p.domain)


@area.operation(
    "GET",
    "pages/domains",
    scope=PROJECT,
    name="list_project_pages_domains",
    ability=Ability.READ_PAGES,
    params=Paged,
    view=PagesDomainView,
    many=True,
)
def list_domains(ctx: ReadContext, project: Project) -> Sequence[PagesDomain]:
    """List the pages domains of a project."""
    return pages_domains.list_domains(ctx.world, project)


@area.operation(
    "GET", "pages/domains/:domain", scope=PROJECT, ability=Ability.READ_PAGES, view=PagesDomainView, refusals=(404,)
)
def get_project_pages_domain(ctx: ReadContext, project: Project, domain: str) -> PagesDomain:
    """Get a pages domain."""
    return pages_domains.get_domain(ctx.world, project, domain)


class CreatePagesDomain(Params):
    """A new domain. Certificate and key are texts in PEM, or files."""

    domain: str
    certificate: Upload | str | None = None
    key: Upload | str | None = None
    auto_ssl_enabled: bool = False

    rules = (all_or_none_of("certificate", "key"),)


@area.operation(
    "POST",
    "pages/domains",
    scope=PROJECT,
    ability=Ability.UPDATE_PAGES,
    params=CreatePagesDomain,
    view=PagesDomainView,
    refusals=(400, 501),
)
def create_project_pages_domain(ctx: WriteContext, project: Project, p: CreatePagesDomain) -> PagesDomain:
    """Create a pages domain."""
    fields: dict[str, Any] = {name: _read_text(value) for name, value in p.given().items()}
    return pages_domains.create(ctx, project, **fields)


class UpdatePagesDomain(Params):
    """Changes of a domain. Certificate and key are texts in PEM, or files; empty ones remove them."""

    certificate: Upload | str | None = None
    key: Upload | str | None = None
    auto_ssl_enabled: bool | None = None


@area.operation(
    "PUT",
    "pages/domains/:domain",
    scope=PROJECT,
    ability=Ability.UPDATE_PAGES,
    params=UpdatePagesDomain,
    view=PagesDomainView,
    refusals=(400, 404, 501),
)
def update_project_pages_domain(ctx: WriteContext, project: Project, domain: str, p: UpdatePagesDomain) -> PagesDomain:
    """Update the certificate of a pages domain."""
    fields: dict[str, Any] = {name: _read_text(value) for name, value in p.given().items() if value is not None}
    return pages_domains.update(ctx, pages_domains.get_domain(ctx.world, project, domain), **fields)


def _read_text(value: object) -> object:
    return value.data.decode("utf-8", "replace") if isinstance(value, Upload) else value


@area.operation("DELETE", "pages/domains/:domain", scope=PROJECT, ability=Ability.UPDATE_PAGES, refusals=(404,))
def delete_project_pages_domain(ctx: WriteContext, project: Project, domain: str) -> None:
    """Delete a pages domain."""
    purge(ctx, pages_domains.get_domain(ctx.world, project, domain))


@area.operation("GET", "pages", scope=PROJECT, ability=Ability.READ_PAGES, view=PagesSettings, since="16.8")
def get_pages(_ctx: ReadContext, project: Project) -> Project:
    """Get the URL and the settings of a project's pages."""
    return project


class UpdatePages(Params):
    """Changes of the settings of a project's pages. The redirect leads to one of its domains."""

    pages_unique_domain_enabled: bool | None = None
    pages_https_only: bool | None = None
    pages_primary_domain: Annotated[
        str | None, RenamedFrom("pages_default_domain_redirect", since="17.8", until="17.8")
    ] = None


@area.operation(
    "PATCH",
    "pages",
    scope=PROJECT,
    ability=Ability.ADMIN_PAGES,
    params=UpdatePages,
    view=PagesSettings,
    refusals=(400,),
    since="17.0",
)
def update_pages(ctx: WriteContext, project: Project, p: UpdatePages) -> Project:
    """Update the settings of a project's pages."""
    fields = p.given()
    # Only the primary domain can be null.
    changes = {name: value for name, value in fields.items() if value is not None or name == "pages_primary_domain"}
    if "pages_primary_domain" in changes:
        changes["pages_default_domain_redirect"] = changes.pop("pages_primary_domain")
    return pages_domains.change_settings(ctx, project, **changes)


# Unlike the other operations, this one does not ask whether the project's pages are enabled.
@area.operation("DELETE", "pages", scope=ANY_PROJECT, ability=Ability.ADMIN_PAGES)
def unpublish_pages(ctx: WriteContext, project: Project) -> None:
    """Remove the pages of a project, with its domains."""
    pages_domains.unpublish(ctx, project)


@area.operation(
    "PUT",
    "pages/domains/:domain/verify",
    scope=PROJECT,
    ability=Ability.UPDATE_PAGES,
    view=PagesDomainView,
    refusals=(404, 422),
    since="<=18.9",
)
def verify_page_domain(ctx: WriteContext, project: Project, domain: str) -> PagesDomain:
    """Validate that the project owns a domain; no DNS record is read, so only the settings can spare it the check."""
    return pages_domains.verify(ctx, pages_domains.get_domain(ctx.world, project, domain))


open_area: Final = Area("Pages", login=Login.NEVER, located_first=True)


@open_area.operation("GET", "pages_access", scope=VISIBLE_PROJECT, refusals=(403,), since="<=18.9")
def get_pages_access(ctx: ReadContext, project: Project) -> RawBody:
    """Check whether the caller may see the pages of a project."""
    if not is_feature_open(ctx, project, "pages"):
        raise Forbidden(reason=partial(explain_closed_feature, ctx, project, "pages"))
    return RawBody(b"200", JSON)
