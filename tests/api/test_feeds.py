"""Feeds (Atom) of activity, issues, merge requests, commits, tags and releases. Source: docs/platform/feeds.md."""

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from fakeplat.core.release import Lifetime
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import FEED_TOKENS_ARE_BOUND
from tests.api.requests import person
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", default_branch="main")
SITE = "projects/acme%2Fsite"
ATOM = "{http://www.w3.org/2005/Atom}"
MEDIA = "{http://search.yahoo.com/mrss/}"
XHTML = "{http://www.w3.org/1999/xhtml}"
FEEDS = (
    "acme/site.atom",
    "acme/site/-/issues.atom",
    "acme/site/-/issues?format=atom",
    "acme/site/-/merge_requests.atom",
    "acme/site/-/merge_requests?format=atom",
    "acme/site/-/commits/main?format=atom",
    "acme/site/-/commits/main.atom",
    "acme/site/-/tags?format=atom",
    "acme/site/-/releases.atom",
    "acme/site/-/releases?format=atom",
)
SIGN_IN = "You need to sign in or sign up before continuing."


def read(fake: Fakeplat, path: str, by: str | None = "mia") -> ET.Element:
    """Return the document of a feed that must exist."""
    reply = fake.as_user(by).get(f"{fake.url}/{path}")
    assert (200, "application/atom+xml; charset=utf-8") == (reply.status, reply.headers["Content-Type"])
    return ET.fromstring(reply.content)


def text(element: ET.Element, path: str) -> str | None:
    """Return the text of an element below another."""
    child = element.find("/".join(f"{ATOM}{tag}" for tag in path.split("/")))
    return None if child is None else child.text or ""


def list_texts(element: ET.Element, path: str) -> list[str | None]:
    """Return a text of each entry."""
    return [text(entry, path) for entry in element.findall(f"{ATOM}entry")]


def get_links(element: ET.Element) -> dict[str, str]:
    """Return the links by their relation."""
    return {link.get("rel", ""): link.get("href", "") for link in element.findall(f"{ATOM}link")}


def do(fake: Fakeplat, method: str, path: str, by: str = "mia", **body: Any) -> Any:
    """Send a request that must succeed; return the body."""
    reply = fake.as_user(by).request(method, f"{SITE}/{path}", json=body)
    assert reply.status in (200, 201), reply.json()
    return reply.json()


def test_the_feed_of_a_project_has_its_latest_activity(fakeplat: Fakeplat) -> None:
    """A feed names its page; an entry has an id of its own, who did what, the time and the author."""
    issue = do(fakeplat, "POST", "issues", title="Crash", description="It *burns*")
    feed = read(fakeplat, "acme/site.atom")
    url = f"{fakeplat.url}/acme/site"
    assert ("Site activity", url) == (text(feed, "title"), text(feed, "id"))
    assert url == get_links(feed)["alternate"]
    (entry,) = feed.findall(f"{ATOM}entry")
    (event,) = fakeplat.as_user("mia").get(f"{SITE}/events").json()
    day, second = event["created_at"][:10], f"{event['created_at'][:19]}Z"
    assert f"tag:127.0.0.1,{day}:{event['id']}" == text(entry, "id")
    assert [second, second] == [text(feed, "updated"), text(entry, "updated")]
    assert f"Mia Example opened issue #{issue['iid']}: Crash at Acme / Site" == text(entry, "title")
    assert {"": issue["web_url"]} == get_links(entry)
    assert ["mia", "Mia Example", ""] == [text(entry, f"author/{tag}") for tag in ("username", "name", "email")]
    thumbnail = entry.find(f"{MEDIA}thumbnail")
    assert thumbnail is not None
    assert issue["author"]["avatar_url"] == thumbnail.get("url")
    emphasis = entry.find(f"{ATOM}summary/{XHTML}div/{XHTML}p/{XHTML}em")
    assert emphasis is not None
    assert "burns" == emphasis.text


