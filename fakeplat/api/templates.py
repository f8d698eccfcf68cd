"""Templates of files, of the instance and of projects. Source: docs/platform/version-and-metadata.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import Forbidden, InvalidParams, NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.templates import licenses, templates
from fakeplat.domain.templates.licenses import License
from fakeplat.domain.templates.templates import ProjectKind, Template
from fakeplat.entities.templates import (
    FULLNAME,
    FilledLicenseView,
    LicenseView,
    TemplateName,
    TemplateView,
)
from fakeplat.entities.templates import PROJECT as PROJECT_NAME
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.behaviours import DASHBOARDS_HAVE_TEMPLATES, TEMPLATES_ARE_CODE
from fakeplat.policy.context import ReadContext

area: Final = Area("Templates", login=Login.NEVER)


@area.operation("GET", "templates/gitignores", params=Paged, view=TemplateName, many=True)
def list_gitignore_templates(_ctx: ReadContext) -> Sequence[Template]:
    """List the templates of ignored files."""
    return templates.list_templates("gitignores")


@area.operation("GET", "templates/gitignores/:key", view=TemplateView, refusals=(404,))
def get_gitignore_template(_ctx: ReadContext, key: str) -> Template:
    """Get a template of ignored files."""
    return _get_template("gitignores", "gitignore", key)


@area.operation("GET", "templates/dockerfiles", params=Paged, view=TemplateName, many=True)
def list_dockerfile_templates(_ctx: ReadContext) -> Sequence[Template]:
    """List the templates of Dockerfiles."""
    return templates.list_templates("dockerfiles")


@area.operation("GET", "templates/dockerfiles/:key", view=TemplateView, refusals=(404,))
def get_dockerfile_template(_ctx: ReadContext, key: str) -> Template:
    """Get a template of a Dockerfile."""
    return _get_template("dockerfiles", "dockerfile", key)


@area.operation("GET", "templates/gitlab_ci_ymls", params=Paged, view=TemplateName, many=True)
def list_ci_yml_templates(_ctx: ReadContext) -> Sequence[Template]:
    """List the templates of CI configurations."""
    return templates.list_templates("gitlab_ci_ymls")


@area.operation("GET", "templates/gitlab_ci_ymls/:key", view=TemplateView, refusals=(404,))
def get_ci_yml_template(_ctx: ReadContext, key: str) -> Template:
    """Get a template of a CI configuration."""
    return _get_template("gitlab_ci_ymls", "gitlab_ci_yml", key)


def _get_template(kind: templates.Kind, word: str, name: str) -> Template:
    template = templates.find_template(kind, name)
    if template is None:
        raise NotFound(word, reason=f"there is no template {name!r} among the {kind}")
    return template


class ListLicenses(Paged):
    """Filters of the list of licences."""

    popular: bool | None = None


@area.operation("GET", "templates/licenses", params=ListLicenses, view=LicenseView, many=True)
def list_license_templates(_ctx: ReadContext, p: ListLicenses) -> Sequence[License]:
    """List the licences."""
    return licenses.list_licenses(p.popular)


class FillIn(Params):
    """What stands for the placeholders of a licence."""

    project: str | None = None
    fullname: str | None = None


def _fill_in(ctx: ReadContext, p: FillIn, template: object) -> tuple[str, ...]:
    if not isinstance(template, License):
        return ()
    user = ctx.viewer
    fullname = p.fullname or (user.name if user else None)
    project = (f"{PROJECT_NAME}{p.project}",) if p.project else ()
    return (*project, f"{FULLNAME}{fullname}") if fullname else project


@area.operation(
    "GET", "templates/licenses/:key", params=FillIn, view=FilledLicenseView, options=_fill_in, refusals=(404,)
)
def get_license_template(_ctx: ReadContext, key: str) -> License:
    """Get a licence, with the year and the names filled in."""
    return _get_license(key, "License")


def _get_license(key: str, word: str) -> License:
    license_ = licenses.find_license(key)
    if license_ is None:
        raise NotFound(word, reason=f"there is no licence {key!r}")
    return license_


def _authorize(ctx: ReadContext, project: Project, kind: ProjectKind) -> None:
    """Refuse whoever may not read the code of a project, except for templates of issues, and types that are gone."""
    if kind == "metrics_dashboard_ymls" and not ctx.profile.has(DASHBOARDS_HAVE_TEMPLATES):
        raise InvalidParams("type does not have a valid value", reason="dashboards have no templates any more")
    if kind == "issues" or not ctx.profile.has(TEMPLATES_ARE_CODE) or can(ctx, Ability.DOWNLOAD_CODE, project):
        return
    text = f"Your current role does not have the required permissions to access the {kind} template."
    raise Forbidden(
        f"{text} Contact your project administrator for assistance.",
        reason=lambda: f"{caller_name(ctx)} may not read the code of the project",
    )


@area.operation("GET", "templates/:type", scope=PROJECT, params=Paged, view=TemplateName, many=True, refusals=(403,))
def list_project_templates(ctx: ReadContext, project: Project, type: ProjectKind) -> Sequence[Template]:
    """List the templates of a type that a project has."""
    _authorize(ctx, project, type)
    return templates.list_project_templates(ctx.world, project, type)


class GetProjectTemplate(FillIn):
    """What stands for the placeholders of a licence; other templates have none."""

    source_template_project_id: int | None = None


def _view(ctx: ReadContext, _p: object) -> type[FilledLicenseView | TemplateView]:
    is_license = ctx.request is not None and "/templates/licenses/" in ctx.request.path
    return FilledLicenseView if is_license else TemplateView


@area.operation(
    "GET",
    "templates/:type/:name",
    scope=PROJECT,
    params=GetProjectTemplate,
    view=_view,
    options=_fill_in,
    refusals=(403, 404),
)
def get_project_template(ctx: ReadContext, project: Project, type: ProjectKind, name: str) -> Template | License:
    """Get a template of a project, a licence with the year and the names filled in."""
    _authorize(ctx, project, type)
    if type == "licenses":
        return _get_license(name, "Template")
    template = templates.find_project_template(ctx.world, project, type, name)
    if template is None:
        raise NotFound("Template", reason=f"the project has no template {name!r} among its {type}")
    return template
