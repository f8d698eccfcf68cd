"""A live server, read page by page: projects and groups with what is in them and who is, and the repositories."""

from base64 import b64encode
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from attrs import define, field

from fakeplat.tape.export import commit_notes
from fakeplat.tape.export.api_reader import PAGE, ApiReader, ApiRefused, get_header
from fakeplat.tape.export.cloning import NotCloned, clone_repository
from fakeplat.tape.export.issuable_crawler import crawl_issuable
from fakeplat.tape.export.json_objects import Document, iterate_objects
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import ISSUE, MERGE_REQUEST, NAMESPACE, PROJECT, USER
from fakeplat.tape.export.recorded_requests import json_or_none
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

__all__ = ["ApiRefused", "Crawl"]

_UPLOADED: Final = "/uploads/-/system/"
_OF_EACH: Final = (MEMBERS, "labels", "milestones", BOARDS, BADGES, ACCESS_REQUESTS)
_PARTS: Final = {
    "projects": (*_OF_EACH, ISSUES, MERGE_REQUESTS, "starrers", LANGUAGES, *PROTECTED),
    "groups": _OF_EACH,
}
_DELVED: Final = {ISSUES: ISSUE, MERGE_REQUESTS: MERGE_REQUEST}
_ALL: Final = "&scope=all&order_by=created_at&sort=asc"
_FURTHER: Final = {
    ("groups", "labels"): "&include_ancestor_groups=false",
    ("projects", ISSUES): _ALL,
    ("projects", MERGE_REQUESTS): f"{_ALL}&state=all",
}
_UNREAD: Final = ("approval_rules", "pipelines", "snippets")
_COUNT_ALERTS: Final = "query($path: ID!) { project(fullPath: $path) { alertManagementAlertStatusCounts { all } } }"
_STATES: Final = ("pending", "done")


@define
class Crawl(ApiReader):
    """A crawl of projects and groups; to-dos and notification settings are those of the token's user."""

    _admin: bool = False
    _done: set[str] = field(factory=set)

    async def read(self, projects: Iterable[str], groups: Iterable[str]) -> Observations:
        """Read projects and groups by their full paths; Refused where one of them is not to be had."""
        await self._introduce()
        for group in groups:
            await self._group(group)
        for project in projects:
            await self.needed(f"projects/{quote(project, safe='')}", f"no project {project}")
            await self._project(project)
        await self._people()
        await self._pictures()
        return self.seen

    async def _introduce(self) -> None:
        """Who asks, and whom."""
        if self.token is None:
            return
        me = await self.needed("user", "the token is not accepted")
        self.me, self._admin = me.get("username"), bool(me.get("is_admin"))
        await self.page("version", "")
        await self.page(NOTIFICATIONS, "")

    async def _group(self, path: str) -> None:
        """A group with its projects and the groups in it."""
        place = f"groups/{quote(path, safe='')}"
        await self._around(path)
        await self.needed(place, f"no group {path}", "")
        async for project in self.every(f"{place}/projects", f"{PAGE}&include_subgroups=true&with_shared=false"):
            await self._project(project.get("path_with_namespace") or "")
        async for group in self.every(f"{place}/descendant_groups", PAGE):
            await self._around(group.get("full_path") or "")

    async def _around(self, path: str) -> None:
        """A group and those above it: who is in them, and what they lend to projects."""
        above, _, _ = path.rpartition("/")
        if above:
            await self._around(above)
        place = f"groups/{quote(path, safe='')}"
        if not path or place in self._done:
            return
        self._done.add(place)
        found = await self.page(place, "")
        if found is not None:
            await self._parts(place)

    async def _project(self, path: str) -> None:
        place = f"projects/{quote(path, safe='')}"
        if not path or place in self._done:
            return
        self._done.add(place)
        for project in iterate_objects(await self.page(place, "")):
            await self._around_and_inside(place, project)

    async def _around_and_inside(self, place: str, project: Document) -> None:
        """What a project lies in or is shared with, and what is in it."""
        space = project.get("namespace") or {}
        if space.get("kind") == "group":
            await self._around(space.get("full_path") or "")
        for share in iterate_objects(project.get("shared_with_groups")):
            await self._around(share.get("group_full_path") or "")
        await self._parts(place)
        await self._count_unread(place, project.get("path_with_namespace") or "")
        for things, kind in _DELVED.items():
            for one in self.seen.of(kind):
                if one.get("project_id") == project.get("id"):
                    await crawl_issuable(self, place, things, one)
        if self.me is not None:
            for state in _STATES:
                await self.whole(TODOS, f"{PAGE}&project_id={project.get('id')}&state={state}")
        await commit_notes.crawl_commit_notes(self, place)
        await self._repository(project)

    async def _repository(self, project: Document) -> None:
        """Branches and tags with all that they lead to; a note where git gives nothing."""
        path = project.get("path_with_namespace") or ""
        if not isinstance(project.get("id"), int) or project.get("empty_repo"):
            return
        try:
            found = await clone_repository(self.patiently, quote(path), self.token)
        except NotCloned as refusal:
            self.skipped.append(f"{path}.git {refusal}")
            return
        if found:
            self.seen.repositories[project["id"]] = found

    async def _count_unread(self, place: str, path: str) -> None:
        """Count what the project has and no scenario is made of, so that it is not left out without a word."""
        for part in _UNREAD:
            response = await self.answer(f"{place}/{part}", "per_page=1")
            rows = json_or_none(response.body) if response.status == 200 else None
            if isinstance(rows, list):
                total = get_header(response, "x-total") or ""
                self.unread[part.replace("_", " ")] += int(total) if total.isdigit() else len(rows)
        query = {"query": _COUNT_ALERTS, "variables": {"path": path}}
        match json_or_none((await self.posted("/api/graphql", query)).body):
            case {"data": {"project": {"alertManagementAlertStatusCounts": {"all": int(number)}}}}:
                self.unread["alerts"] += number

    async def _parts(self, place: str) -> None:
        kind = place.partition("/")[0]
        for word in _PARTS[kind]:
            await self.whole(f"{place}/{word}", f"{PAGE}{_FURTHER.get((kind, word), '')}")
        if self.me is not None:
            await self.page(f"{place}/{NOTIFICATIONS}", "")
        if self._admin:
            await self.whole(f"{place}/custom_attributes", "")

    async def _people(self) -> None:
        """Everybody who was named, as far as the token may see them."""
        for user in self.seen.of(USER):
            await self.page(f"users/{user['id']}", "")
            if self._admin:
                await self.page(f"users/{user['id']}/custom_attributes", "")

    async def _pictures(self) -> None:
        """Avatars that were uploaded, as far as the server gives them to a token."""
        for kind in (USER, NAMESPACE, PROJECT):
            for record in self.seen.of(kind):
                path = urlsplit(record.get("avatar_url") or "").path
                if _UPLOADED in path:
                    await self._picture(record, path)

    async def _picture(self, record: Document, path: str) -> None:
        response = await self.answer(path, "")
        content_type = get_header(response, "content-type") or ""
        if response.status != 200 or not content_type.startswith("image/"):
            self.skipped.append(f"{path[1:]} {response.status}")
            return
        content = b64encode(response.body).decode()
        filename = unquote(path.rpartition("/")[2])
        record["avatar"] = {"filename": filename, "content_type": content_type, "content_base64": content}
