"""Wikis in scenarios, and back."""

from typing import Any

import orjson
import pytest

from fakeplat.core.operations.http_messages import Request
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from tests.scenario.answers import token_of
from tests.scenario.worlds import create_platform, reload_export, write

WIKI = {
    "pages": [
        {"title": "home", "content": "# Welcome", "author": "ada", "created_at": "2020-01-05T00:00:00Z"},
        {"title": "Folder/My page", "content": "* x", "format": "org"},
    ]
}
WORLD: dict[str, Any] = {
    "instance": {"tier": "premium"},
    "users": ["ada"],
    "groups": [
        {"path": "acme", "members": {"ada": "owner"}, "projects": [{"path": "site", "wiki": WIKI}], "wiki": WIKI}
    ],
    "events": [
        {
            "author": "ada",
            "action": "created",
            "project": "acme/site",
            "target_type": "wiki",
            "target": "Folder/My-page",
        }
    ],
}
SITE, GROUP = "projects/acme%2Fsite", "groups/acme"


def get_json(platform: Platform, path: str) -> Any:
    headers = {"private-token": token_of(platform.view, "ada") or ""}
    return orjson.loads(platform.handle(Request("GET", f"/api/v4/{path}", "with_content=true", headers)).body)


@pytest.mark.parametrize("container", [SITE, GROUP])
def test_pages_are_declared(container: str) -> None:
    """Wiki pages have their declared format and content, also after a round trip."""
    platform = create_platform(WORLD)
    expected = [
        {"format": "org", "slug": "Folder/My-page", "title": "My page", "content": "* x"},
        {"format": "markdown", "slug": "home", "title": "home", "content": "# Welcome"},
    ]

    assert expected == get_json(platform, f"{container}/wikis")
    assert expected == get_json(reload_export(platform), f"{container}/wikis")


def test_what_changed_since_is_exported() -> None:
    """Wiki pages that were changed through the API keep their content and events after a round trip."""
    platform = create_platform(WORLD)
    write(platform, "PUT", f"{SITE}/wikis/home", token_of(platform.view, "ada") or "", content="changed")
    again = reload_export(platform)

    assert ["* x", "changed"] == [page["content"] for page in get_json(again, f"{SITE}/wikis")]
    events = [(event["action_name"], event["target_title"]) for event in get_json(again, f"{SITE}/events")]
    assert sorted([("updated", "home"), ("created", "My page")]) == sorted(events)


@pytest.mark.parametrize(
    ("wiki", "text"),
    [
        ({"pages": []}, "needs pages"),
        ({"pages": [{"title": "x", "content": "1"}, {"title": "x", "content": "2"}]}, "page 2 cannot be created"),
        ({"pages": [{"title": "x", "content": "1", "author": "nobody"}]}, "unknown user 'nobody'"),
        ({"bundle": "eA=="}, "cannot be imported: not a git bundle"),
    ],
)
def test_a_mistake_is_named(wiki: dict[str, Any], text: str) -> None:
    """A mistake in the wiki of a scenario is refused with its reason."""
    document = {"users": ["ada"], "projects": [{"path_with_namespace": "ada/site", "wiki": wiki}]}

    with pytest.raises(ScenarioError, match=text):
        create_platform(document)
