"""Releases of projects. Source: docs/platform/graphql.md, docs/platform/releases.md."""

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlencode

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.markup import markup
from fakeplat.domain.people import namespaces
from fakeplat.domain.releases import evidences, release_links, releases
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.entities import urls
from fakeplat.entities.releases import EvidenceView, ReleaseLinkView, ReleaseView
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.planning.milestones import MILESTONE
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Scalar, Type
from fakeplat.model.people import Group, User
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Project
from fakeplat.model.releases import Evidence, Release, ReleaseLink
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext


@frozen
class Assets:
    """The assets of a release."""

    release: Release


@frozen
class Links:
    """The addresses of pages about a release."""

    release: Release


@frozen
class Source:
    """An archive of the code."""

    format: str
    url: str

    @property
    def id(self) -> str:
        """What identifies the archive among those of its release."""
        return self.format


Enumeration(
    "ReleaseAssetLinkType",
    "The type of a link of a release.",
    {name.upper(): (name, f"The type {name}.") for name in ("other", "runbook", "package", "image")},
)
RELEASE: Final = Type("Release", "A release.", has_count=True)
RELEASE.attributes(
    {
        "description: String": "The description.",
        "createdAt: Time": "Timestamp of creation.",
        "releasedAt: Time": "Timestamp of the release.",
    }
)
Scalar("ReleaseID", "The global ID of a release.", since="<=15.3")
ASSETS: Final = Type("ReleaseAssets", "The assets of a release.")
LINK: Final = Type("ReleaseAssetLink", "A link to an asset.", gid="Releases::Link")
LINK.attributes(
    {
        "name: String": "The name.",
        "url: String": "The address.",
        "linkType: ReleaseAssetLinkType": "The type.",
    }
)
SOURCE: Final = Type("ReleaseSource", "An archive of the code.")
SOURCE.attributes({"format: String": "The format.", "url: String": "The address."})
EVIDENCE: Final = Type("ReleaseEvidence", "Evidence of a release.", gid="Releases::Evidence")
EVIDENCE.attributes({"sha: String": "The SHA-256 of the evidence.", "collectedAt: Time": "Timestamp of collection."})
LINKS: Final = Type("ReleaseLinks", "The addresses of pages about a release.")


_BY_RELEASE: Final = ("released_at", True)
Enumeration(
    "ReleaseSort",
    "The order of releases.",
    {
        "CREATED_DESC": (("created_at", True), "By creation, newest first."),
        "CREATED_ASC": (("created_at", False), "By creation, oldest first."),
        "RELEASED_AT_DESC": (_BY_RELEASE, "By release, newest first."),
        "RELEASED_AT_ASC": (("released_at", False), "By release, oldest first."),
    },
    since="<=13.6",
)


@PROJECT.field('releases(sort: ReleaseSort = RELEASED_AT_DESC @lifetime(since: "<=13.6")): ReleaseConnection')
def releases_of(ctx: ReadContext, project: Project, sort: tuple[str, bool] | None = _BY_RELEASE) -> Sequence[Release]:
    """The releases of the project, newest first unless an order is given."""
    if not can(ctx, Ability.READ_RELEASE, project):
        return ()
    column, descending = sort or _BY_RELEASE
    return releases.list_releases(ctx.world, project, column, descending=descending)


_GROUPS: Final = "<=16.2"
_STATS: Final = "<=13.7"
Enumeration(
    "GroupReleaseSort",
    "The order of the releases of a group.",
    {
        f"RELEASED_AT_{direction}": (direction == "DESC", f"By time of release, {direction.lower()}ending.")
        for direction in ("ASC", "DESC")
    },
    since=_GROUPS,
)


@GROUP.field("releases(sort: GroupReleaseSort = RELEASED_AT_DESC): ReleaseConnection", since=_GROUPS)
def releases_of_group(ctx: ReadContext, group: Group, sort: bool | None = True) -> Sequence[Release]:
    """The releases of its projects that the caller sees, newest first."""
    return releases.list_group_releases(ctx, group, descending=sort is not False)


