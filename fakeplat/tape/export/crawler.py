"""The crawler of a live server: reads projects and groups with their contents, members and repositories."""

from base64 import b64encode
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from attrs import define, field

from fakeplat.tape.export import ci_crawler, commit_notes, published_crawler
from fakeplat.tape.export.api_reader import PAGE, ApiReader, ApiRefused, find_header
from fakeplat.tape.export.cloning import NotCloned, clone_repository
from fakeplat.tape.export.issuable_crawler import crawl_issuable
from fakeplat.tape.export.subresources import (
    ACCESS_REQUESTS,
    BADGES,
    BOARDS,
    ISSUES,
    LANGUAGES,
    MEMBERS,
    MERGE_REQUESTS,
    NOTIFICATIONS,
    PROTECTED,
    TODOS,
)
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import ISSUE, MERGE_REQUEST, NAMESPACE, PROJECT, USER
from fakeplat.tape.records.recorded_requests import json_or_none

__all__ = ["ApiRefused", "Crawl"]

_UPLOADS: Final = "/uploads/-/system/"
_COMMON: Final = (MEMBERS, "labels", "milestones", BOARDS, BADGES, ACCESS_REQUESTS)
_SUBRESOURCES: Final = {
    "projects": (*_COMMON, ISSUES, MERGE_REQUESTS, "starrers", LANGUAGES, *PROTECTED),
    "groups": _COMMON,
}
_ISSUABLES: Final = {ISSUES: ISSUE, MERGE_REQUESTS: MERGE_REQUEST}
_EVERYTHING_OLDEST_FIRST: Final = "&scope=all&order_by=created_at&sort=asc"
_EXTRA_QUERY: Final = {
    ("groups", "labels"): "&include_ancestor_groups=false",
    ("projects", ISSUES): _EVERYTHING_OLDEST_FIRST,
    ("projects", MERGE_REQUESTS): f"{_EVERYTHING_OLDEST_FIRST}&state=all",
}
_UNREAD: Final = ("approval_rules", "snippets")
_COUNT_ALERTS: Final = "query($path: ID!) { project(fullPath: $path) { alertManagementAlertStatusCounts { all } } }"
_TODO_STATES: Final = ("pending", "done")


