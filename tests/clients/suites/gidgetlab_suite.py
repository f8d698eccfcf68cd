"""What users of gidgetlab rely on: requests by path, iteration over pages, a cache, errors by status."""

import asyncio
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

import aiohttp
import gidgetlab
import pytest
from gidgetlab.aiohttp import GitLabAPI

DEVELOPER = 30
MAINTAINER = 40
SITE = "/projects/acme%2Fsite"


@asynccontextmanager
async def connected(world, username=None, token=None, cache=None):
    async with aiohttp.ClientSession() as session:
        secret = world.token(username) if username else token
        yield GitLabAPI(session, "tests", access_token=secret, url=world.url, cache=cache)


async def collected(pages):
    return [item async for item in pages]


async def refused(call):
    with pytest.raises(gidgetlab.HTTPException) as error:
        await call
    return error.value.status_code, str(error.value)


async def id_of(client, username):
    (user,) = await client.getitem("/users", {"username": username})
    return user["id"]


def test_any_kind_of_token_is_a_bearer_token(world):
    """Personal, OAuth and impersonation tokens work in the same header."""

    async def who(token):
        async with connected(world, token=token) as client:
            return (await client.getitem("/user"))["username"]

    assert "ada" == asyncio.run(who(world.token("ada")))
    assert "mia" == asyncio.run(who(world.mint("mia", kind="oauth")))
    assert "dev" == asyncio.run(who(world.mint("dev", kind="impersonation")))


def test_an_unknown_token_is_a_bad_request(world):
    """An unknown token gets 401, which is raised with the platform's error text."""

    async def signed_in():
        async with connected(world, token="nobody-token") as client:
            return await refused(client.getitem("/user"))

    assert (HTTPStatus.UNAUTHORIZED, "401 Unauthorized") == asyncio.run(signed_in())


def test_pages_are_followed(world):
    """`getiter` yields the users of all pages, for any page size."""

    async def usernames(per_page):
        async with connected(world, "root") as client:
            return [user["username"] for user in await collected(client.getiter("/users", {"per_page": per_page}))]

    assert asyncio.run(usernames(100)) == asyncio.run(usernames(2))
    assert {"root", "ada", "mia", "dev", "rep", "gus", "eve", "ext", "bob"} <= set(asyncio.run(usernames(3)))


def test_keyset_pages_are_followed(world):
    """`getiter` yields the projects of all keyset pages."""

    async def ids(**params):
        async with connected(world, "root") as client:
            return [project["id"] for project in await collected(client.getiter("/projects", params))]

    by_keyset = asyncio.run(ids(pagination="keyset", order_by="id", sort="asc", per_page=1))
    assert sorted(asyncio.run(ids())) == by_keyset


def test_head_tells_the_length_of_a_list(world):
    """A HEAD of a list returns its total in the headers."""

    async def headers():
        async with connected(world, "root") as client:
            return await client.head("/projects", {"per_page": 1}), await client.getitem("/projects", {"per_page": 100})

    head, projects = asyncio.run(headers())
    assert str(len(projects)) == head["X-Total"] == head["X-Total-Pages"]
    assert "1" == head["X-Per-Page"]


def test_what_did_not_change_is_taken_from_the_cache(world):
    """An unchanged project is a 304 that the client serves from its cache; a write invalidates it."""

    async def descriptions():
        cache: dict[str, tuple[Any, ...]] = {}
        async with connected(world, "ada", cache=cache) as client:
            first = await client.getitem(SITE)
            ((tag, *_),) = cache.values()
            second = await client.getitem(SITE)
            ((same_tag, *_),) = cache.values()
            await client.put(SITE, data={"description": "changed"})
            return tag, same_tag, first == second, (await client.getitem(SITE))["description"]

    tag, same_tag, equal, description = asyncio.run(descriptions())
    assert tag.startswith('W/"')
    assert (tag, True, "changed") == (same_tag, equal, description)


