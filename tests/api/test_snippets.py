"""Snippets of users and of projects.

Source: docs/platform/snippets.md, docs/platform/project-snippets.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import PUBLIC_SNIPPETS_NEED_LOGIN
from tests.api.company import COMPANY
from tests.api.planning_records import DOCS, MISSING, SITE, create_record, get_json
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    NO_ROUTE,
    PAGE_HEADERS,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    missing_value,
    names,
    outcome,
    person,
    refusal,
    resource_not_found,
)
from tests.api.snippets import SNIPPET, UNKNOWN, create_personal_snippet, create_project_snippet, files, read_contents
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)
GONE = resource_not_found("Snippet")


# what they show


def test_a_personal_snippet_shows_itself(fakeplat: Fakeplat) -> None:
    """A personal snippet shows every field with the URLs of its files."""
    body = {
        "title": "Two files",
        "description": "of mine",
        "visibility": "public",
        "files": files(b_py="x", a__c_md="y"),
    }
    reply = fakeplat.as_user("dev").post("snippets", json=body)
    snippet = reply.json()
    page = f"{fakeplat.url}/-/snippets/{snippet['id']}"
    host = fakeplat.url.partition("://")[2].partition(":")[0]

    assert (201, SNIPPET) == (reply.status, set(snippet))
    assert {
        "title": "Two files",
        "description": "of mine",
        "visibility": "public",
        "expires_at": None,
        "project_id": None,
        "web_url": page,
        "raw_url": f"{page}/raw",
        "ssh_url_to_repo": f"git@{host}:snippets/{snippet['id']}.git",
        "http_url_to_repo": f"{fakeplat.url}/snippets/{snippet['id']}.git",
        "file_name": "a/c.md",
        "files": [
            {"path": "a/c.md", "raw_url": f"{page}/raw/master/a/c.md"},
            {"path": "b.py", "raw_url": f"{page}/raw/master/b.py"},
        ],
    }.items() <= snippet.items()
    assert ("dev", snippet["created_at"]) == (snippet["author"]["username"], snippet["updated_at"])
    assert {"id", "name", "username", "state", "avatar_url", "web_url"} == set(snippet["author"])
    assert snippet == get_json(fakeplat, f"snippets/{snippet['id']}", None)


def test_a_snippet_of_a_project_shows_its_project(fakeplat: Fakeplat) -> None:
    """A project's snippet shows the project's id and URLs below it."""
    snippet = create_record(fakeplat, f"{SITE}/snippets", "rep", title="One", files=files(a_txt="x"))
    project = fakeplat.world.project("acme/site").id
    page = f"{fakeplat.url}/acme/site/-/snippets/{snippet['id']}"
    host = fakeplat.url.partition("://")[2].partition(":")[0]

    assert SNIPPET == set(snippet)
    assert {
        "project_id": project,
        "description": None,
        "visibility": "private",
        "web_url": page,
        "raw_url": f"{page}/raw",
        "ssh_url_to_repo": f"git@{host}:acme/site/snippets/{snippet['id']}.git",
        "http_url_to_repo": f"{fakeplat.url}/acme/site/snippets/{snippet['id']}.git",
        "files": [{"path": "a.txt", "raw_url": f"{page}/raw/master/a.txt"}],
    }.items() <= snippet.items()
    assert snippet == get_json(fakeplat, f"{SITE}/snippets/{snippet['id']}", "gus")
    assert snippet == get_json(fakeplat, f"projects/{project}/snippets/{snippet['id']}", "gus")


def test_the_deprecated_file_name_and_content(fakeplat: Fakeplat) -> None:
    """The deprecated `file_name` and `content` create a snippet of one file."""
    snippet = create_record(fakeplat, "snippets", "dev", title="One", file_name="x.sh", content="ls\n")
    assert ("x.sh", ["x.sh"]) == (snippet["file_name"], names(snippet["files"], "path"))
    assert {"x.sh": "ls\n"} == read_contents(fakeplat, f"snippets/{snippet['id']}")


def test_a_form_makes_a_snippet_too(fakeplat: Fakeplat) -> None:
    """Names with brackets make the array of files."""
    text = "title=One&files[][file_path]=a&files[][content]=1&files[][file_path]=b&files[][content]=2"
    headers = {"content-type": "application/x-www-form-urlencoded"}
    reply = fakeplat.as_user("dev").request("POST", "snippets", data=text.encode(), headers=headers)
    assert (201, ["a", "b"]) == (reply.status, names(reply.json()["files"], "path"))


@pytest.mark.parametrize(
    ("default", "container", "expected"),
    [
        ("private", "snippets", "internal"),
        ("private", f"{SITE}/snippets", "private"),
        ("public", "snippets", "public"),
        ("public", f"{SITE}/snippets", "public"),
        ("internal", f"{SITE}/snippets", "internal"),
    ],
)
def test_without_a_visibility_it_is_the_default(
    fakeplat: Fakeplat, default: str, container: str, expected: str
) -> None:
    """Without a visibility a snippet has the instance's or the platform's default (ruling 4)."""
    fakeplat.load({"settings": {"default_snippet_visibility": default}})
    assert expected == create_record(fakeplat, container, "dev", title="One", files=files(a="x"))["visibility"]


# lists


def test_the_lists(fakeplat: Fakeplat) -> None:
    """Snippets are listed newest first for the caller, a project and the public."""
    mine = [
        create_personal_snippet(fakeplat, visibility="private"),
        create_personal_snippet(fakeplat, visibility="public"),
    ]
    others = [create_personal_snippet(fakeplat, "eve", visibility="public"), create_personal_snippet(fakeplat, "eve")]
    here = [
        create_project_snippet(fakeplat, DOCS, visibility="public"),
        create_project_snippet(fakeplat, DOCS, "rep", visibility="public"),
    ]

    def ids(snippets: list[str]) -> list[int]:
        return [int(snippet.rpartition("/")[2]) for snippet in snippets]

    assert ids([here[0], mine[1], mine[0]]) == names(get_json(fakeplat, "snippets", "dev"), "id")
    assert ids([others[0], mine[1]]) == names(get_json(fakeplat, "snippets/public", "gus"), "id")
    assert ids([here[1], here[0]]) == names(get_json(fakeplat, f"{DOCS}/snippets", "ext"), "id")
    assert [] == get_json(fakeplat, "snippets", "root")
    assert SNIPPET == set(get_json(fakeplat, "snippets", "dev")[0])


@pytest.mark.parametrize("target", ["snippets", f"{DOCS}/snippets"])
def test_lists_are_paged_and_need_a_login(fakeplat: Fakeplat, target: str) -> None:
    """Lists of snippets are paged and require a login."""
    for _ in range(2):
        create_personal_snippet(fakeplat, visibility="public")
        create_project_snippet(fakeplat, DOCS, visibility="public")
    page = fakeplat.as_user("dev").get(f"{target}?per_page=1&page=2")

    assert (200, 1, "2") == (page.status, len(page.json()), page.headers["X-Page"])
    assert set(PAGE_HEADERS) <= set(page.headers)
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", target)


def test_public_snippets_are_listed_for_everybody(fakeplat: Fakeplat) -> None:
    """Anonymous callers list public personal snippets."""
    snippet = create_personal_snippet(fakeplat, visibility="public")
    create_personal_snippet(fakeplat, visibility="internal")
    create_project_snippet(fakeplat, DOCS, visibility="public")

    assert [int(snippet.rpartition("/")[2])] == names(fakeplat.as_user(None).get("snippets/public").json(), "id")


@by_release(PUBLIC_SNIPPETS_NEED_LOGIN, "expected", {"14.10": 200, "15.0": 401})
def test_the_list_of_public_snippets_needs_a_login_later(fakeplat: Fakeplat, expected: int) -> None:
    """Later releases list public snippets for those who are signed in only."""
    assert expected == fakeplat.as_user(None).get("snippets/public").status
    assert 200 == fakeplat.as_user("gus").get("snippets/public").status


def test_own_snippets_in_projects_that_are_hidden_now_are_left_out(fakeplat: Fakeplat) -> None:
    """The caller's snippets in projects that are hidden now are left out."""
    create_record(fakeplat, f"{SITE}/members", user_id=person(fakeplat, "eve"), access_level=20)
    snippet = create_project_snippet(fakeplat, SITE, "eve")
    assert 1 == len(get_json(fakeplat, "snippets", "eve"))
    fakeplat.as_user("ada").delete(f"{SITE}/members/{person(fakeplat, 'eve')}")

    assert [] == get_json(fakeplat, "snippets", "eve")
    assert GONE == refusal(fakeplat, "eve", "GET", snippet.removeprefix(f"{SITE}/"))