@MILESTONE.field("releases: ReleaseConnection", since="<=15.3")
def releases_of_milestone(ctx: ReadContext, milestone: Milestone) -> Sequence[Release]:
    """The releases that have the milestone, newest first."""
    kind, id_ = milestone.source
    project = ctx.world.projects.get(id_) if kind == "project" else None
    return (
        []
        if project is None
        else [release for release in releases_of(ctx, project) if milestone.id in release.milestone_ids]
    )


GROUP_STATS = Type("GroupStats", "Numbers of a group.", since=_STATS)
RELEASE_STATS = Type("GroupReleaseStats", "Numbers of releases of a group.", since=_STATS)


@GROUP.field("stats: GroupStats", since=_STATS)
@GROUP_STATS.field("releaseStats: GroupReleaseStats")
def stats_of_group(_ctx: ReadContext, group: Group) -> Group:
    """Numbers of the group."""
    return group


@RELEASE_STATS.field("releasesCount: Int")
def releases_count(ctx: ReadContext, group: Group) -> int:
    """Number of releases of its projects and those of its subgroups."""
    return sum(
        len(ctx.world.releases.ids("project", project.id))
        for project in namespaces.list_projects_within(ctx.world, group)
    )


@RELEASE_STATS.field("releasesPercentage: Int")
def releases_percentage(ctx: ReadContext, group: Group) -> int:
    """Percentage of its projects that have a release."""
    projects = [*namespaces.list_projects_within(ctx.world, group)]
    released = sum(bool(ctx.world.releases.ids("project", project.id)) for project in projects)
    return 100 * released // len(projects) if projects else 0


@PROJECT.field("release(tagName: String!): Release")
def release_of(ctx: ReadContext, project: Project, tag_name: str) -> Release | None:
    """The release of a tag."""
    readable = can(ctx, Ability.READ_RELEASE, project) and can(ctx, Ability.DOWNLOAD_CODE, project)
    return releases.find(ctx.world, project, tag_name) if readable else None


@RELEASE.field("id: ReleaseID!", since="<=15.3")
def id_(ctx: ReadContext, release: Release) -> str:
    """The global ID."""
    return global_id(ctx, "Release", release.id)


@RELEASE.field("historicalRelease: Boolean", since="<=15.3")
def historical_release(_ctx: ReadContext, release: Release) -> bool:
    """Whether the release was released before it was created."""
    return release.is_historical


@RELEASE.field("name: String")
def name(ctx: ReadContext, release: Release) -> str:
    """The name."""
    return str(ReleaseView(release, ctx).name())


@RELEASE.field("tagName: String")
def tag_name_of(ctx: ReadContext, release: Release) -> str | None:
    """The name of the tag; only for those who can download the code."""
    return release.tag_name if ReleaseView(release, ctx).shows_code else None


@RELEASE.field("tagPath: String")
def tag_path(ctx: ReadContext, release: Release) -> str | None:
    """The path of the tag's page; only for those who can download the code."""
    view = ReleaseView(release, ctx)
    return view.tag_path() if view.shows_code else None


@RELEASE.field("descriptionHtml: String")
def description_html(ctx: ReadContext, release: Release) -> str:
    """The description rendered as HTML."""
    return markup.render_html(ctx, release.description, ctx.world.projects[release.project_id])


@RELEASE.field("upcomingRelease: Boolean")
def upcoming_release(ctx: ReadContext, release: Release) -> bool:
    """Whether the release is still to come."""
    return releases.is_upcoming(ctx, release)


@RELEASE.field("author: User")
def author(ctx: ReadContext, release: Release) -> User | None:
    """The user who created the release."""
    return ctx.world.users.get(release.author_id) if release.author_id is not None else None


@RELEASE.field("commit: Commit")
def commit(ctx: ReadContext, release: Release) -> ProjectCommit | None:
    """The commit of the release; only for those who can download the code."""
    view = ReleaseView(release, ctx)
    return view.find_commit() if view.shows_code else None


@RELEASE.field("milestones: MilestoneConnection")
def milestones(ctx: ReadContext, release: Release) -> Sequence[Milestone]:
    """The milestones of the release."""
    view = ReleaseView(release, ctx)
    return releases.list_milestones(ctx.world, release) if view.shows_milestones else ()


