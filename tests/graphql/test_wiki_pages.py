"""Single pages of wikis by GraphQL. Source: docs/platform/wikis.md, app/graphql/resolvers/wikis of the platform."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

SITE = {
    "path_with_namespace": "acme/site",
    "wiki": {"pages": [{"title": "Home", "content": "x"}, {"title": "Guides/First", "content": "y"}]},
}
pytestmark = pytest.mark.fakeplat(version="latest", scenario={"extends": "starter", "projects": [SITE]})
QUERY = """query($slug: String, $project: ProjectID, $namespace: NamespaceID) {
    wikiPage(slug: $slug, projectId: $project, namespaceId: $namespace) { id title webUrl } }"""


def identify(fake: Fakeplat) -> dict[str, str]:
    return {
        "project": f"gid://gitlab/Project/{fake.world.project('acme/site').id}",
        "namespace": f"gid://gitlab/Group/{fake.world.group('acme').id}",
    }


def show_page(fake: Fakeplat, by: str | None, slug: str, owner: str = "project") -> Any:
    return query_data(fake, by, QUERY, slug=slug, **{owner: identify(fake)[owner]})["wikiPage"]


def test_a_page_is_found_by_its_slug(fakeplat: Fakeplat) -> None:
    """A page of a wiki is found by its slug, and has an id that stays the same."""
    page = show_page(fakeplat, "rep", "Guides/First")

    assert "First" == page["title"]
    assert page["webUrl"].endswith("/acme/site/-/wikis/Guides/First")
    assert page["id"].startswith("gid://gitlab/WikiPage::Meta/")
    assert "gid://gitlab/WikiPage::Meta/0" != page["id"]
    assert page == show_page(fakeplat, "gus", "Guides/First")


@pytest.mark.parametrize(
    ("user", "slug", "owner"),
    [("rep", "Nothing", "project"), (None, "Home", "project"), ("rep", "Home", "namespace")],
    ids=["unknown", "hidden", "group of a free tier"],
)
def test_other_pages_are_null(fakeplat: Fakeplat, user: str | None, slug: str, owner: str) -> None:
    """An unknown page, one of a hidden wiki and one of a group without the paid feature are null."""
    assert show_page(fakeplat, user, slug, owner) is None


def test_a_page_has_one_owner(fakeplat: Fakeplat) -> None:
    """Naming both a project and a group is an error."""
    content = query_refused(fakeplat, "rep", QUERY, slug="Home", **identify(fakeplat))
    assert ["Only one of `namespace_id` or `project_id` are allowed."] == list_messages(content)


def test_pages_have_comments(fakeplat: Fakeplat) -> None:
    """Comments on a page are written and shown, with what the caller may do."""
    page = show_page(fakeplat, "rep", "Home")
    create = write_mutation("createNote", "note { body }")
    query_data(fakeplat, "gus", create, input={"noteableId": page["id"], "body": "Nice"})
    selection = """{ notes { nodes { body } } discussions { nodes { notes { nodes { body } } } }
        userPermissions { readWikiPage createNote markNoteAsInternal } }"""
    text = f"query($slug: String, $project: ProjectID) {{ wikiPage(slug: $slug, projectId: $project) {selection} }}"
    project = identify(fakeplat)["project"]
    wiki_page = query_data(fakeplat, "rep", text, slug="Home", project=project)["wikiPage"]

    assert [{"body": "Nice"}] == wiki_page["notes"]["nodes"]
    assert [{"notes": {"nodes": [{"body": "Nice"}]}}] == wiki_page["discussions"]["nodes"]
    assert {"readWikiPage": True, "createNote": True, "markNoteAsInternal": True} == wiki_page["userPermissions"]
    others = query_data(fakeplat, "gus", text, slug="Home", project=project)["wikiPage"]["userPermissions"]
    assert {"readWikiPage": True, "createNote": True, "markNoteAsInternal": False} == others


def test_pages_that_nobody_has_looked_at_have_no_comments(fakeplat: Fakeplat) -> None:
    """A page of which no scalar field is shown gets no id and has no comments, but may get some."""
    text = """query($slug: String, $project: ProjectID) { wikiPage(slug: $slug, projectId: $project) {
        notes { nodes { body } } discussions { nodes { id } } userPermissions { createNote } } }"""
    wiki_page = query_data(fakeplat, "rep", text, slug="Home", project=identify(fakeplat)["project"])["wikiPage"]

    assert [[], []] == [wiki_page["notes"]["nodes"], wiki_page["discussions"]["nodes"]]
    assert {"createNote": True} == wiki_page["userPermissions"]


@pytest.mark.fakeplat(clock="auto")
def test_a_page_is_shown_under_the_auto_clock(fakeplat: Fakeplat) -> None:
    """Reading a page waits for nothing."""
    assert "Home" == show_page(fakeplat, "rep", "Home")["title"]


def test_messages_are_repeated(fakeplat: Fakeplat) -> None:
    """The mutation for tests repeats messages and errors, and changes nothing."""
    text = "mutation($input: EchoCreateInput!) { echoCreate(input: $input) { echoes errors } }"
    before = fakeplat.bench.platform.state
    payload = query_data(fakeplat, "rep", text, input={"messages": ["a", "b"], "errors": ["wrong"]})["echoCreate"]

    assert {"echoes": ["a", "b"], "errors": ["wrong"]} == payload
    assert before is fakeplat.bench.platform.state


SUBSCRIBE = write_mutation("wikiPageSubscribe", "wikiPage { id title subscribed }")


def test_pages_have_subscribers(fakeplat: Fakeplat) -> None:
    """Whoever reads a wiki subscribes to a page of it and unsubscribes, also after a comment."""
    page_id = show_page(fakeplat, "rep", "Home")["id"]
    shown = QUERY.replace("title webUrl", "subscribed")

    def is_subscribed(name: str) -> Any:
        return query_data(fakeplat, name, shown, slug="Home", project=identify(fakeplat)["project"])["wikiPage"][
            "subscribed"
        ]

    assert not is_subscribed("rep")
    for wanted in (True, True, False):
        sent = {"id": page_id, "subscribed": wanted}
        payload = query_data(fakeplat, "rep", SUBSCRIBE, input=sent)["wikiPageSubscribe"]
        assert {"wikiPage": {"id": page_id, "title": "Home", "subscribed": wanted}, "errors": []} == payload
        assert wanted == is_subscribed("rep")
    assert not is_subscribed("gus")
    create = write_mutation("createNote", "note { body }")
    query_data(fakeplat, "gus", create, input={"noteableId": page_id, "body": "Nice"})
    assert is_subscribed("gus")


def test_others_do_not_subscribe(fakeplat: Fakeplat) -> None:
    """Neither is there a subscription for those who may not read the wiki, nor to an unknown page."""
    page_id = show_page(fakeplat, "rep", "Home")["id"]
    for name, id_ in (("eve", page_id), ("rep", "gid://gitlab/WikiPage::Meta/1")):
        content = query_refused(fakeplat, name, SUBSCRIBE, input={"id": id_, "subscribed": True})
        assert [NOT_AVAILABLE] == list_messages(content)