def test_titles_of_events(fakeplat: Fakeplat) -> None:
    """Each kind of event has its words; the newest comes first."""
    action = {"action": "create", "file_path": "a.txt", "content": "a"}
    do(fakeplat, "POST", "repository/branches", branch="topic", ref="main")
    commit = do(fakeplat, "POST", "repository/commits", branch="topic", commit_message="Add", actions=[action])
    merge_request = do(fakeplat, "POST", "merge_requests", source_branch="topic", target_branch="main", title="Add a")
    do(fakeplat, "POST", f"merge_requests/{merge_request['iid']}/notes", body="Fine")
    do(fakeplat, "POST", "issues/1/notes", body="Seen")
    do(fakeplat, "PUT", "issues/1", state_event="close")
    do(fakeplat, "POST", "milestones", title="v9")
    feed = read(fakeplat, "acme/site.atom")
    titles = list_texts(feed, "title")
    number = merge_request["iid"]
    assert [
        "Mia Example closed issue #1: Broken link on the front page at Acme / Site",
        "Mia Example commented on issue #1 at Acme / Site",
        f"Mia Example commented on merge request !{number} at Acme / Site",
        f"Mia Example opened merge request !{number}: Add a at Acme / Site",
        "Mia Example pushed to project branch topic at Acme / Site",
    ] == [title for title in titles if title and "milestone" not in title and "pushed new" not in title]
    links = [get_links(entry).get("") for entry in feed.findall(f"{ATOM}entry")]
    assert f"{fakeplat.url}/acme/site/-/commit/{commit['id']}" in links
    assert 200 == fakeplat.as_user("mia").get(f"{fakeplat.url}/acme/site.atom").status


def test_titles_are_escaped_as_the_platform_escapes_them(fakeplat: Fakeplat) -> None:
    """Titles of activity and issues are escaped for pages, too; texts are not."""
    do(fakeplat, "POST", "issues", title='Cut & "paste"', description="a < b")
    title = "Cut &amp; &quot;paste&quot;"
    issues = read(fakeplat, "acme/site/-/issues.atom")
    entry = issues.find(f"{ATOM}entry")
    assert entry is not None
    assert [title, 'Cut & "paste"', "a < b"] == [text(entry, tag) for tag in ("title", "summary", "content")]
    assert title in (list_texts(read(fakeplat, "acme/site.atom"), "title")[0] or "")


def test_a_feed_has_at_most_twenty_events(fakeplat: Fakeplat) -> None:
    """Only the latest events are in a feed."""
    for number in range(22):
        do(fakeplat, "POST", "issues", title=f"Issue {number}")
    titles = list_texts(read(fakeplat, "acme/site.atom"), "title")
    assert 20 == len(titles)
    assert "Issue 21" in (titles[0] or "")
    assert "Issue 2 " in (titles[-1] or "")
    assert 20 == len(list_texts(read(fakeplat, "acme/site/-/issues.atom"), "id"))


def test_feeds_of_groups_users_and_the_dashboard(fakeplat: Fakeplat) -> None:
    """The same event is in the feeds of the group, of its author and of all who have the project."""
    do(fakeplat, "POST", "issues", title="Crash", by="dev")
    expected = list_texts(read(fakeplat, "acme/site.atom"), "id")
    for path, title in (
        ("acme.atom", "Acme activity"),
        ("groups/acme.atom", "Acme activity"),
        ("dev.atom", "Dev Example activity"),
        ("dashboard/projects.atom", "Activity"),
    ):
        feed = read(fakeplat, path)
        assert (title, expected) == (text(feed, "title"), list_texts(feed, "id"))
    assert [] == list_texts(read(fakeplat, "dev.atom", by="eve"), "id")
    assert [] == list_texts(read(fakeplat, "dev.atom", by=None), "id")
    assert [] == list_texts(read(fakeplat, "dashboard/projects.atom", by="eve"), "id")
    assert f"{fakeplat.url}/dev.atom" == get_links(read(fakeplat, "dev.atom"))["self"]


