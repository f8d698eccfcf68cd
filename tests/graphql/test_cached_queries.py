"""Answers to queries are kept as those to GET requests are."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import WORLD, query_data, write_mutation

pytestmark = pytest.mark.fakeplat(scenario=WORLD)
TITLES = '{ project(fullPath: "acme/site") { issues(sort: CREATED_ASC) { nodes { title } } } }'
ISSUE = "projects/acme%2Fsite/issues"


def list_titles(fake: Fakeplat, by: str | None) -> list[str] | None:
    project = query_data(fake, by, TITLES)["project"]
    return None if project is None else sorted(row["title"] for row in project["issues"]["nodes"])


def test_a_repeated_query_is_not_executed_again(fakeplat: Fakeplat) -> None:
    """The same query of the same caller has the same answer as long as nothing that it read has changed."""
    first = query_data(fakeplat, "ada", TITLES)
    answers = len(fakeplat.bench.platform._answers)
    second = query_data(fakeplat, "ada", TITLES)

    assert first == second
    assert answers == len(fakeplat.bench.platform._answers)
    assert ["query_graphql"] * 2 == [request.operation for request in fakeplat.requests.find()[-2:]]


def test_a_change_is_seen_by_the_next_query(fakeplat: Fakeplat) -> None:
    """After a change by REST or by a mutation, the same query shows it."""
    before = list_titles(fakeplat, "ada")
    fakeplat.as_user("ada").put(f"{ISSUE}/1", json={"title": "Changed"})
    by_rest = list_titles(fakeplat, "ada")
    given = {"projectPath": "acme/site", "iid": "1", "title": "Changed again"}
    query_data(fakeplat, "ada", write_mutation("updateIssue", "issue { title }"), input=given)

    assert ["Broken link", "Old", "Secret"] == before
    assert ["Changed", "Old", "Secret"] == by_rest
    assert ["Changed again", "Old", "Secret"] == list_titles(fakeplat, "ada")


def test_callers_have_their_own_answers(fakeplat: Fakeplat) -> None:
    """The answer for one caller is not that for another one, nor that after a loss of membership."""
    lists = {by: list_titles(fakeplat, by) for by in ("ada", "gus", None)}
    member = fakeplat.world.user("gus").id
    fakeplat.as_user("ada").delete(f"groups/acme/members/{member}")

    assert {"ada": ["Broken link", "Old", "Secret"], "gus": ["Broken link", "Old"], None: None} == lists
    assert None is list_titles(fakeplat, "gus")


def test_each_mutation_is_executed(fakeplat: Fakeplat) -> None:
    """The same mutation sent twice happens twice, and a refused one is refused anew."""
    issue = fakeplat.as_user("ada").get(f"{ISSUE}/1").json()
    mutation = write_mutation("createNote", "note { body }")
    for body in ("Hm", "Hm", "", ""):
        query_data(fakeplat, "ada", mutation, input={"noteableId": f"gid://gitlab/Issue/{issue['id']}", "body": body})

    assert ["Hm", "Hm"] == [note["body"] for note in fakeplat.as_user("ada").get(f"{ISSUE}/1/notes").json()]