def test_answers_are_cached_by_the_client(fakeplat: Fakeplat) -> None:
    """An ETag that holds until the snippet changes, its files included."""
    snippet, calls = create_personal_snippet(fakeplat), fakeplat.as_user("dev")
    tags = {target: calls.get(target).headers["ETag"] for target in (snippet, "snippets")}
    for target, tag in tags.items():
        assert 304 == calls.get(target, headers={"If-None-Match": tag}).status
    calls.put(snippet, json={"files": [{"action": "create", "file_path": "b", "content": "x"}]})

    for target, tag in tags.items():
        assert 200 == calls.get(target, headers={"If-None-Match": tag}).status


# changing


@pytest.mark.parametrize("container", ["", f"{SITE}/"])
def test_fields_change(fakeplat: Fakeplat, container: str) -> None:
    """Title, description and visibility of a snippet are updated alone."""
    snippet = create_project_snippet(fakeplat, SITE) if container else create_personal_snippet(fakeplat)
    before = get_json(fakeplat, snippet, "dev")
    changes = {"title": "Two", "description": "new", "visibility": "public"}
    reply = fakeplat.as_user("dev").put(snippet, json=changes)
    after = reply.json()

    assert (200, {**before, **changes, "updated_at": after["updated_at"]}) == (reply.status, after)
    assert before["updated_at"] < after["updated_at"]
    assert None is fakeplat.as_user("dev").put(snippet, json={"description": None}).json()["description"]
    assert (
        "public" == fakeplat.as_user("dev").put(snippet, json={"visibility": None, "title": "3"}).json()["visibility"]
    )