def test_the_feed_of_issues(fakeplat: Fakeplat) -> None:
    """The open issues come with labels, milestone, assignees and due date; parameters of the page filter them."""
    do(fakeplat, "PUT", "issues/1", due_date="2020-12-24")
    feed = read(fakeplat, "acme/site/-/issues.atom")
    issues = fakeplat.as_user("mia").get(f"{SITE}/issues?state=opened").json()
    assert ("Site issues", [issue["web_url"] for issue in issues]) == (text(feed, "title"), list_texts(feed, "id"))
    entry = feed.findall(f"{ATOM}entry")[-1]
    assert ["v1.1", "2020-12-24", "bug"] == [text(entry, tag) for tag in ("milestone", "due_date", "labels/label")]
    assert ["Dev Example"] * 2 == [text(entry, path) for path in ("assignees/assignee/name", "assignee/name")]
    for query, parameters in (
        ("state=closed", "state=closed"),
        ("state=all", "state=all"),
        ("label_name%5B%5D=bug", "labels=bug&state=opened"),
        ("author_username=dev", "author_username=dev&state=opened"),
        ("assignee_username=dev&state=all", "assignee_username=dev"),
        ("milestone_title=v1.1", "milestone=v1.1&state=opened"),
    ):
        rows = fakeplat.as_user("mia").get(f"{SITE}/issues?{parameters}&scope=all").json()
        filtered = read(fakeplat, f"acme/site/-/issues.atom?{query}")
        assert [row["web_url"] for row in rows] == list_texts(filtered, "id")
        assert get_links(filtered)["self"].partition("?")[2]


def test_the_feed_of_the_issues_of_a_group(fakeplat: Fakeplat) -> None:
    """The issues of all projects that the reader sees."""
    rows = fakeplat.as_user("mia").get("groups/acme/issues?state=opened&scope=all").json()
    feed = read(fakeplat, "groups/acme/-/issues.atom")
    assert {row["web_url"] for row in rows} == {*list_texts(feed, "id")}
    public = read(fakeplat, "groups/acme/-/issues.atom", by=None)
    assert {*list_texts(public, "id")} < {*list_texts(feed, "id")}


def test_the_feed_of_merge_requests(fakeplat: Fakeplat) -> None:
    """The open merge requests come like issues; parameters of the page filter and order them."""
    mia = fakeplat.as_user("mia")
    do(fakeplat, "PUT", "merge_requests/1", labels="bug", assignee_id=person(fakeplat, "dev"), description="It *works*")
    second = do(fakeplat, "POST", "merge_requests", title="Two", source_branch="main", target_branch="feature")
    feed = read(fakeplat, "acme/site/-/merge_requests.atom")
    rows = mia.get(f"{SITE}/merge_requests?state=opened").json()
    page = f"{fakeplat.url}/acme/site/-/merge_requests"
    assert ("Site merge requests", page) == (text(feed, "title"), text(feed, "id"))
    assert [row["web_url"] for row in rows] == list_texts(feed, "id")
    entry = feed.findall(f"{ATOM}entry")[-1]
    assert ["bug", "Dev Example", "It *works*"] == [
        text(entry, tag) for tag in ("labels/label", "assignee/name", "description")
    ]
    for query, parameters in (
        ("state=all&sort=updated_asc", "order_by=updated_at&sort=asc"),
        ("state=merged", "state=merged"),
        ("target_branch=feature", "target_branch=feature"),
        ("assignee_username=dev", "assignee_username=dev"),
        ("scope=created_by_me", "scope=created_by_me&state=opened"),
        ("search=Two", "search=Two"),
    ):
        rows = mia.get(f"{SITE}/merge_requests?{parameters}").json()
        assert [row["web_url"] for row in rows] == list_texts(
            read(fakeplat, f"acme/site/-/merge_requests.atom?{query}"), "id"
        )
    group = read(fakeplat, "groups/acme/-/merge_requests.atom?sort=created_asc")
    rows = mia.get("groups/acme/merge_requests?state=opened&sort=asc").json()
    assert second["web_url"] in list_texts(group, "id")
    assert ("Acme merge requests", [row["web_url"] for row in rows]) == (text(group, "title"), list_texts(group, "id"))
    assert list_texts(group, "id") == list_texts(
        read(fakeplat, "groups/acme/-/merge_requests?format=atom&sort=created_asc"), "id"
    )


