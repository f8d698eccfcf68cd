"""Mutations of releases and their links. Source: docs/platform/graphql.md, docs/platform/releases.md."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict, Unpack

from fakeplat.domain.releases import release_links, releases
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.schema_builder import Input, Scalar, mutation
from fakeplat.model.projects import Project
from fakeplat.model.releases import LinkType, Release, ReleaseLink
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import WriteContext

Payload = Mapping[str, Any]
_GIVES: Final = '"""The release."""\nrelease: Release'
_GIVES_LINK: Final = '"""The link."""\nlink: ReleaseAssetLink'
_LINK_FIELDS: Final = '''
"""The path of the permanent address."""
directAssetPath: String
"""The type."""
linkType: ReleaseAssetLinkType
'''

Scalar("ReleasesLinkID", "The global ID of a link of a release.", since="<=13.11")
Input(
    "ReleaseAssetLinkInput",
    "A link of a new release.",
    '"""The name."""\nname: String!\n"""The address."""\nurl: String!' + _LINK_FIELDS,
    since="<=13.6",
)
Input(
    "ReleaseAssetsInput",
    "The assets of a new release.",
    '"""The links."""\nlinks: [ReleaseAssetLinkInput!]',
    since="<=13.6",
)


class ReleaseInput(TypedDict, total=False):
    """The input of both mutations that set several attributes."""

    name: str | None
    description: str | None
    released_at: str | None
    milestones: list[str] | None


class NewReleaseInput(ReleaseInput, total=False):
    """The input of releaseCreate."""

    tag_message: str | None
    ref: str | None
    assets: Mapping[str, Any] | None


class LinkInput(TypedDict, total=False):
    """The input of the mutations of links."""

    name: str
    url: str
    direct_asset_path: str | None
    link_type: LinkType


def _get_release(ctx: WriteContext, project: Project, tag_name: str) -> Release:
    release = releases.find(ctx.world, project, tag_name)
    if release is None:
        raise ResourceNotAvailable(f"there is no release of the tag {tag_name!r}")
    return release


def _convert_link(link: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a link from its input."""
    names = {"direct_asset_path": "filepath"}
    return {names.get(name, name): value for name, value in link.items() if value is not None}


@mutation(
    "releaseCreate",
    input_fields='''
"""The full path of the project."""
projectPath: ID!
"""The tag."""
tagName: String!
"""The message of a new tag."""
tagMessage: String @lifetime(since: "<=15.3")
"""Where a new tag is created."""
ref: String
"""The name."""
name: String
"""The description in Markdown."""
description: String
"""Timestamp of the release."""
releasedAt: Time
"""The titles of milestones."""
milestones: [String!]
"""The assets."""
assets: ReleaseAssetsInput
''',
    payload_fields=_GIVES,
    since="<=13.6",
)
def release_create(
    ctx: WriteContext, project_path: str, tag_name: str, **attributes: Unpack[NewReleaseInput]
) -> Payload:
    """Create a release, and its tag if there is none."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.CREATE_RELEASE, project)
    fields: dict[str, Any] = {**attributes}
    titles = fields.pop("milestones", None) or ()
    assets = fields.pop("assets", None) or {}
    links: Any = [_convert_link(link) for link in assets.get("links") or ()]
    with collect_errors(release=None):
        return {"release": releases.create(ctx, project, tag_name, titles=titles, links=links, **fields)}


@mutation(
    "releaseUpdate",
    input_fields='''
"""The full path of the project."""
projectPath: ID!
"""The tag."""
tagName: String!
"""The name."""
name: String
"""The description in Markdown."""
description: String
"""Timestamp of the release."""
releasedAt: Time
"""The titles of milestones, which replace all others."""
milestones: [String!]
''',
    payload_fields=_GIVES,
    since="<=13.7",
)
def release_update(ctx: WriteContext, project_path: str, tag_name: str, **attributes: Unpack[ReleaseInput]) -> Payload:
    """Update a release."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.UPDATE_RELEASE, project)
    release = _get_release(ctx, project, tag_name)
    fields: dict[str, Any] = {**attributes}
    if "milestones" in fields:
        fields["titles"] = fields.pop("milestones") or ()
    with collect_errors(release=None):
        return {"release": releases.update(ctx, project, release, **fields)}


@mutation(
    "releaseDelete",
    input_fields='"""The full path of the project."""\nprojectPath: ID!\n"""The tag."""\ntagName: String!',
    payload_fields=_GIVES,
    since="<=13.7",
)
def release_delete(ctx: WriteContext, project_path: str, tag_name: str) -> Payload:
    """Delete a release; its tag stays."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.DESTROY_RELEASE, project)
    release = _get_release(ctx, project, tag_name)
    with collect_errors(release=None):
        releases.delete(ctx, project, release)
    return {"release": release}


@mutation(
    "releaseAssetLinkCreate",
    input_fields='''
"""The full path of the project."""
projectPath: ID!
"""The tag of the release."""
tagName: String!
"""The name."""
name: String!
"""The address."""
url: String!
'''
    + _LINK_FIELDS,
    payload_fields=_GIVES_LINK,
    since="13.10",
)
def release_asset_link_create(
    ctx: WriteContext, project_path: str, tag_name: str, **fields: Unpack[LinkInput]
) -> Payload:
    """Add a link to a release."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.CREATE_RELEASE, project)
    release = _get_release(ctx, project, tag_name)
    link: Any = _convert_link(fields)
    with collect_errors(link=None):
        return {"link": release_links.create(ctx, release, **link)}


def _get_link(ctx: WriteContext, id_: str, ability: Ability) -> tuple[Release, ReleaseLink]:
    """Return a link and its release, or an error for who lacks the ability."""
    link = ctx.world.release_links.get(parse_id(ctx, id_, "Releases::Link"))
    if link is None:
        raise ResourceNotAvailable(f"there is no link {id_}")
    release = ctx.world.releases[link.release_id]
    authorize(ctx, ability, ctx.world.projects[release.project_id])
    return release, link


@mutation(
    "releaseAssetLinkUpdate",
    input_fields='"""The link."""\nid: ReleasesLinkID!\n"""The name."""\nname: String\n"""The address."""\nurl: String'
    + _LINK_FIELDS,
    payload_fields=_GIVES_LINK,
    since="<=13.11",
)
def release_asset_link_update(ctx: WriteContext, id: str, **fields: Unpack[LinkInput]) -> Payload:
    """Update a link of a release."""
    release, link = _get_link(ctx, id, Ability.UPDATE_RELEASE)
    changes: Any = _convert_link(fields)
    with collect_errors(link=None):
        return {"link": release_links.update(ctx, release, link, **changes)}


@mutation(
    "releaseAssetLinkDelete",
    input_fields='"""The link."""\nid: ReleasesLinkID!',
    payload_fields=_GIVES_LINK,
    since="<=13.11",
)
def release_asset_link_delete(ctx: WriteContext, id: str) -> Payload:
    """Delete a link of a release."""
    _, link = _get_link(ctx, id, Ability.DESTROY_RELEASE)
    release_links.delete(ctx, link)
    return {"link": link}