def test_equal_values_change_nothing(fakeplat: Fakeplat) -> None:
    """An update without differences does not change a snippet, even its time."""
    snippet = create_personal_snippet(fakeplat)
    before = get_json(fakeplat, snippet, "dev")
    bodies: tuple[dict[str, Any], ...] = ({"title": "One"}, {"files": []}, {"file_name": "a.txt"})
    for body in bodies:
        assert before == fakeplat.as_user("dev").put(snippet, json=body).json()


@pytest.mark.parametrize("container", ["", f"{SITE}/"])
def test_a_deleted_snippet_is_gone(fakeplat: Fakeplat, container: str) -> None:
    """A snippet is deleted with 204 and not found afterwards."""
    snippet = create_project_snippet(fakeplat, SITE) if container else create_personal_snippet(fakeplat)
    reply = fakeplat.as_user("dev").delete(snippet)

    assert (204, b"") == (reply.status, reply.content)
    assert (MISSING if container else GONE) == refusal(fakeplat, "dev", "GET", snippet)
    assert GONE == refusal(fakeplat, "dev", "DELETE", snippet)


@pytest.mark.parametrize("container", ["", f"{SITE}/"])
def test_a_snippet_that_changed_since_is_not_deleted(fakeplat: Fakeplat, container: str) -> None:
    """Deleting a snippet that changed since the client's time answers 412."""
    snippet = create_project_snippet(fakeplat, SITE) if container else create_personal_snippet(fakeplat)
    assert STALE == refusal(fakeplat, "dev", "DELETE", snippet, headers=LONG_AGO)
    later = {"If-Unmodified-Since": "Wed, 01 Jan 2031 00:00:00 GMT"}
    assert 204 == fakeplat.as_user("dev").delete(snippet, headers=later).status