@by_release(Lifetime("<=15.8"), "status", {"15.7": 404, "15.8": 200})
def test_merge_requests_of_projects_have_a_feed_by_15_8(fakeplat: Fakeplat, status: int) -> None:
    """The feed of a project's merge requests is there by 15.8."""
    assert status == fakeplat.as_user("mia").get(f"{fakeplat.url}/acme/site/-/merge_requests.atom").status


@by_release(Lifetime("<=19.2"), "status", {"19.1": 404, "19.2": 200})
def test_merge_requests_of_groups_have_a_feed_by_19_2(fakeplat: Fakeplat, status: int) -> None:
    """The feed of a group's merge requests is there by 19.2."""
    assert status == fakeplat.as_user("mia").get(f"{fakeplat.url}/groups/acme/-/merge_requests.atom").status


def test_the_feed_of_the_dashboards_issues(fakeplat: Fakeplat) -> None:
    """The issues of all projects that the reader sees, by filters, of which there must be one."""
    mia = fakeplat.as_user("mia")
    feed = read(fakeplat, "dashboard/issues.atom?assignee_username=dev&label_name%5B%5D=bug&state=opened")
    rows = mia.get("issues?assignee_username=dev&labels=bug&scope=all&state=opened").json()
    assert rows
    assert ("Mia Example issues", [row["web_url"] for row in rows]) == (text(feed, "title"), list_texts(feed, "id"))
    address = f"{fakeplat.url}/dashboard/issues.atom"
    token = fakeplat.token("mia", "feed")
    reply = fakeplat.as_user(None).get(f"{address}?feed_token={token}&author_username=dev")
    assert 200 == reply.status
    assert f"author_username=dev&feed_token={token}" in get_links(ET.fromstring(reply.content))["self"]
    for query in ("", "?state=all", "?assignee_username="):
        refused = mia.get(f"{address}{query}")
        assert (400, b"") == (refused.status, refused.content)
        assert "application/atom+xml; charset=utf-8" == refused.headers["Content-Type"]
    visitor = fakeplat.as_user(None).get(f"{address}?author_username=dev")
    assert (401, SIGN_IN) == (visitor.status, visitor.text)


def test_several_labels_filter_a_feed(fakeplat: Fakeplat) -> None:
    """An issue needs all labels of a list."""
    issue = do(fakeplat, "POST", "issues", title="Both", labels="bug,docs")
    feed = read(fakeplat, "acme/site/-/issues.atom?label_name%5B%5D=bug&label_name%5B%5D=docs")
    assert [issue["web_url"]] == list_texts(feed, "id")


def test_the_feed_of_commits(fakeplat: Fakeplat) -> None:
    """The commits of a ref, with the first line as title and the others as summary."""
    rows = fakeplat.as_user("mia").get(f"{SITE}/repository/commits").json()
    feed = read(fakeplat, "acme/site/-/commits/main?format=atom")
    base = f"{fakeplat.url}/acme/site/-/commit"
    assert ("Site:main commits", f"{fakeplat.url}/acme/site/-/commits/main") == (text(feed, "title"), text(feed, "id"))
    assert [f"{base}/{row['id']}" for row in rows] == list_texts(feed, "id")
    assert [row["title"] for row in rows] == list_texts(feed, "title")
    assert "The menu opens on small screens too." in list_texts(feed, "summary")
    assert [row["author_email"] for row in rows] == list_texts(feed, "author/email")
    assert [f"{base}/{rows[-1]['id']}"] == list_texts(
        read(fakeplat, f"acme/site/-/commits/{rows[-1]['id']}?format=atom"), "id"
    )
    assert 404 == fakeplat.as_user("mia").get(f"{fakeplat.url}/acme/site/-/commits/none?format=atom").status