def test_a_user_lives_and_goes(world):
    """A user is created, read, updated and deleted by path; DELETE has no response body."""
    attributes = {"email": "new@example.test", "username": "newcomer", "name": "New Comer", "password": "long enough"}

    async def life():
        async with connected(world, "root") as client:
            created = await client.post("/users", data=attributes)
            path = f"/users/{created['id']}"
            changed = await client.put(path, data={"bio": "two"})
            again = await refused(client.post("/users", data=attributes))
            gone = await client.delete(path)
            return created["username"], changed["bio"], again, gone, await refused(client.getitem(path))

    username, bio, again, gone, missing = asyncio.run(life())
    assert ("newcomer", "two", None) == (username, bio, gone)
    assert (HTTPStatus.CONFLICT, "Email has already been taken") == again
    assert (HTTPStatus.NOT_FOUND, "404 User Not Found") == missing


def test_a_project_lives_and_goes(world):
    """A project is created, changed, archived and deleted."""

    async def life():
        async with connected(world, "ada") as client:
            created = await client.post("/projects", data={"name": "New Thing"})
            path = f"/projects/{created['id']}"
            changed = await client.put(path, data={"visibility": "public"})
            archived = await client.post(f"{path}/archive", data={})
            back = await client.post(f"{path}/unarchive", data={})
            await client.delete(path)
            gone = await refused(client.getitem(path))
            return created["path_with_namespace"], changed["visibility"], archived["archived"], back["archived"], gone

    path, visibility, archived, back, gone = asyncio.run(life())
    assert ("ada/new-thing", "public", True, False) == (path, visibility, archived, back)
    assert (HTTPStatus.NOT_FOUND, "404 Project Not Found") == gone


def test_a_second_star_is_no_change(world):
    """A second star gets 304, which the client raises as a redirection."""

    async def stars():
        async with connected(world, "ada") as client:
            path = f"/projects/{(await client.post('/projects', data={'name': 'Shiny'}))['id']}"
            starred = await client.post(f"{path}/star", data={})
            with pytest.raises(gidgetlab.RedirectionException) as error:
                await client.post(f"{path}/star", data={})
            unstarred = await client.post(f"{path}/unstar", data={})
            return starred["star_count"], error.value.status_code, unstarred["star_count"]

    assert (1, HTTPStatus.NOT_MODIFIED, 0) == asyncio.run(stars())


def test_members_are_managed_by_path(world):
    """A member of a project is added, promoted, listed and removed by path."""

    async def members():
        async with connected(world, "ada") as client:
            eve = await id_of(client, "eve")
            path = f"{SITE}/members"
            added = await client.post(path, data={"user_id": eve, "access_level": DEVELOPER})
            again = await refused(client.post(path, data={"user_id": eve, "access_level": DEVELOPER}))
            raised = await client.put(f"{path}/{eve}", data={"access_level": MAINTAINER})
            everybody = await collected(client.getiter(f"{path}/all"))
            await client.delete(f"{path}/{eve}")
            return added["access_level"], again, raised["access_level"], {member["username"] for member in everybody}

    added, again, raised, everybody = asyncio.run(members())
    assert (DEVELOPER, MAINTAINER) == (added, raised)
    assert (HTTPStatus.CONFLICT, "Member already exists") == again
    assert {"ada", "mia", "dev", "rep", "gus", "eve"} == everybody


def test_a_stranger_is_refused_as_the_platform_refuses(world):
    """A hidden project is 404, a forbidden change 403 and an anonymous write 401."""

    async def refusals():
        async with connected(world, "eve") as eve, connected(world, "dev") as dev, connected(world) as anonymous:
            return [
                await refused(eve.getitem(SITE)),
                await refused(dev.put(SITE, data={"description": "changed"})),
                await refused(anonymous.post("/projects", data={"name": "Refused"})),
            ]

    assert [
        (HTTPStatus.NOT_FOUND, "404 Project Not Found"),
        (HTTPStatus.FORBIDDEN, "403 Forbidden"),
        (HTTPStatus.UNAUTHORIZED, "401 Unauthorized"),
    ] == asyncio.run(refusals())


def test_an_administrator_acts_as_somebody_else(world):
    """An administrator acts as another user with the parameter `sudo`."""

    async def who():
        async with connected(world, "root") as client:
            return (await client.getitem("/user", {"sudo": "rep"}))["username"]

    assert "rep" == asyncio.run(who())
