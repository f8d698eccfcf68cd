"""Views of releases. Source: docs/platform/releases.md.

Who cannot download the code of a project sees neither tags nor what leads to them.
"""

from typing import Final, TypedDict
from urllib.parse import quote, urlencode

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain.markup import markup
from fakeplat.domain.releases import evidences, release_links, releases
from fakeplat.domain.repository import archives, commits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.entities import urls
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.planning.labels import MilestoneView
from fakeplat.entities.repository.commits import CommitBasic
from fakeplat.model.projects import Project
from fakeplat.model.releases import Evidence, Release, ReleaseLink
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import (
    RELEASE_HTML_IS_OPTIONAL,
    RELEASE_NOTES_FOR_CALLER,
    RELEASES_LINK_TO_STATES,
    RELEASES_LINK_TO_THEMSELVES,
    RELEASES_NAME_THEIR_EVIDENCE,
)
from fakeplat.policy.context import ReadContext
from fakeplat.policy.documented import Ruling

SOURCE_FORMATS: Final = ("zip", "tar.gz", "tar.bz2", "tar")


_STATES_OF_PAGES: Final = {"issues": ("opened", "closed"), "merge_requests": ("opened", "merged", "closed")}


class IssueStats(TypedDict):
    """How many issues a milestone has, and how many of them are closed."""

    total: int
    closed: int


class ReleaseMilestone(MilestoneView):
    """A milestone of a release."""

    @computed
    def issue_stats(self) -> IssueStats:
        issues = self.ctx.world.issues
        # From the ids of the issues: a key of the closed ones alone would be needed for nothing else.
        rows = [issues[id_] for id_ in iterate_bits(issues.bits("facts", ("milestone", self.record.id)))]
        return {"total": len(rows), "closed": sum(issue.state == "closed" for issue in rows)}


class ReleaseLinkView(Entity[ReleaseLink]):
    """A link to an asset."""

    ctx: ReadContext

    id = attr()
    name = attr()
    url = attr()

    @computed
    def direct_asset_url(self) -> str:
        """The permanent address below the release, if the link has one."""
        link = self.record
        if link.filepath is None:
            return link.url
        return f"{urls.release_url(self.ctx, self._project, self._release.tag_name)}/downloads{quote(link.filepath)}"

    @computed_if(until="16.0")
    def external(self) -> bool:
        """Whether the asset is elsewhere than in the project."""
        return not self.record.url.startswith(urls.project_url(self.ctx, self._project))

    link_type = attr()

    @property
    def _release(self) -> Release:
        return self.ctx.world.releases[self.record.release_id]

    @property
    def _project(self) -> Project:
        return self.ctx.world.projects[self._release.project_id]


class EvidenceView(Entity[Evidence]):
    """Evidence, with the address of what was collected."""

    ctx: ReadContext

    sha = attr()

    @computed
    def filepath(self) -> str:
        release = self.ctx.world.releases[self.record.release_id]
        project = self.ctx.world.projects[release.project_id]
        return f"{urls.release_url(self.ctx, project, release.tag_name)}/evidences/{self.record.id}.json"

    collected_at = attr()


class Source(TypedDict):
    """An archive of the code."""

    format: str
    url: str


class ReleaseAssets(TypedDict, total=False):
    """What belongs to a release; ``count`` is the number of sources and links."""

    count: int
    sources: list[Source]
    links: list[ReleaseLinkView]
    evidence_file_path: str | None


HTML: Final = "html"