def test_the_feeds_of_tags_and_releases(fakeplat: Fakeplat) -> None:
    """A tag has its message and the text of its release; a release the message of its commit."""
    do(fakeplat, "POST", "repository/tags", tag_name="v8", ref="main", message="eighth")
    do(fakeplat, "POST", "repository/tags", tag_name="v9", ref="main")
    release = do(fakeplat, "POST", "releases", tag_name="v8", name="Eight", description="**bold**")
    url = f"{fakeplat.url}/acme/site/-"
    feed = read(fakeplat, "acme/site/-/tags?format=atom")
    (tag,) = [entry for entry in feed.findall(f"{ATOM}entry") if f"{url}/tags/v8" == text(entry, "id")]
    assert ("v8", "eighth") == (text(tag, "title"), text(tag, "summary"))
    assert "<strong>bold</strong>" in (text(tag, "content") or "")
    (plain,) = [entry for entry in feed.findall(f"{ATOM}entry") if f"{url}/tags/v9" == text(entry, "id")]
    assert ["", "", None] == [text(plain, tag) for tag in ("summary", "content", "updated")]
    feed = read(fakeplat, "acme/site/-/releases.atom")
    entry = feed.find(f"{ATOM}entry")
    assert entry is not None
    assert (f"{url}/releases/v8", "Eight", "Mia Example") == (
        text(entry, "id"),
        text(entry, "title"),
        text(entry, "author/name"),
    )
    assert [f"{release['released_at'][:19]}Z"] == [text(entry, "published")]


@pytest.mark.parametrize("path", [path for path in FEEDS if not path.endswith("main.atom")])
def test_who_does_not_see_the_project_gets_no_feed(fakeplat: Fakeplat, path: str) -> None:
    """Strangers get a 404 without a body, visitors a 401 in words; unknown projects are answered alike."""
    assert 200 == fakeplat.as_user("mia").get(f"{fakeplat.url}/{path}").status
    for address in (path, path.replace("site", "none")):
        stranger = fakeplat.as_user("eve").get(f"{fakeplat.url}/{address}")
        assert (404, b"") == (stranger.status, stranger.content)
        visitor = fakeplat.as_user(None).get(f"{fakeplat.url}/{address}")
        assert (401, SIGN_IN) == (visitor.status, visitor.text)
    assert "sees no feed" in str(fakeplat.requests[-1].reason)


def test_a_ref_with_the_ending_is_a_page_to_those_who_see_no_code(fakeplat: Fakeplat) -> None:
    """Only in a project whose code the caller reads, the platform finds out that the ending is not part of a ref."""
    addresses = [f"{fakeplat.url}/acme/{project}/-/commits/main.atom" for project in ("site", "none")]
    replies = [fakeplat.as_user(user).get(address) for user in ("eve", None) for address in addresses]
    assert {(404, b'{"error":"404 Not Found"}')} == {(reply.status, reply.content) for reply in replies}


@pytest.mark.parametrize("path", [*FEEDS, "acme/site/-/issues.atom?state=all"])
def test_a_feed_token_opens_feeds_and_nothing_else(fakeplat: Fakeplat, path: str) -> None:
    """Readers without other credentials send the token of their user, which no other address takes."""
    token = fakeplat.token("mia", "feed")
    visitor = fakeplat.as_user(None)
    mark = "&" if "?" in path else "?"
    for name in ("feed_token", "rss_token"):
        reply = visitor.get(f"{fakeplat.url}/{path}{mark}{name}={token}")
        assert 200 == reply.status
    assert visitor.get(f"{fakeplat.url}/{path}{mark}feed_token={token[:-1]}x").status in (401, 404)
    assert 401 == visitor.get(f"user?feed_token={token}").status
    assert 404 == visitor.get(f"{SITE}?feed_token={token}").status


