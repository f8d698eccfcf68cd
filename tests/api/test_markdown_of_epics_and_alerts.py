"""References to epics and alerts in rendered texts.

Source: ee/spec/lib/banzai/filter/epic_reference_filter_spec.rb and
spec/lib/banzai/filter/alert_reference_filter_spec.rb of the platform.
"""

from html import escape
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.markdown import EXTERNAL, paragraph, render

SITE = "acme/site"
TITLE = 'Fly <b>high</b> "now"'
SHOWN = escape(TITLE, quote=False).replace('"', "&quot;")
WORLD: dict[str, Any] = {
    "extends": "starter",
    "instance": {"tier": "premium"},
    "groups": [
        {
            "full_path": "acme",
            "epics": [
                {"title": TITLE, "author": "dev"},
                {"title": "Hidden plan", "author": "dev", "confidential": True},
            ],
        },
        {"full_path": "acme/tools", "epics": [{"title": "Dig", "author": "dev"}]},
    ],
    "projects": [
        {
            "path_with_namespace": SITE,
            "visibility": "public",
            "alerts": {"active": True, "received": [{"title": "Down"}]},
        }
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=WORLD)


def epic_link(
    fake: Fakeplat,
    group: str,
    text: str,
    original: str,
    *,
    title: str = SHOWN,
    link: str = "false",
    page: str = "false",
) -> str:
    """The link to the first epic of a group."""
    group_id = fake.world.group(group).id
    epic = fake.bench.platform.view.epics.find("iid", (group_id, 1))
    assert epic is not None
    return (
        f'<a href="{fake.url}/groups/{group}/-/epics/1" data-original="{original}" data-link="{link}" '
        f'data-link-reference="{page}" data-group="{group_id}" data-epic="{epic.id}" data-reference-type="epic" '
        f'data-container="body" data-placement="top" title="{title}" class="gfm gfm-epic has-tooltip">{text}</a>'
    )


def alert_link(fake: Fakeplat, text: str, original: str, *, link: str = "false", page: str = "false") -> str:
    (alert,) = fake.bench.platform.view.alerts.all()
    return (
        f'<a href="{fake.url}/{SITE}/-/alert_management/1/details" data-original="{original}" data-link="{link}" '
        f'data-link-reference="{page}" data-project="{fake.world.project(SITE).id}" data-alert="{alert.id}" '
        'data-reference-type="alert" data-container="body" data-placement="top" title="Down" '
        f'class="gfm gfm-alert has-tooltip">{text}</a>'
    )


@pytest.mark.parametrize("text", ["&1", "&amp;1", "acme&1"])
def test_an_epic_is_linked_with_its_title(fakeplat: Fakeplat, text: str) -> None:
    """In projects of its group an epic is linked by number with its escaped title."""
    original = text if "amp" in text else text.replace("&", "&amp;")
    link = epic_link(fakeplat, "acme", "&amp;1", original)
    assert paragraph(f"Check {link}.") == render(fakeplat, f"Check {text}.", SITE)


def test_epics_of_other_groups_have_their_full_path(fakeplat: Fakeplat) -> None:
    """Epics of other groups, also of subgroups, are named by their full path."""
    link = epic_link(fakeplat, "acme/tools", "acme/tools&amp;1", "acme/tools&amp;1", title="Dig")
    assert paragraph(link) == render(fakeplat, "acme/tools&1", SITE)
    assert paragraph("tools&amp;1 &amp;1") == render(fakeplat, "tools&1 &1", "ada/notes")
    assert ">acme&amp;1</a>" in render(fakeplat, "acme&1", "ada/notes")


def test_urls_of_epics_are_references(fakeplat: Fakeplat) -> None:
    """A bare one gets the short text, a link keeps its own; other hosts are elsewhere."""
    url = f"{fakeplat.url}/groups/acme/-/epics/1"
    assert paragraph(epic_link(fakeplat, "acme", "&amp;1", url, page="true")) == render(fakeplat, url, SITE)
    named = epic_link(fakeplat, "acme", "It", "It", link="true", page="true")
    assert paragraph(named) == render(fakeplat, f"[It]({url})", SITE)
    by_path = epic_link(fakeplat, "acme", "It", "It", link="true")
    assert paragraph(by_path) == render(fakeplat, "[It](acme&1)", SITE)
    other = "https://elsewhere.test/groups/acme/-/epics/1"
    assert paragraph(f'<a href="{other}" {EXTERNAL}>{other}</a>') == render(fakeplat, other, SITE)


@pytest.mark.parametrize("text", ["&9", "&999999999999", "&1st", "x&amp;y", "acme/none&1"])
def test_other_texts_are_no_references_to_epics(fakeplat: Fakeplat, text: str) -> None:
    """Missing epics and what only looks similar."""
    plain = text.replace("&amp;", "&").replace("&", "&amp;")
    assert paragraph(f"Check {plain}") == render(fakeplat, f"Check {text}", SITE)


def test_code_has_no_references(fakeplat: Fakeplat) -> None:
    """Code contains no references to epics or alerts."""
    assert paragraph("<code>&amp;1 ^alert#1</code>") == render(fakeplat, "`&1 ^alert#1`", SITE)


@pytest.mark.parametrize("user", [None, "eve", "gus"])
def test_epics_that_are_hidden_stay_texts(fakeplat: Fakeplat, user: str | None) -> None:
    """Confidential ones from Guests; their titles are not shown."""
    assert paragraph("Check &amp;2") == render(fakeplat, "Check &2", SITE, user)
    assert 'title="Hidden plan"' in render(fakeplat, "&2", SITE, "rep")


@pytest.mark.fakeplat(scenario={**WORLD, "instance": {"tier": "free"}})
def test_there_are_no_epics_on_the_free_tier(fakeplat: Fakeplat) -> None:
    """On the free tier references to epics stay plain text."""
    assert paragraph("Check &amp;1") == render(fakeplat, "Check &1", SITE)


def test_an_alert_is_linked_with_its_title(fakeplat: Fakeplat) -> None:
    """An alert is linked by number, with the project's name or full path elsewhere."""
    link = alert_link(fakeplat, "^alert#1", "^alert#1")
    assert paragraph(f"Alert ({link}.)") == render(fakeplat, "Alert (^alert#1.)", SITE, "dev")
    near = alert_link(fakeplat, "site^alert#1", "acme/site^alert#1")
    assert paragraph(near) == render(fakeplat, "acme/site^alert#1", "acme/docs")
    assert ">site^alert#1</a>" in render(fakeplat, "site^alert#1", "acme/docs")
    assert ">acme/site^alert#1</a>" in render(fakeplat, "acme/site^alert#1", "ada/notes")
    assert paragraph("^alert#9") == render(fakeplat, "^alert#9", SITE)


def test_urls_of_alerts_are_references(fakeplat: Fakeplat) -> None:
    """A bare one gets the short text, a link keeps its own."""
    url = f"{fakeplat.url}/{SITE}/-/alert_management/1/details"
    assert paragraph(alert_link(fakeplat, "^alert#1", url, page="true")) == render(fakeplat, url, SITE)
    named = alert_link(fakeplat, "It", "It", link="true", page="true")
    assert paragraph(named) == render(fakeplat, f"[It]({url})", SITE)


@pytest.mark.parametrize("user", [None, "gus", "rep"])
def test_alerts_are_for_developers(fakeplat: Fakeplat, user: str | None) -> None:
    """Below Developer references to alerts stay text."""
    assert paragraph("See ^alert#1") == render(fakeplat, "See ^alert#1", SITE, user)
