"""Payloads of deployments, feature flags and releases."""

from collections.abc import Mapping
from typing import Final, Literal
from urllib.parse import quote

from fakeplat.domain import urls
from fakeplat.domain.hooks.payloads import blocks
from fakeplat.domain.hooks.payloads.blocks import Block, Later, format_time, later
from fakeplat.domain.releases import release_links, releases
from fakeplat.domain.repository import archives
from fakeplat.domain.repository.commits import find_commit
from fakeplat.model.deployments import Deployment, Environment, FeatureFlag
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release, ReleaseLink
from fakeplat.policy.context import ReadContext

ReleaseAction = Literal["create", "update", "delete"]
_SHORT_SHA: Final = 8
_SOURCE_FORMATS: Final = ("zip", "tar.gz", "tar.bz2", "tar")


def build_deployment_event(ctx: ReadContext, deployment: Deployment) -> Block:
    """Return the payload of a new status of a deployment."""
    project = ctx.world.projects[deployment.project_id]
    user, commit = blocks.find_user(ctx, deployment.user_id), find_commit(ctx.world, project, deployment.sha)
    job_url = f"{urls.project_url(ctx, project)}/-/jobs/{deployment.job_id}"
    return {
        "object_kind": "deployment",
        "status": deployment.status,
        "deployable_id": deployment.job_id,
        "deployable_url": None if deployment.job_id is None else job_url,
        "environment": ctx.world.environments[deployment.environment_id].name,
        "project": blocks.build_project(ctx, project),
        "short_sha": deployment.sha[:_SHORT_SHA],
        "user": blocks.build_user(ctx, user),
        "user_url": urls.user_url(ctx, user) if user else None,
        "commit_url": blocks.commit_url(ctx, project, deployment.sha),
        "commit_title": blocks.shorten_title(commit.commit.title) if commit else None,
        **blocks.read_later(ctx, _DEPLOYMENT, deployment),
    }


def _get_environment(ctx: ReadContext, deployment: Deployment) -> Environment:
    return ctx.world.environments[deployment.environment_id]


_DEPLOYMENT: Final[Mapping[str, Later[Deployment]]] = {
    "status_changed_at": later("<=13.12", lambda ctx, deployment: _format_zoned_time(deployment.updated_at)),
    "ref": later("<=15.5", lambda ctx, deployment: deployment.ref),
    "deployment_id": later("<=15.11", lambda ctx, deployment: deployment.id),
    "environment_slug": later("<=15.11", lambda ctx, deployment: _get_environment(ctx, deployment).slug),
    "environment_external_url": later(
        "<=15.11", lambda ctx, deployment: _get_environment(ctx, deployment).external_url
    ),
    "environment_tier": later("<=16.9", lambda ctx, deployment: _get_environment(ctx, deployment).tier),
}


def _format_zoned_time(time: str) -> str:
    return f"{time[:10]} {time[11:19]} +0000"


def build_feature_flag_event(ctx: ReadContext, flag: FeatureFlag, user: User | None) -> Block:
    """Return the payload of a feature flag that a user switched."""
    return {
        "object_kind": "feature_flag",
        "project": blocks.build_project(ctx, ctx.world.projects[flag.project_id]),
        "user": blocks.build_user(ctx, user),
        "user_url": urls.user_url(ctx, user) if user else None,
        "object_attributes": {
            "id": flag.id,
            "name": flag.name,
            "description": flag.description,
            "active": flag.active,
        },
    }


def build_release_event(ctx: ReadContext, release: Release, action: ReleaseAction) -> Block:
    """Return the payload of a new or changed release."""
    project = ctx.world.projects[release.project_id]
    return {
        "id": release.id,
        "created_at": format_time(release.created_at),
        "description": blocks.make_images_absolute(ctx, project, release.description),
        "name": release.name,
        "released_at": format_time(release.released_at),
        "tag": release.tag_name,
        "object_kind": "release",
        "project": blocks.build_project(ctx, project),
        "url": urls.release_url(ctx, project, release.tag_name),
        "action": action,
        "assets": _build_assets(ctx, project, release),
        "commit": blocks.build_commit_of(ctx, project, releases.find_sha(ctx.world, release)),
    }


def _build_assets(ctx: ReadContext, project: Project, release: Release) -> Block:
    name, tag = archives.short_name(project, release.tag_name), quote(release.tag_name)
    base = f"{urls.project_url(ctx, project)}/-/archive/{tag}/{quote(name)}"
    links = [_build_link(ctx, project, link) for link in release_links.list_links(ctx.world, release)]
    return {
        "count": len(links) + len(_SOURCE_FORMATS),
        "links": links,
        "sources": [{"format": format_, "url": f"{base}.{format_}"} for format_ in _SOURCE_FORMATS],
    }


def _build_link(ctx: ReadContext, project: Project, link: ReleaseLink) -> Block:
    return {
        "id": link.id,
        "external": not link.url.startswith(urls.project_url(ctx, project)),
        "link_type": link.link_type,
        "name": link.name,
        "url": link.url,
    }