@by_release(FEED_TOKENS_ARE_BOUND, "is_bound", {"15.11": False, "17.0": True})
def test_links_to_feeds_have_tokens(fakeplat: Fakeplat, is_bound: bool) -> None:
    """The link to itself opens the feed; later its token opens no other feed."""
    for path in ("acme/site.atom", "acme/site/-/releases.atom", "acme/site/-/commits/main?format=atom"):
        link = get_links(read(fakeplat, path))["self"]
        assert 200 == fakeplat.as_user(None).get(link).status
        token = link.partition("feed_token=")[2].partition("&")[0]
        assert is_bound == token.startswith("glft-")
        assert is_bound == (token != fakeplat.token("mia", "feed"))
        other = fakeplat.as_user(None).get(f"{fakeplat.url}/acme/site/-/issues.atom?feed_token={token}")
        assert (401 if is_bound else 200) == other.status
    assert "feed_token" not in get_links(read(fakeplat, "acme.atom", by=None))["self"]


def test_feed_tokens_can_be_disabled(fakeplat: Fakeplat) -> None:
    """Without feed tokens, only other credentials open feeds, and links have no tokens."""
    token = fakeplat.token("mia", "feed")
    fakeplat.load({"settings": {"disable_feed_token": True}})
    assert 401 == fakeplat.as_user(None).get(f"{fakeplat.url}/acme/site.atom?feed_token={token}").status
    assert f"{fakeplat.url}/acme/site.atom" == get_links(read(fakeplat, "acme/site.atom"))["self"]


def test_blocked_users_lose_their_feeds(fakeplat: Fakeplat) -> None:
    """The feed token of a user who may not sign in is that of nobody."""
    token = fakeplat.token("mia", "feed")
    fakeplat.as_user("root").post(f"users/{person(fakeplat, 'mia')}/block")
    assert 401 == fakeplat.as_user(None).get(f"{fakeplat.url}/acme/site.atom?feed_token={token}").status


@pytest.mark.parametrize("path", FEEDS)
def test_feeds_are_asked_for_again_with_their_entity_tag(fakeplat: Fakeplat, path: str) -> None:
    """A feed that has not changed is 304; after a change it has another tag."""
    mia = fakeplat.as_user("mia")
    address = f"{fakeplat.url}/{path}"
    reply = mia.get(address)
    etag = reply.headers["ETag"]
    assert "max-age=0, private, must-revalidate" == reply.headers["Cache-Control"]
    unchanged = mia.get(address, headers={"If-None-Match": etag})
    assert (304, b"") == (unchanged.status, unchanged.content)
    action = {"action": "create", "file_path": "new.txt", "content": "a"}
    do(fakeplat, "POST", "repository/commits", branch="main", commit_message="Add a file", actions=[action])
    do(fakeplat, "POST", "repository/tags", tag_name="v7", ref="main")
    do(fakeplat, "POST", "releases", tag_name="v7", description="seven")
    do(fakeplat, "POST", "issues", title="New")
    do(fakeplat, "POST", "merge_requests", title="New", source_branch="main", target_branch="feature")
    changed = mia.get(address, headers={"If-None-Match": etag})
    assert 200 == changed.status
    assert etag != changed.headers["ETag"]


def test_texts_that_are_no_xml_make_no_broken_feed(fakeplat: Fakeplat) -> None:
    """Whatever users write, a feed is a document that can be read."""
    body = "<b>open\n\n- [x] done\n\n<input disabled> & <br> \x07 `</feed>` ![x](y.png)\n\n| a |\n|---|\n| 1 |"
    do(fakeplat, "POST", "issues", title="</title>\x08", description=body)
    do(fakeplat, "POST", "issues/1/notes", body=body)
    for path in ("acme/site.atom", "acme/site/-/issues.atom"):
        assert list_texts(read(fakeplat, path), "id")
