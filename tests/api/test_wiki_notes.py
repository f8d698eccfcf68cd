"""Comments on wiki pages, and their front matter.

Source: docs/platform/notes-discussions.md, docs/platform/wikis.md.
"""

from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario import ScenarioError, export_world
from tests.api.company import COMPANY
from tests.api.deliveries import receive
from tests.api.planning_records import ACME, MISSING, SITE, create_record, get_json
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, names, outcome, refusal
from tests.graphql.queries import query_data

pytestmark = pytest.mark.fakeplat(scenario=COMPANY, version="latest", default_branch="master", tier="premium")
EMPTY: Outcome = (400, {"message": '400 Bad request - Note {:note=>["can\'t be blank"]}'})
WIKIS = pytest.mark.parametrize("owner", [SITE, ACME], ids=["project", "group"])


def create_page(fake: Fakeplat, owner: str = SITE, **fields: Any) -> str:
    """Create a page; return the path of its comments."""
    page = create_record(fake, f"{owner}/wikis", "ada", **{"title": "home", "content": "Text", **fields})
    return f"{owner}/wiki_pages/{page['wiki_page_meta_id']}/notes"


@WIKIS
def test_the_life_of_a_comment(fakeplat: Fakeplat, owner: str) -> None:
    """Pages of projects and groups take comments, which their authors change and delete."""
    path = create_page(fakeplat, owner)
    note = create_record(fakeplat, path, "dev", body="Nice")
    kinds = (note["type"], note["noteable_type"], note["noteable_iid"], note["resolvable"], note["system"])
    assert (None, "WikiPage::Meta", None, False, False) == kinds
    assert path == f"{owner}/wiki_pages/{note['noteable_id']}/notes"
    assert note == get_json(fakeplat, f"{path}/{note['id']}", "gus")

    other = create_record(fakeplat, path, "gus", body="Yes")
    assert [other["id"], note["id"]] == names(get_json(fakeplat, path, "gus"), "id")
    assert [note["id"], other["id"]] == names(get_json(fakeplat, f"{path}?sort=asc", "gus"), "id")
    assert "Very nice" == fakeplat.as_user("dev").put(f"{path}/{note['id']}", json={"body": "Very nice"}).json()["body"]
    assert 204 == fakeplat.as_user("dev").delete(f"{path}/{note['id']}").status
    assert [other["id"]] == names(get_json(fakeplat, path, "gus"), "id")


def test_comments_follow_a_page_that_moves(fakeplat: Fakeplat) -> None:
    """A page that gets another title keeps its id and its comments."""
    path = create_page(fakeplat)
    note = create_record(fakeplat, path, "dev", body="Nice")
    moved = fakeplat.as_user("ada").put(f"{SITE}/wikis/home", json={"title": "start"}).json()

    assert note["noteable_id"] == moved["wiki_page_meta_id"]
    assert [note["id"]] == names(get_json(fakeplat, path), "id")
    assert [note["noteable_id"]] == names(get_json(fakeplat, f"{SITE}/wikis"), "wiki_page_meta_id")


@pytest.mark.parametrize(
    ("by", "method", "path", "body", "expected"),
    [
        (None, "GET", "{notes}", None, UNAUTHORIZED),
        ("ada", "GET", f"{SITE}/wiki_pages/1/notes", None, MISSING),
        ("ada", "GET", "{notes}/1", None, MISSING),
        ("ada", "POST", "{notes}", {}, invalid("body is missing")),
        ("ada", "POST", "{notes}", {"body": " "}, EMPTY),
        ("gus", "PUT", "{notes}/{note}", {"body": "x"}, FORBIDDEN),
        ("gus", "DELETE", "{notes}/{note}", None, FORBIDDEN),
    ],
    ids=["nobody", "no page", "no note", "no body", "blank", "change", "delete"],
)  # fmt: skip
def test_refusals(fakeplat: Fakeplat, by: str, method: str, path: str, body: Any, expected: Outcome) -> None:
    """Comments need a text and a page, and only their authors and maintainers change them."""
    notes = create_page(fakeplat)
    note = create_record(fakeplat, notes, "dev", body="Nice")["id"]

    assert expected == refusal(fakeplat, by, method, path.format(notes=notes, note=note), json=body)


def test_comments_on_hidden_wikis(fakeplat: Fakeplat) -> None:
    """Who may not read a wiki sees no comments on its pages."""
    notes = create_page(fakeplat)
    fakeplat.as_user("ada").put(SITE, json={"wiki_access_level": "disabled"})

    assert MISSING == refusal(fakeplat, "dev", "GET", notes)