@define
class Crawl(ApiReader):
    """A crawl of projects and groups. To-dos and notification settings are read for the token's user only."""

    _admin: bool = False
    _visited: set[str] = field(factory=set)

    async def read(self, projects: Iterable[str], groups: Iterable[str]) -> Observations:
        """Read projects and groups by their full paths. Raises ApiRefused if one of them is not available."""
        await self._identify()
        for group in groups:
            await self._crawl_group(group)
        for project in projects:
            await self.read_required(f"projects/{quote(project, safe='')}", f"no project {project}")
            await self._crawl_project(project)
        await ci_crawler.crawl_runners(self)
        if self._admin:
            await self.read_all("admin/ci/variables", PAGE)
            await published_crawler.crawl_instance(self)
        await self._crawl_users()
        await self._crawl_avatars()
        return self.observations

    async def _identify(self) -> None:
        """Read the token's user and the server's version."""
        if self.token is None:
            return
        me = await self.read_required("user", "the token is not accepted")
        self.me, self._admin = me.get("username"), bool(me.get("is_admin"))
        await self.page("version", "")
        await self.page(NOTIFICATIONS, "")

    async def _crawl_group(self, path: str) -> None:
        """Read a group with its projects and subgroups."""
        container = f"groups/{quote(path, safe='')}"
        await self._crawl_ancestors(path)
        await self.read_required(container, f"no group {path}", "")
        async for project in self.iterate_rows(
            f"{container}/projects", f"{PAGE}&include_subgroups=true&with_shared=false"
        ):
            await self._crawl_project(project.get("path_with_namespace") or "")
        async for group in self.iterate_rows(f"{container}/descendant_groups", PAGE):
            await self._crawl_ancestors(group.get("full_path") or "")

    async def _crawl_ancestors(self, path: str) -> None:
        """Read a group and its ancestors, whose members, labels and milestones apply to projects."""
        parent, _, _ = path.rpartition("/")
        if parent:
            await self._crawl_ancestors(parent)
        container = f"groups/{quote(path, safe='')}"
        if not path or container in self._visited:
            return
        self._visited.add(container)
        group = await self.page(container, "")
        if group is not None:
            await self._crawl_subresources(container)
            if self.me is not None:
                await ci_crawler.crawl_group(self, container)
                await published_crawler.crawl_group(self, container)

    async def _crawl_project(self, path: str) -> None:
        container = f"projects/{quote(path, safe='')}"
        if not path or container in self._visited:
            return
        self._visited.add(container)
        for project in iterate_objects(await self.page(container, "")):
            await self._crawl_project_contents(container, project)

    async def _crawl_project_contents(self, container: str, project: Document) -> None:
        """Read the groups that a project belongs to or is shared with, and the project's contents."""
        namespace = project.get("namespace") or {}
        if namespace.get("kind") == "group":
            await self._crawl_ancestors(namespace.get("full_path") or "")
        for share in iterate_objects(project.get("shared_with_groups")):
            await self._crawl_ancestors(share.get("group_full_path") or "")
        await self._crawl_subresources(container)
        await self._count_unread(container, project.get("path_with_namespace") or "")
        for collection, kind in _ISSUABLES.items():
            for issuable in self.observations.of_kind(kind):
                if issuable.get("project_id") == project.get("id"):
                    await crawl_issuable(self, container, collection, issuable)
        if self.me is not None:
            for state in _TODO_STATES:
                await self.read_all(TODOS, f"{PAGE}&project_id={project.get('id')}&state={state}")
            await ci_crawler.crawl_project(self, container)
            await published_crawler.crawl_project(self, container)
        await commit_notes.crawl_commit_notes(self, container)
        await self._clone(project)

    async def _clone(self, project: Document) -> None:
        """Clone a repository; a failure is added to ``skipped``."""
        path = project.get("path_with_namespace") or ""
        if not isinstance(project.get("id"), int) or project.get("empty_repo"):
            return
        try:
            repository = await clone_repository(self.send, quote(path), self.token)
        except NotCloned as refusal:
            self.skipped.append(f"{path}.git {refusal}")
            return
        if repository:
            self.observations.repositories[project["id"]] = repository

    async def _count_unread(self, container: str, path: str) -> None:
        """Count records of a project that scenarios do not support, so that their omission can be reported."""
        for part in _UNREAD:
            response = await self.get(f"{container}/{part}", "per_page=1")
            rows = json_or_none(response.body) if response.status == 200 else None
            if isinstance(rows, list):
                total = find_header(response, "x-total") or ""
                # The platform omits the total of very long lists; the row on the page then stands for all.
                self.unread[part.replace("_", " ")] += int(total) if total.isdigit() else len(rows)
        # REST has no list of alerts.
        query = {"query": _COUNT_ALERTS, "variables": {"path": path}}
        match json_or_none((await self.post("/api/graphql", query)).body):
            case {"data": {"project": {"alertManagementAlertStatusCounts": {"all": int(number)}}}}:
                self.unread["alerts"] += number

    async def _crawl_subresources(self, container: str) -> None:
        kind = container.partition("/")[0]
        for name in _SUBRESOURCES[kind]:
            await self.read_all(f"{container}/{name}", f"{PAGE}{_EXTRA_QUERY.get((kind, name), '')}")
        if self.me is not None:
            await self.page(f"{container}/{NOTIFICATIONS}", "")
        if self._admin:
            await self.read_all(f"{container}/custom_attributes", "")

    async def _crawl_users(self) -> None:
        """Read all users that were mentioned, as far as they are visible to the token."""
        for user in self.observations.of_kind(USER):
            await self.page(f"users/{user['id']}", "")
            if self._admin:
                await self.page(f"users/{user['id']}/custom_attributes", "")

    async def _crawl_avatars(self) -> None:
        """Download uploaded avatars, as far as the token allows it."""
        for kind in (USER, NAMESPACE, PROJECT):
            for record in self.observations.of_kind(kind):
                path = urlsplit(record.get("avatar_url") or "").path
                if _UPLOADS in path:
                    await self._download_avatar(record, path)

    async def _download_avatar(self, record: Document, path: str) -> None:
        response = await self.get(path, "")
        content_type = find_header(response, "content-type") or ""
        if response.status != 200 or not content_type.startswith("image/"):
            self.skipped.append(f"{path[1:]} {response.status}")
            return
        content = b64encode(response.body).decode()
        filename = unquote(path.rpartition("/")[2])
        record["avatar"] = {"filename": filename, "content_type": content_type, "content_base64": content}
