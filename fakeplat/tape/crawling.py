"""A live server, read page by page: projects and groups with what is in them and who is, and the repositories."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from re import compile as pattern
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

import orjson
from attrs import define, field

from fakeplat.core.messages import Request, Response
from fakeplat.core.operation import PREFIX
from fakeplat.tape.cloning import NotCloned, cloned
from fakeplat.tape.kinds import ISSUE, NAMESPACE, PROJECT, USER
from fakeplat.tape.live import Ask
from fakeplat.tape.observing import Document, Observed, documents

Pause = Callable[[float], Awaitable[None]]
Progress = Callable[[str], None]

_NEXT: Final = pattern(r'<([^>]*)>\s*;[^,]*rel="?next"?')
_UPLOADED: Final = "/uploads/-/system/"
_PAGE: Final = "per_page=100"
_OWN_LABELS: Final = "include_ancestor_groups=false"
_PARTS_OF_PROJECTS: Final = (
    "members",
    "labels",
    "milestones",
    "issues",
    "starrers",
    "languages",
    "protected_branches",
    "protected_tags",
)
_PARTS_OF_GROUPS: Final = ("members", "labels", "milestones")
_NOT_THERE: Final = (403, 404, 405, 501)
_MOST_PAUSES: Final = 10
_LONGEST_PAUSE: Final = 300.0


class Refused(Exception):
    """The server refuses what the crawl cannot do without: one line that says what."""


@define
class Crawl:
    """A crawl. ``seen`` grows; ``tell`` hears what is being read; ``skipped`` are paths that gave nothing."""

    ask: Ask
    token: str | None
    seen: Observed = field(factory=Observed)
    tell: Progress = lambda _: None
    pause: Pause = asyncio.sleep
    skipped: list[str] = field(factory=list)
    date: str | None = None
    _me: str | None = None
    _admin: bool = False
    _done: set[str] = field(factory=set)

    async def read(self, projects: Iterable[str], groups: Iterable[str]) -> Observed:
        """Read projects and groups by their full paths; Refused where one of them is not to be had."""
        await self._introduce()
        for group in groups:
            await self._group(group)
        for project in projects:
            await self._needed(f"projects/{quote(project, safe='')}", f"no project {project}")
            await self._project(project)
        await self._people()
        await self._pictures()
        return self.seen

    async def _introduce(self) -> None:
        """Who asks, and whom."""
        if self.token is None:
            return
        me = await self._needed("user", "the token is not accepted")
        self._me, self._admin = me.get("username"), bool(me.get("is_admin"))
        await self._page("version", "")

    async def _group(self, path: str) -> None:
        """A group with its projects and the groups in it."""
        place = f"groups/{quote(path, safe='')}"
        await self._around(path)
        await self._needed(place, f"no group {path}", "with_projects=false")
        async for project in self._every(f"{place}/projects", f"{_PAGE}&include_subgroups=true&with_shared=false"):
            await self._project(project.get("path_with_namespace") or "")
        async for group in self._every(f"{place}/descendant_groups", _PAGE):
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
        found = await self._page(place, "with_projects=false")
        if found is not None:
            await self._parts(place, _PARTS_OF_GROUPS)

    async def _project(self, path: str) -> None:
        place = f"projects/{quote(path, safe='')}"
        if not path or place in self._done:
            return
        self._done.add(place)
        for project in documents(await self._page(place, "")):
            await self._around_and_inside(place, project)

    async def _around_and_inside(self, place: str, project: Document) -> None:
        """What a project lies in or is shared with, and what is in it."""
        space = project.get("namespace") or {}
        if space.get("kind") == "group":
            await self._around(space.get("full_path") or "")
        for share in documents(project.get("shared_with_groups")):
            await self._around(share.get("group_full_path") or "")
        await self._parts(place, _PARTS_OF_PROJECTS)
        for issue in self.seen.of(ISSUE):
            if issue.get("project_id") == project.get("id") and (issue.get("upvotes") or issue.get("downvotes")):
                await self._whole(f"{place}/issues/{issue.get('iid')}/award_emoji", _PAGE)
        await self._repository(project)

    async def _repository(self, project: Document) -> None:
        """Branches and tags with all that they lead to; a note where git gives nothing."""
        path = project.get("path_with_namespace") or ""
        if not isinstance(project.get("id"), int) or project.get("empty_repo"):
            return
        try:
            found = await cloned(self._patiently, quote(path), self.token)
        except NotCloned as refusal:
            self.skipped.append(f"{path}.git {refusal}")
            return
        if found:
            self.seen.repositories[project["id"]] = found

    async def _parts(self, place: str, words: Iterable[str]) -> None:
        for word in words:
            await self._whole(f"{place}/{word}", f"{_PAGE}{_FURTHER.get((place.partition('/')[0], word), '')}")
        if self._admin:
            await self._whole(f"{place}/custom_attributes", "")

    async def _people(self) -> None:
        """Everybody who was named, as far as the token may see them."""
        for user in self.seen.of(USER):
            await self._page(f"users/{user['id']}", "")
            if self._admin:
                await self._page(f"users/{user['id']}/custom_attributes", "")

    async def _pictures(self) -> None:
        """Avatars that were uploaded, as far as the server gives them to a token."""
        for kind in (USER, NAMESPACE, PROJECT):
            for record in self.seen.of(kind):
                path = urlsplit(record.get("avatar_url") or "").path
                if _UPLOADED in path:
                    await self._picture(record, path)

    async def _picture(self, record: Document, path: str) -> None:
        response = await self._answer(path, "")
        content_type = _header(response, "content-type") or ""
        if response.status != 200 or not content_type.startswith("image/"):
            self.skipped.append(f"{path[1:]} {response.status}")
            return
        content = b64encode(response.body).decode()
        filename = unquote(path.rpartition("/")[2])
        record["avatar"] = {"filename": filename, "content_type": content_type, "content_base64": content}

    # pages

    async def _needed(self, path: str, otherwise: str, query: str = "") -> Document:
        found = await self._page(path, query)
        for document in documents(found):
            return document
        raise Refused(f"{otherwise} ({self.skipped.pop().rpartition(' ')[2] if found is None else 'it is no object'})")

    async def _whole(self, path: str, query: str) -> None:
        async for _ in self._every(path, query):
            pass

    async def _every(self, path: str, query: str) -> AsyncIterator[Document]:
        """All rows of a list, page after page."""
        following: tuple[str, str] | None = (path, query)
        known: set[tuple[str, str]] = set()
        while following is not None and following not in known:
            known.add(following)
            response = await self._answer(*following)
            rows = self._taken(*following, response)
            following = _next(response)
            for row in documents(rows):
                yield row

    async def _page(self, path: str, query: str) -> Any:
        return self._taken(path, query, await self._answer(path, query))

    def _taken(self, path: str, query: str, response: Response) -> Any:
        """What an answer holds; None, and a note, where it is a refusal."""
        if response.status in _NOT_THERE:
            self.skipped.append(f"{path} {response.status}")
            return None
        if response.status == 401:
            raise Refused("the token is not accepted (401)" if self.token else "the server asks for a token (401)")
        if response.status != 200:
            raise Refused(f"GET {path} answers {response.status}")
        try:
            body = orjson.loads(response.body)
        except orjson.JSONDecodeError:
            raise Refused(f"GET {path} answers no JSON; is this the URL of an API's server?") from None
        self.seen.answered(f"{PREFIX}/{path}", "", body, self._me)
        return body

    async def _answer(self, path: str, query: str) -> Response:
        headers = {"private-token": self.token} if self.token else {}
        target = path if path.startswith("/") else f"{PREFIX}/{path}"
        return await self._patiently(Request("GET", target, query, headers))

    async def _patiently(self, request: Request) -> Response:
        """An answer, after as many pauses as the server asks for."""
        self.tell(f"{request.method} {request.path}")
        response = await self.ask(request)
        for _ in range(_MOST_PAUSES):
            if response.status != 429:
                break
            await self._wait(response)
            response = await self.ask(request)
        self.date = self.date or _header(response, "date")
        return response

    async def _wait(self, response: Response) -> None:
        asked = _header(response, "retry-after") or "1"
        seconds = min(float(asked) if asked.isdecimal() else 1.0, _LONGEST_PAUSE)
        self.tell(f"the server asks to wait {seconds:g} s")
        await self.pause(seconds)


_FURTHER: Final = {
    ("groups", "labels"): f"&{_OWN_LABELS}",
    ("projects", "issues"): "&scope=all&order_by=created_at&sort=asc",
}


def _header(response: Response, name: str) -> str | None:
    return next((value for key, value in response.headers if key.lower() == name), None)


def _next(response: Response) -> tuple[str, str] | None:
    """Where the next page is, below the API's prefix."""
    found = _NEXT.search(_header(response, "link") or "")
    parts = urlsplit(found[1]) if found else None
    if parts is None or PREFIX not in parts.path:
        return None
    return parts.path.partition(f"{PREFIX}/")[2], parts.query