@RELEASE.field("evidences: ReleaseEvidenceConnection")
def evidences_of(ctx: ReadContext, release: Release) -> Sequence[Evidence]:
    """The evidence of the release."""
    return evidences.list_evidences(ctx.world, release) if ReleaseView(release, ctx).shows_code else ()


@EVIDENCE.field("filepath: String")
def filepath(ctx: ReadContext, evidence: Evidence) -> str:
    """The address of the evidence."""
    return str(EvidenceView(evidence, ctx).filepath())


@RELEASE.field("assets: ReleaseAssets")
def assets(_ctx: ReadContext, release: Release) -> Assets:
    """The assets of the release."""
    return Assets(release)


@ASSETS.field("count: Int")
def count(ctx: ReadContext, assets: Assets) -> int:
    """The number of assets."""
    return len(links(ctx, assets)) + len(sources(ctx, assets))


@ASSETS.field("links: ReleaseAssetLinkConnection")
def links(ctx: ReadContext, assets: Assets) -> Sequence[ReleaseLink]:
    """The links of the release."""
    return release_links.list_links(ctx.world, assets.release)


@ASSETS.field("sources: ReleaseSourceConnection")
def sources(ctx: ReadContext, assets: Assets) -> Sequence[Source]:
    """The archives of the code; only for those who can download it."""
    view = ReleaseView(assets.release, ctx)
    return [Source(source["format"], source["url"]) for source in view.list_sources()] if view.shows_code else ()


@LINK.field("external: Boolean", until="16.0")
def external(ctx: ReadContext, link: ReleaseLink) -> bool:
    """Whether the asset is elsewhere than in the project."""
    return bool(ReleaseLinkView(link, ctx).external())


@LINK.field("directAssetPath: String", since="<=14.1")
def direct_asset_path(_ctx: ReadContext, link: ReleaseLink) -> str | None:
    """The path of the permanent address."""
    return link.filepath


@LINK.field("directAssetUrl: String")
def direct_asset_url(ctx: ReadContext, link: ReleaseLink) -> str:
    """The permanent address of the asset."""
    return str(ReleaseLinkView(link, ctx).direct_asset_url())


@RELEASE.field("links: ReleaseLinks")
def links_of(ctx: ReadContext, release: Release) -> Links | None:
    """The addresses of pages about the release; only for those who can download the code."""
    return Links(release) if ReleaseView(release, ctx).shows_code else None


def _page_field(signature: str, key: str, description: str, *, until: str = "") -> None:
    def page_url(ctx: ReadContext, links: Links) -> Any:
        return ReleaseView(links.release, ctx).list_page_urls().get(key)

    LINKS.field(signature, until=until, description=description)(page_url)


_page_field("selfUrl: String", "self", "The address of the release.")
_page_field("editUrl: String", "edit_url", "The address of its form; only for those who can edit it.")
_page_field(
    "mergeRequestsUrl: String",
    "merge_requests_url",
    "The address of the open merge requests of the release.",
    until="13.6",
)
_page_field("issuesUrl: String", "issues_url", "The address of the open issues of the release.", until="13.6")


def _search_field(signature: str, page: str, state: str) -> None:
    def search_url(ctx: ReadContext, links: Links) -> str:
        query = urlencode({"release_tag": links.release.tag_name, "scope": "all", "state": state})
        return f"{urls.project_url(ctx, ctx.world.projects[links.release.project_id])}/-/{page}?{query}"

    LINKS.field(
        signature, since="13.6", description=f"The address of the {state} {page.replace('_', ' ')} of the release."
    )(search_url)


_search_field("openedMergeRequestsUrl: String", "merge_requests", "opened")
_search_field("mergedMergeRequestsUrl: String", "merge_requests", "merged")
_search_field("closedMergeRequestsUrl: String", "merge_requests", "closed")
_search_field("openedIssuesUrl: String", "issues", "opened")
_search_field("closedIssuesUrl: String", "issues", "closed")