def test_administrators_act_as_others(fakeplat: Fakeplat) -> None:
    """With sudo an administrator creates and changes snippets as the other user."""
    snippet = f"snippets/{create_record(fakeplat, 'snippets?sudo=dev', 'root', title='One', files=files(a='x'))['id']}"

    assert "dev" == get_json(fakeplat, snippet, "dev")["author"]["username"]
    assert GONE == refusal(fakeplat, "root", "PUT", snippet, json={"title": "x"})
    assert GONE == refusal(fakeplat, "root", "DELETE", snippet)
    assert 200 == fakeplat.as_user("root").put(f"{snippet}?sudo=dev", json={"title": "x"}).status


# what follows from other things


@pytest.mark.parametrize("hard", ["", "?hard_delete=true"])
def test_snippets_of_deleted_users_are_deleted(fakeplat: Fakeplat, hard: str) -> None:
    """Snippets do not pass to the ghost, neither personal ones nor those in projects."""
    mine, here = (
        create_personal_snippet(fakeplat, visibility="public"),
        create_project_snippet(fakeplat, DOCS, visibility="public"),
    )
    kept = create_project_snippet(fakeplat, DOCS, "rep", visibility="public")
    assert 204 == fakeplat.as_user("root").delete(f"users/{person(fakeplat, 'dev')}{hard}").status

    assert GONE == refusal(fakeplat, "root", "GET", mine)
    assert MISSING == refusal(fakeplat, "root", "GET", here)
    assert "rep" == get_json(fakeplat, kept, "root")["author"]["username"]


def test_deleting_a_project_deletes_only_its_snippets(fakeplat: Fakeplat) -> None:
    """Deleting a project deletes its snippets and no others."""
    mine, here = create_personal_snippet(fakeplat), create_project_snippet(fakeplat, DOCS)
    fakeplat.as_user("ada").delete(DOCS)

    assert GONE == refusal(fakeplat, "dev", "GET", here.removeprefix(f"{DOCS}/"))
    assert 200 == fakeplat.as_user("dev").get(mine).status


def test_deleting_a_project_deletes_its_snippets(fakeplat: Fakeplat) -> None:
    """A transferred project has them under its new path."""
    snippet = create_project_snippet(fakeplat, DOCS, visibility="public")
    fakeplat.as_user("ada").put(f"{DOCS}/transfer", json={"namespace": "ada"})
    moved = get_json(fakeplat, snippet.replace("acme", "ada"), "ada")

    assert f"{fakeplat.url}/ada/docs/-/snippets/{moved['id']}" == moved["web_url"]


def test_an_archived_project_is_read_only(fakeplat: Fakeplat) -> None:
    """Snippets can be read, but not made, changed or deleted, under either path."""
    snippet = create_project_snippet(fakeplat, SITE)
    alone = snippet.removeprefix(f"{SITE}/")
    fakeplat.as_user("ada").post(f"{SITE}/archive")

    assert 200 == fakeplat.as_user("gus").get(snippet).status
    body = {"title": "x", "files": files(a="x")}
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", f"{SITE}/snippets", json=body)
    for by, target in (("dev", snippet), ("ada", snippet), ("dev", alone)):
        assert FORBIDDEN == refusal(fakeplat, by, "PUT", target, json={"title": "x"})
        assert FORBIDDEN == refusal(fakeplat, by, "DELETE", target)


def test_statistics_count_the_bytes_of_snippets(fakeplat: Fakeplat) -> None:
    """Snippets count in bytes for the statistics of their project."""
    before = get_json(fakeplat, f"{SITE}?statistics=true", "rep")["statistics"]
    create_project_snippet(fakeplat, SITE, files=files(a="x" * 1000))
    after = get_json(fakeplat, f"{SITE}?statistics=true", "rep")["statistics"]

    assert 0 == before["snippets_size"]
    assert 1000 < after["snippets_size"] < 2000
    assert after["snippets_size"] == after["storage_size"] - before["storage_size"]