class ReleaseView(Entity[Release]):
    """A release."""

    ctx: ReadContext

    @computed
    def name(self) -> str:
        return self.record.name if self.shows_code else f"Release-{self.record.id}"

    tag_name = attr(when=lambda view: view.shows_code)
    description = attr()

    @computed_if(when=lambda view: HTML in view.options or not view.ctx.profile.has(RELEASE_HTML_IS_OPTIONAL))
    def description_html(self) -> str:
        # Before, they were rendered for nobody, so that titles of confidential records never show.
        ctx = self.ctx if self.ctx.profile.has(RELEASE_NOTES_FOR_CALLER) else self.ctx.as_anonymous()
        return markup.render_html(ctx, self.record.description, self.ctx.world.projects[self.record.project_id])

    created_at = attr()
    released_at = attr()

    @computed_if(when=lambda view: view.record.author_id is not None)
    def author(self) -> UserBasic | None:
        id_ = self.record.author_id
        author: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(id_) if id_ else None)
        return author

    @computed_if(when=lambda view: view.shows_code)
    def commit(self) -> CommitBasic | None:
        commit: CommitBasic | None = self.ctx.render(CommitBasic, self.find_commit())
        return commit

    @computed
    def upcoming_release(self) -> bool:
        return releases.is_upcoming(self.ctx, self.record)

    @computed_if(when=lambda view: view.shows_milestones)
    def milestones(self) -> list[ReleaseMilestone]:
        rows = releases.list_milestones(self.ctx.world, self.record)
        return [self.ctx.render(ReleaseMilestone, milestone) for milestone in rows]

    @computed_if(when=lambda view: view.shows_code and view.find_commit() is not None)
    def commit_path(self) -> str:
        return f"/{self._path}/-/commit/{releases.find_sha(self.ctx.world, self.record)}"

    @computed_if(when=lambda view: view.shows_code)
    def tag_path(self) -> str:
        return f"/{self._path}/-/tags/{quote(self.record.tag_name, safe='')}"

    @computed
    def assets(self) -> ReleaseAssets:
        rows = release_links.list_links(self.ctx.world, self.record)
        links = [self.ctx.render(ReleaseLinkView, link) for link in rows]
        if not self.shows_code:
            return {"count": len(links), "links": links}
        sources = self.list_sources()
        assets: ReleaseAssets = {"count": len(sources) + len(links), "sources": sources, "links": links}
        is_obsolete = self.ctx.profile.has(RELEASES_NAME_THEIR_EVIDENCE)
        if is_obsolete and Ruling.OBSOLETE_FIELDS_ARE_SHOWN.holds(self.ctx.world):
            assets["evidence_file_path"] = self._find_evidence_path()
        return assets

    @computed_if(when=lambda view: view.shows_code)
    def evidences(self) -> list[EvidenceView]:
        rows = evidences.list_evidences(self.ctx.world, self.record)
        return [self.ctx.render(EvidenceView, evidence) for evidence in rows]

    @computed
    def _links(self) -> dict[str, str]:
        if not self.shows_code:
            return {}
        if self.ctx.profile.has(RELEASES_LINK_TO_STATES):
            return self._list_state_urls()
        if self.ctx.profile.has(RELEASES_LINK_TO_THEMSELVES):
            return self._list_own_urls()
        return self.list_page_urls()

    def _list_own_urls(self) -> dict[str, str]:
        return {name: url for name, url in self.list_page_urls().items() if name in ("self", "edit_url")}

    def _list_state_urls(self) -> dict[str, str]:
        """Return the addresses of the release, and of its issues and merge requests in each state."""
        project_url = urls.project_url(self.ctx, self.project)
        found = self._list_own_urls()
        for page, states in _STATES_OF_PAGES.items():
            for state in states:
                query = urlencode({"release_tag": self.record.tag_name, "scope": "all", "state": state})
                found[f"{state}_{page}_url"] = f"{project_url}/-/{page}?{query}"
        return dict(sorted(found.items()))

    def list_page_urls(self) -> dict[str, str]:
        """Return the addresses of pages about the release."""
        url, project_url = self.url, urls.project_url(self.ctx, self.project)
        query = urlencode({"release_tag": self.record.tag_name, "scope": "all", "state": "opened"})
        editing = {"edit_url": f"{url}/edit"} if can(self.ctx, Ability.UPDATE_RELEASE, self.project) else {}
        return {
            "self": url,
            "merge_requests_url": f"{project_url}/-/merge_requests?{query}",
            "issues_url": f"{project_url}/-/issues?{query}",
            **editing,
        }

    def list_sources(self) -> list[Source]:
        """Return the archives of the code."""
        tag = self.record.tag_name
        name = archives.short_name(self.project, tag)
        base = f"{urls.project_url(self.ctx, self.project)}/-/archive/{quote(tag)}/{quote(name)}"
        return [{"format": format_, "url": f"{base}.{format_}"} for format_ in SOURCE_FORMATS]

    def find_commit(self) -> ProjectCommit | None:
        """Return the commit of the release, if it exists."""
        sha = releases.find_sha(self.ctx.world, self.record)
        return commits.find_commit(self.ctx.world, self.project, sha) if sha else None

    def _find_evidence_path(self) -> str | None:
        rows = evidences.list_evidences(self.ctx.world, self.record)
        return EvidenceView(rows[-1], self.ctx).filepath() if rows else None

    @property
    def shows_code(self) -> bool:
        """Whether the caller can download the code."""
        return can(self.ctx, Ability.DOWNLOAD_CODE, self.project)

    @property
    def shows_milestones(self) -> bool:
        """Whether there are milestones that the caller can read."""
        return bool(self.record.milestone_ids) and can(self.ctx, Ability.READ_MILESTONE, self.project)

    @property
    def project(self) -> Project:
        """The project of the release."""
        return self.ctx.world.projects[self.record.project_id]

    @property
    def url(self) -> str:
        """The address of the release."""
        return urls.release_url(self.ctx, self.project, self.record.tag_name)

    @property
    def _path(self) -> str:
        return urls.project_path(self.ctx, self.project)


class ReleaseBasic(Entity[Release]):
    """What a simple list shows of a release."""

    ctx: ReadContext

    @computed
    def name(self) -> str:
        name: str = ReleaseView(self.record, self.ctx).name()
        return name

    tag_name = attr()
    description = attr()
    created_at = attr()
    released_at = attr()

    @computed
    def upcoming_release(self) -> bool:
        return releases.is_upcoming(self.ctx, self.record)