def test_comments_of_scenarios(fakeplat: Fakeplat) -> None:
    """A scenario may begin with comments on pages."""
    wiki = {"pages": [{"title": "home", "content": "Text"}]}
    comments = [{"page": "home", "author": "dev", "body": "Nice"}]
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "wiki": wiki, "wiki_notes": comments}]})
    (page,) = get_json(fakeplat, f"{SITE}/wikis")

    assert ["Nice"] == names(get_json(fakeplat, f"{SITE}/wiki_pages/{page['wiki_page_meta_id']}/notes"), "body")


def test_the_front_matter_of_pages(fakeplat: Fakeplat) -> None:
    """The values before the text of a page are written and read apart, and are part of its text."""
    create_page(fakeplat, front_matter={"title": "Start"})
    page = get_json(fakeplat, f"{SITE}/wikis/home")
    assert ({"title": "Start"}, "---\ntitle: Start\n---\nText") == (page["front_matter"], page["content"])

    changed = fakeplat.as_user("ada").put(f"{SITE}/wikis/home", json={"front_matter": {"title": "Begin"}})
    assert "---\ntitle: Begin\n---\nText" == changed.json()["content"]
    changed = fakeplat.as_user("ada").put(f"{SITE}/wikis/home", json={"front_matter": {}, "content": "New"})
    assert ({}, "New") == (changed.json()["front_matter"], changed.json()["content"])


@pytest.mark.parametrize("content", ["---\n[a\n---\nText", "---\n- a\n---\nText", "Text"])
def test_pages_without_front_matter(fakeplat: Fakeplat, content: str) -> None:
    """What is no YAML of names and values is text."""
    create_page(fakeplat, content=content)
    page = get_json(fakeplat, f"{SITE}/wikis/home")

    assert ({}, content) == (page["front_matter"], page["content"])


@pytest.mark.fakeplat(version="18.8")
def test_pages_before(fakeplat: Fakeplat) -> None:
    """Earlier releases know neither comments nor front matter."""
    page = create_record(fakeplat, f"{SITE}/wikis", "ada", title="home", content="Text")

    assert {"format", "slug", "title", "content", "encoding"} == page.keys()
    assert (404, {"error": "404 Not Found"}) == outcome(fakeplat.as_user("ada").get(f"{SITE}/wiki_pages/1/notes"))


def test_comments_on_pages_of_projects_are_events(fakeplat: Fakeplat) -> None:
    """A comment on a page of a project's wiki is sent to webhooks; one on a page of a group's wiki is not."""
    path = create_page(fakeplat)
    sent = receive(fakeplat)
    note = create_record(fakeplat, path, "dev", body="Nice")
    create_record(fakeplat, create_page(fakeplat, ACME), "dev", body="Nice")
    payloads = [payload for payload in sent.payloads() if payload["object_kind"] == "note"]

    (attributes,) = (payload["object_attributes"] for payload in payloads)
    assert (note["id"], "Nice", "WikiPage::Meta", note["noteable_id"]) == tuple(
        attributes[name] for name in ("id", "note", "noteable_type", "noteable_id")
    )
    assert attributes["url"].endswith(f"/acme/site/-/wikis/home#note_{note['id']}")
    assert not {"wiki_page", "wiki"} & payloads[0].keys()


def test_mentions_in_comments_on_pages(fakeplat: Fakeplat) -> None:
    """Who is mentioned in a comment on a page gets a to-do about the page, which a comment of their own finishes."""
    path = create_page(fakeplat)
    note = create_record(fakeplat, path, "dev", body="Look here, @gus")
    (todo,) = get_json(fakeplat, "todos?type=WikiPage::Meta", "gus")
    page = {"id": note["noteable_id"], "slug": "home", "title": "home"}

    assert ("mentioned", "WikiPage::Meta", page, "Look here, @gus", "acme/site") == (
        *(todo[name] for name in ("action_name", "target_type", "target", "body")),
        todo["project"]["path_with_namespace"],
    )
    assert todo["target_url"].endswith(f"/acme/site/-/wikis/home#note_{note['id']}")
    query = "{ currentUser { todos(type: [WIKIPAGEMETA]) { nodes { targetType body } } } }"
    nodes = query_data(fakeplat, "gus", query)["currentUser"]["todos"]["nodes"]
    assert [{"targetType": "WIKIPAGEMETA", "body": "Look here, @gus"}] == nodes

    create_record(fakeplat, path, "gus", body="I looked")
    assert [] == get_json(fakeplat, "todos", "gus")