def test_snippets_create_no_events(fakeplat: Fakeplat) -> None:
    """Making a snippet is no event in this era."""
    create_project_snippet(fakeplat, SITE)
    assert [] == get_json(fakeplat, "events?target_type=snippet", "dev")
    assert [] == get_json(fakeplat, f"{SITE}/events", "ada")


# user agents


def test_user_agent_details_of_a_snippet(fakeplat: Fakeplat) -> None:
    """Administrators read the program and the address of the request that made it."""
    headers = {"User-Agent": "bot/1.0"}
    body = {"title": "x", "files": files(a="x")}
    site = fakeplat.world.project("acme/site").id
    alone = fakeplat.as_user("dev").post("snippets", json=body, headers=headers).json()["id"]
    inside = fakeplat.as_user("dev").post(f"{SITE}/snippets", json=body, headers=headers).json()["id"]

    for target in (f"snippets/{alone}", f"projects/{site}/snippets/{inside}", f"snippets/{inside}"):
        detail = get_json(fakeplat, f"{target}/user_agent_detail", "root")
        assert {"user_agent": "bot/1.0", "antispam_submitted": False}.items() <= detail.items()
        assert UNAUTHORIZED == refusal(fakeplat, None, "GET", f"{target}/user_agent_detail")
        assert FORBIDDEN == refusal(fakeplat, "dev", "GET", f"{target}/user_agent_detail")
    assert MISSING == refusal(fakeplat, "root", "GET", f"{SITE}/snippets/{inside}/user_agent_detail")
    assert MISSING == refusal(fakeplat, "root", "GET", f"projects/{site}/snippets/{alone}/user_agent_detail")
    assert MISSING == refusal(fakeplat, "root", "GET", f"{UNKNOWN}/user_agent_detail")
    assert MISSING == refusal(fakeplat, "root", "GET", f"projects/{site}/{UNKNOWN}/user_agent_detail")
    assert resource_not_found("Project") == refusal(
        fakeplat, "root", "GET", f"projects/999999/{UNKNOWN}/user_agent_detail"
    )


def test_a_snippet_that_nothing_is_known_of(fakeplat: Fakeplat) -> None:
    """A request that does not say what it comes from leaves nothing."""
    site = fakeplat.world.project("acme/site").id
    fakeplat.load({"users": [{"username": "dev", "snippets": [{"title": "x", "files": {"a": "x"}}]}]})
    (row,) = get_json(fakeplat, "snippets", "dev")
    assert resource_not_found("UserAgentDetail") == refusal(
        fakeplat, "root", "GET", f"snippets/{row['id']}/user_agent_detail"
    )
    inside = create_project_snippet(fakeplat, f"projects/{site}")
    assert resource_not_found("UserAgentDetail") == refusal(fakeplat, "root", "GET", f"{inside}/user_agent_detail")


# search and pages


def test_titles_are_searched(fakeplat: Fakeplat) -> None:
    """scope=snippet_titles finds what the caller sees by its title, newest first, personal or not."""
    for title, visibility in (("Needle one", "public"), ("needle two", "private"), ("Other", "public")):
        create_personal_snippet(fakeplat, title=title, visibility=visibility, description="needle")
    create_project_snippet(fakeplat, SITE, title="A NEEDLE", visibility="public")

    def list_found_titles(by: str) -> list[str]:
        return names(get_json(fakeplat, "search?scope=snippet_titles&search=needle", by), "title")

    assert ["A NEEDLE", "needle two", "Needle one"] == list_found_titles("dev")
    assert ["A NEEDLE", "Needle one"] == list_found_titles("gus")
    assert ["Needle one"] == list_found_titles("eve")
    assert SNIPPET == set(get_json(fakeplat, "search?scope=snippet_titles&search=needle", "eve")[0])
    assert [] == get_json(fakeplat, "search?scope=snippet_titles&search=%20", "dev")


