"""Whatever a record or a request is called, a page shows it as text."""

import json
import re
from urllib.parse import quote

import pytest

from fakeplat.core.operations.http_messages import Request
from fakeplat.workbench.options import Options
from tests.console.conftest import Console, Document

EVIL = "\"><script>alert(1)</script><img src=x onerror=alert(2)>'{{7*7}}"
PAGES = (
    "",
    "console/requests",
    "console/issues",
    "console/merge_requests",
    "console/users",
    "console/groups",
    "console/projects",
    "console/pipelines",
    "console/alerts",
    "console/faults",
    "console/snapshots",
    "console/changes",
    "at/acme/site",
    "at/groups/acme",
    "at/ada",
    "at/acme/site/-/issues/1",
    "at/acme/site/-/merge_requests/1",
    "at/acme/site/-/milestones/1",
    "at/acme/site/-/commit/evil",
    "at/acme/site/-/labels",
)
NEVER = ("iframe", "object", "embed", "svg", "math", "style", "base", "video", "audio", "textarea")
"""Elements that no page of the console has."""
MARKDOWN = {
    "a script": "<script>alert(1)</script>",
    "a handler": "<p onclick=alert(1)>p</p> <details open ontoggle=alert(1)>d</details>",
    "a frame": '<iframe src="https://evil.test"></iframe><object data="x"></object><embed src="x">',
    "a form": '<form action="/_fakeplat/console/reset" method="post"><button>b</button><input autofocus></form>',
    "a link that runs": '[a](javascript:alert(1)) <a href="jav&#x09;ascript:alert(1)">b</a> [c](data:text/html,x)',
    "a link with a handler": '[a](https://evil.test "onmouseover=alert(1)") <https://evil.test/"onclick="alert(1)>',
    "an image of another host": "![a](https://evil.test/a.png) ![](//evil.test/b.png) <img src=x srcset=//evil.test/c>",
    "an image with a handler": '<img src="x" onerror="alert(1)"> ![a](x"onerror="alert(1))',
    "drawings": "<svg onload=alert(1)><a href=x></a></svg><math><mtext></mtext></math>",
    "styles": '<style>*{display:none}</style><p style="background:url(//evil.test)">p</p>',
    "a page's head": '<base href="//evil.test"><meta http-equiv="refresh" content="0;url=//evil.test"><link rel=x>',
    "an end of the page": "</div></main></body></html><script>alert(1)</script>",
    "a template": "{{ 7*7 }} {% raw %}",
    "keys": '<p tabindex="1" accesskey="s" contenteditable>p</p>',
    "a control route": "[a](/_fakeplat/reset) ![b](/_fakeplat/tokens) ![c](/api/v4/user)",
    "code": "```html\n<script>alert(1)</script>\n```\n`<img src=x onerror=alert(1)>`",
}
FORMS = ("console/issues?q=", "console/requests?user=", "console/changes?since=", "at/acme/site/-/issues/", "console/")


@pytest.fixture(scope="module")
def evil() -> Console:
    """A world in which everything that can be named has a hostile name."""
    console = Console(Options(usual="virtual").bench())

    def write(method: str, path: str, **fields: object) -> None:
        assert console.ask(method, path, "root", json.dumps(fields).encode()).status < 300, path

    site = "projects/acme%2Fsite"
    write("PUT", f"{site}/issues/1", title=EVIL, description=EVIL, add_labels=EVIL.replace(",", ""))
    write("PUT", f"{site}/merge_requests/1", title=EVIL, description=EVIL)
    write("POST", f"{site}/issues/1/notes", body=EVIL)
    write("POST", f"{site}/merge_requests/1/notes", body=EVIL)
    write("PUT", f"{site}/milestones/4002", title=EVIL)
    write("PUT", "users/2", name=EVIL, bio=EVIL)
    write("PUT", "groups/acme", description=EVIL)
    write("PUT", site, description=EVIL)
    commit = {"action": "create", "file_path": f"a/{EVIL.replace('/', '')}", "content": f"{EVIL}\n\u2028{EVIL}\n"}
    write(
        "POST",
        f"{site}/repository/commits",
        branch="evil",
        start_branch="master",
        commit_message=EVIL,
        actions=[commit],
    )
    console.bench.snapshot(EVIL)
    console.bench.interceptors.faults.add(path=EVIL, status=503)
    write("POST", f"{site}/issues", title=EVIL, milestone_id=4002)
    # A path and a header that a client makes up, and a parameter that gives a warning.
    console.bench.platform.handle(
        Request("GET", f"/api/v4/projects/{EVIL}", EVIL, {"user-agent": EVIL, "private-token": "ada-token"})
    )
    return console