def test_mentions_in_comments_on_pages_of_groups(fakeplat: Fakeplat) -> None:
    """A to-do about a page of a group's wiki belongs to the group."""
    note = create_record(fakeplat, create_page(fakeplat, ACME), "dev", body="@gus Look")
    (todo,) = get_json(fakeplat, "todos", "gus")

    assert ("directly_addressed", "acme") == (todo["action_name"], todo["group"]["full_path"])
    assert todo["target_url"].endswith(f"/groups/acme/-/wikis/home#note_{note['id']}")


@pytest.mark.parametrize(
    ("owner", "text"),
    [(SITE, "mentioned in project wiki page [[home]]"), (ACME, "mentioned in group wiki page home")],
    ids=["project", "group"],
)
def test_issues_tell_of_comments_on_pages(fakeplat: Fakeplat, owner: str, text: str) -> None:
    """An issue tells once that a comment on a page mentions it."""
    issue = create_record(fakeplat, f"{SITE}/issues", "ada", title="Broken")
    path = create_page(fakeplat, owner)
    for body in ("See acme/site#1", "Again acme/site#1"):
        create_record(fakeplat, path, "dev", body=body)

    notes = get_json(fakeplat, f"{SITE}/issues/{issue['iid']}/notes")
    assert [(text, True)] == [(note["body"], note["system"]) for note in notes]


@WIKIS
def test_mails_about_comments_on_pages(fakeplat: Fakeplat, owner: str) -> None:
    """A comment on a page is mailed to those who are mentioned, commented before or watch, but not to its author."""
    path = create_page(fakeplat, owner)
    create_record(fakeplat, path, "rep", body="First")
    fakeplat.as_user("mia").put(f"{owner}/notification_settings", json={"level": "watch"})
    fakeplat.mails.clear()
    note = create_record(fakeplat, path, "dev", body="Hello @gus")
    mails = {mail.to.partition("@")[0]: mail for mail in fakeplat.mails}

    assert {"gus": "mentioned", "rep": "", "mia": ""} == {
        name: mail.headers["X-GitLab-NotificationReason"] for name, mail in mails.items()
    }
    mail, container = mails["gus"], get_json(fakeplat, owner)
    page = f"{container['web_url']}/-/wikis/home#note_{note['id']}"
    assert (f"Re: {container['name']} | home (home)", True, True) == (
        mail.subject,
        "commented:\n\nHello @gus" in mail.body,
        page in mail.body,
    )
    assert str(note["noteable_id"]) == mail.headers["X-GitLab-WikiPage-Meta-ID"]
    name = "X-GitLab-Project-Path" if owner == SITE else "X-GitLab-Group-Path"
    assert container.get("path_with_namespace", container.get("full_path")) == mail.headers[name]
    assert mail.headers["In-Reply-To"].startswith(f"<wiki_page_meta_{note['noteable_id']}@")


def test_to_dos_about_pages_of_scenarios(fakeplat: Fakeplat, fakeplat_factory: Callable[..., Fakeplat]) -> None:
    """A scenario may begin with to-dos about pages, and an export has those of a world."""
    create_record(fakeplat, create_page(fakeplat), "dev", body="Hi @gus")
    create_record(fakeplat, create_page(fakeplat, ACME), "dev", body="Hi @gus")
    exported = export_world(fakeplat.bench.platform)

    (user,) = (user for user in exported["users"] if user["username"] == "gus")
    assert ["acme/site[[home]]", "acme[[home]]"] == [todo["wiki_page"] for todo in user["todos"]]
    loaded = fakeplat_factory(scenario=exported)
    before, after = (
        [(todo["target"]["slug"], todo["body"]) for todo in get_json(fake, "todos", "gus")]
        for fake in (fakeplat, loaded)
    )
    assert [("home", "Hi @gus")] * 2 == before == after


@pytest.mark.parametrize("reference", ["acme/site[[other]]", "acme/other[[home]]", "acme/site[[home"])
def test_to_dos_about_unknown_pages(fakeplat: Fakeplat, reference: str) -> None:
    """A scenario with a to-do about a page that does not exist names it."""
    create_page(fakeplat)
    with pytest.raises(ScenarioError, match="unknown wiki page"):
        fakeplat.load({"users": [{"username": "gus", "todos": [{"wiki_page": reference}]}]})