@pytest.mark.parametrize("container", ["", f"{DOCS}/"])
def test_every_address_leads_somewhere(fakeplat: Fakeplat, container: str) -> None:
    """Each URL of a snippet is served to those who see it."""
    body: dict[str, Any] = {"visibility": "internal", "files": files(a__b_txt="inside", z="last")}
    snippet = create_project_snippet(fakeplat, DOCS, **body) if container else create_personal_snippet(fakeplat, **body)
    view = get_json(fakeplat, snippet, "eve")
    pages = (view["web_url"], view["http_url_to_repo"])
    raw = {view["raw_url"]: "inside", view["files"][0]["raw_url"]: "inside", view["files"][1]["raw_url"]: "last"}

    for url in pages:
        page = fakeplat.as_user("eve").get(url)
        assert (200, "text/html; charset=utf-8") == (page.status, page.headers["Content-Type"])
        assert f"{fakeplat.url}/api/v4/" in page.text
    for url, text in raw.items():
        assert (200, text) == ((reply := fakeplat.as_user("eve").get(url)).status, reply.text)
    for url in (*pages, *raw):
        assert NO_ROUTE == outcome(fakeplat.as_user("ext").get(url))
    for url in (f"{view['raw_url']}/master/nothing", f"{view['raw_url']}/nothing/z", f"{view['web_url']}9"):
        assert NO_ROUTE == outcome(fakeplat.as_user("eve").get(url))


def test_a_project_in_a_group_of_that_name_keeps_its_page(fakeplat: Fakeplat) -> None:
    """A group may be called snippets, and its project has its page as any other."""
    project = {"path": "one", "visibility": "public"}
    group = {"full_path": "acme/snippets", "visibility": "public", "projects": [project]}
    fakeplat.load({"groups": [group]})
    assert 200 == fakeplat.as_user(None).get(f"{fakeplat.url}/acme/snippets/one").status


# looking


def test_records_of_the_world_show_snippets(fakeplat: Fakeplat) -> None:
    """The records of the world and the changes show snippets."""
    with fakeplat.changes() as changes:
        snippet = create_personal_snippet(fakeplat)
        create_project_snippet(fakeplat, SITE, title="Two")
    assert {"snippets": ["acme/site$Two", "dev$One"]} == changes.created
    with fakeplat.changes() as changes:
        fakeplat.as_user("dev").put(snippet, json={"title": "New"})
    assert {"snippets": {"dev$One": {"title": ("One", "New")}}} == changes.changed

    assert ["New"] == [row.title for row in fakeplat.world.user("dev").snippets]
    assert [("Two", "a.txt")] == [(row.title, row.file_name) for row in fakeplat.world.project("acme/site").snippets]


WRITES: list[tuple[str, str, Any]] = [
    ("POST", "snippets", {"title": "x", "files": files(a="x")}),
    ("PUT", UNKNOWN, {"title": "x"}),
    ("DELETE", UNKNOWN, None),
    ("POST", f"{SITE}/snippets", {"title": "x", "files": files(a="x")}),
    ("PUT", f"{SITE}/{UNKNOWN}", {"title": "x"}),
    ("DELETE", f"{SITE}/{UNKNOWN}", None),
]


@pytest.mark.parametrize(("method", "target", "body"), WRITES)
def test_anonymous_writes_are_refused(fakeplat: Fakeplat, method: str, target: str, body: Any) -> None:
    """Anonymous writes of snippets answer 401 after their parameters are validated."""
    hidden = target.startswith(SITE)
    assert (resource_not_found("Project") if hidden else UNAUTHORIZED) == refusal(
        fakeplat, None, method, target, json=body
    )
    assert UNAUTHORIZED == refusal(fakeplat, None, method, target.replace(SITE, DOCS), json=body)


@pytest.mark.parametrize("container", ["", f"{DOCS}/"])
def test_anonymous_writes_without_parameters_are_refused_for_these(fakeplat: Fakeplat, container: str) -> None:
    """Anonymous writes of snippets are refused for missing parameters before the login."""
    nothing = "content, description, files, file_name, title, visibility are missing, at least one parameter"
    missing = "title is missing, title is empty, files, content are missing, exactly one parameter must be provided"
    assert invalid(missing) == refusal(fakeplat, None, "POST", f"{container}snippets", json={})
    assert invalid(f"{nothing} must be provided") == refusal(fakeplat, None, "PUT", f"{container}{UNKNOWN}", json={})