def assert_harmless(document: Document) -> None:
    scripts = [attrs for tag, attrs in document.elements if tag == "script"]
    assert [{"src": "/_fakeplat/console/static/console.js", "defer": ""}] == scripts
    assert [] == [tag for tag, _ in document.elements if tag in NEVER]
    assert [] == [source for source in document.all("img", "src") if not source.startswith("/_fakeplat/at/")]
    assert [] == [link for link in document.links if not re.match(r"/_fakeplat/|#|(https?:)?//|mailto:", link)]
    assert [] == [attrs for _, attrs in document.elements if attrs.keys() & {"style", "srcset", "accesskey", "srcdoc"}]
    assert [] == [attrs for _, attrs in document.elements if any(name.startswith("on") for name in attrs)]
    assert "'49" not in document.source


@pytest.mark.parametrize("page", PAGES)
def test_hostile_names_are_shown_as_text(evil: Console, page: str) -> None:
    """Names of records cannot add elements or handlers to a page, and templates in them are not evaluated."""
    assert_harmless(evil.get(page))


@pytest.fixture(scope="module")
def written() -> Console:
    """A world whose texts are written by somebody else in each test."""
    return Console(Options(usual="virtual").bench())


@pytest.mark.parametrize("text", MARKDOWN.values(), ids=MARKDOWN)
def test_hostile_markdown_is_harmless(written: Console, text: str) -> None:
    """Hostile Markdown in descriptions, notes, wiki pages, READMEs and releases adds no element or form."""
    site, pages = "projects/acme%2Fsite", ["at/acme/site/-/issues/1", "at/acme/site/-/wikis/evil", "at/acme/site"]
    action = {"action": "update", "file_path": "README.md", "content": text}
    for method, path, fields in (
        ("PUT", "issues/1", {"description": text}),
        ("POST", "issues/1/notes", {"body": text}),
        ("DELETE", "wikis/evil", {}),
        ("POST", "wikis", {"title": "evil", "content": text}),
        ("POST", "repository/commits", {"branch": "master", "commit_message": "m", "actions": [action]}),
        ("DELETE", "releases/v1.0", {}),
        ("POST", "releases", {"tag_name": "v1.0", "description": text}),
    ):
        written.ask(method, f"{site}/{path}", "root", json.dumps(fields).encode())
    pages += ["at/acme/site/-/releases/v1.0", "at/acme/site/-/blob/master/README.md", "at/acme/site/-/tree/master"]
    for page in pages:
        document = written.get(page)
        assert_harmless(document)
        assert {"get", "post"} >= {attrs.get("method", "get") for tag, attrs in document.elements if tag == "form"}
        assert "/_fakeplat/console/reset" not in document.all("form", "action")
        assert text.strip().splitlines()[0] in document.text or page == "at/acme/site"


def test_the_pages_do_show_the_names(evil: Console) -> None:
    """The pages show hostile names escaped."""
    for page in ("console/issues", "at/acme/site/-/merge_requests/1", "at/ada", "console/snapshots", "console/faults"):
        assert "<script>alert(1)</script>" in evil.get(page).text, page


def test_a_request_is_shown_as_text(evil: Console) -> None:
    """The path, headers and body of a request are escaped on its page."""
    for entry in evil.bench.journal:
        assert_harmless(evil.get(f"console/requests/{entry.number}"))


@pytest.mark.parametrize("page", FORMS)
def test_what_a_query_says_is_shown_as_text(evil: Console, page: str) -> None:
    """Searches, filters and unknown paths are escaped on the page."""
    assert_harmless(evil.get(f"{page}{quote(EVIL, safe='')}"))


def test_what_a_form_says_is_shown_as_text(evil: Console) -> None:
    """A refused form shows the entered values escaped."""
    assert_harmless(Document(evil.post("console/faults", outcome=EVIL, operation=EVIL, latency=EVIL, nth=EVIL)))
    assert_harmless(Document(evil.post("console/clock", advance=EVIL)))


def test_half_of_a_surrogate_pair_is_shown(console: Console) -> None:
    """Requests with text that UTF-8 cannot encode are shown without an error."""
    console.bench.platform.handle(Request("GET", "/api/v4/projects/\udc80", headers={"user-agent": "\udc80"}))
    assert [200, 200] == [console.get(page).status for page in ("console/requests", "console/requests/1")]