@pytest.mark.fakeplat(documented=False)
def test_the_platform_requires_the_visibility_of_a_project_snippet(fakeplat: Fakeplat) -> None:
    """On the platform a project's snippet requires a visibility (ruling 4)."""
    body = {"title": "x", "files": files(a="x")}
    assert invalid(missing_value("visibility")) == refusal(fakeplat, "dev", "POST", f"{SITE}/snippets", json=body)
    assert invalid(missing_value("visibility")) == refusal(fakeplat, "gus", "POST", f"{SITE}/snippets", json=body)
    assert "public" == create_record(fakeplat, f"{SITE}/snippets", "dev", **body, visibility="public")["visibility"]
    assert "internal" == create_record(fakeplat, "snippets", "dev", **body)["visibility"]


def test_the_specification_lets_the_visibility_of_a_project_snippet_be_left_out(fakeplat: Fakeplat) -> None:
    """By default a project's snippet is private without a visibility (ruling 4)."""
    body = {"title": "x", "files": files(a="x")}
    assert "private" == create_record(fakeplat, f"{SITE}/snippets", "dev", **body)["visibility"]


@pytest.mark.parametrize(("method", "target", "body"), WRITES[3:])
def test_a_hidden_project_is_404(fakeplat: Fakeplat, method: str, target: str, body: Any) -> None:
    """A hidden project answers 404 before parameters of snippets are validated."""
    bodies: tuple[Any, ...] = (body, {})
    for sent in bodies:
        assert resource_not_found("Project") == refusal(fakeplat, "eve", method, target, json=sent)


NOT_THERE: list[tuple[str, str, Any, Outcome]] = [
    ("GET", UNKNOWN, None, GONE),
    ("PUT", UNKNOWN, {"title": "x"}, GONE),
    ("DELETE", UNKNOWN, None, GONE),
    ("GET", f"{UNKNOWN}/raw", None, GONE),
    ("GET", f"{UNKNOWN}/files/master/a.txt/raw", None, GONE),
    ("GET", f"{SITE}/{UNKNOWN}", None, MISSING),
    ("PUT", f"{SITE}/{UNKNOWN}", {"title": "x"}, GONE),
    ("DELETE", f"{SITE}/{UNKNOWN}", None, GONE),
    ("GET", f"{SITE}/{UNKNOWN}/raw", None, GONE),
    ("GET", f"{SITE}/{UNKNOWN}/files/master/a.txt/raw", None, GONE),
]


@pytest.mark.parametrize(("method", "target", "body", "expected"), NOT_THERE)
def test_unknown_snippets_are_not_found(
    fakeplat: Fakeplat, method: str, target: str, body: Any, expected: Outcome
) -> None:
    """Unknown snippets answer 404 with the platform's text of each path."""
    assert expected == refusal(fakeplat, "ada", method, target, json=body)


def test_a_snippet_belongs_to_one_container(fakeplat: Fakeplat) -> None:
    """A personal one is in no project, and one of a project in no other; alone, those of projects are found too."""
    mine, here = create_personal_snippet(fakeplat), create_project_snippet(fakeplat, DOCS)

    assert MISSING == refusal(fakeplat, "dev", "GET", f"{DOCS}/{mine}")
    assert MISSING == refusal(fakeplat, "dev", "GET", here.replace("docs", "site"))
    assert here.rpartition("/")[2] == str(get_json(fakeplat, here.removeprefix(f"{DOCS}/"), "gus")["id"])


@pytest.mark.fakeplat(documented=False)
def test_the_platform_shows_no_expiry(fakeplat: Fakeplat) -> None:
    """``expires_at`` is a field of the specification that the platform no longer has."""
    body = {"title": "x", "file_name": "a.txt", "content": "a", "visibility": "private"}
    created = fakeplat.as_user("ada").post("snippets", json=body)
    assert (201, False) == (created.status, "expires_at" in created.json())
