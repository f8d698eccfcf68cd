"""Rendering of Markdown. Source: the platform's request spec of Markdown, and the specs of its filters."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import MARKDOWN_IS_A_READ
from tests.api.markdown import EXTERNAL, image, paragraph, render
from tests.api.requests import Outcome, invalid, refusal, resource_not_found
from tests.by_release import by_release

SITE = "projects/acme%2Fsite"
WORLD: dict[str, Any] = {
    "extends": "starter",
    "projects": [
        {
            "path_with_namespace": "acme/open",
            "visibility": "public",
            "issues": [
                {"title": "Confidential title", "iid": 1, "author": "eve", "confidential": True},
                {"title": "A <b>bold</b> title", "iid": 2, "author": "eve"},
            ],
            "labels": [{"name": "two words", "color": "#FFFFFF"}],
            "milestones": [{"title": "two words"}],
            "snippets": [{"title": "Public", "file_name": "x", "content": "x", "visibility": "public"}],
        },
        {
            "path_with_namespace": "acme/team",
            "visibility": "public",
            "issues_access_level": "private",
            "issues": [{"title": "Team only title", "iid": 1, "author": "dev"}],
        },
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=WORLD)
TADA = '<gl-emoji title="party popper" data-name="tada" data-unicode-version="6.0">🎉</gl-emoji>'


def get_origin(fake: Fakeplat) -> str:
    return str(fake.as_user("root").get(SITE).json()["web_url"].removesuffix("/acme/site"))


def build_attributes(
    original: str, project: int, kind: str, id_: object, *, link: str = "false", page: str = "false"
) -> str:
    """The attributes of a link to a record."""
    return (
        f'data-original="{original}" data-link="{link}" data-link-reference="{page}" data-project="{project}" '
        f'data-{kind.replace("_", "-")}="{id_}" data-reference-type="{kind}" data-container="body" '
        'data-placement="top"'
    )


def test_without_gfm_a_text_is_only_markdown(fakeplat: Fakeplat) -> None:
    """Without `gfm` a text is rendered without emoji and references."""
    text = ":tada: Hello world! :100: #1"
    nobody = fakeplat.as_user(None)

    assert f"<p>{text}</p>" == nobody.post("markdown", json={"text": text}).json()["html"]
    assert f"<p>{text}</p>" == nobody.post("markdown", json={"text": text, "project": "acme/open"}).json()["html"]
    assert (
        '<p><em>a</em> "q" <i onclick="x">b</i></p>'
        == nobody.post("markdown", json={"text": '*a* "q" <i onclick="x">b</i>'}).json()["html"]
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("text is missing")),
        ({"text": "x", "project": "Dummy project", "gfm": True}, resource_not_found("Project")),
        ({"text": "x", "project": "ada/notes"}, resource_not_found("Project")),
    ],
    ids=range(3),
)
def test_missing_texts_and_hidden_projects_are_refused(fakeplat: Fakeplat, body: Any, expected: Outcome) -> None:
    """A private project is not there for a caller who is not signed in."""
    assert expected == refusal(fakeplat, None, "POST", "markdown", json=body)


def test_emoji_have_a_title_and_a_name(fakeplat: Fakeplat) -> None:
    """Aliases have the name of the emoji; unknown names and code stay texts."""
    assert paragraph(f"Hello world! {TADA}") == render(fakeplat, "Hello world! :tada:", None, None)
    assert 'data-name="thumbsup"' in render(fakeplat, ":+1:")
    assert paragraph(":nothing: <code>:tada:</code>") == render(fakeplat, ":nothing: `:tada:`")


def test_an_issue_is_linked_with_its_title(fakeplat: Fakeplat) -> None:
    """The title is escaped, and only in the project's own context a number is enough."""
    issue = fakeplat.as_user("root").get("projects/acme%2Fopen/issues/2").json()
    attributes = build_attributes("#2", issue["project_id"], "issue", issue["id"])
    title = "A &lt;b&gt;bold&lt;/b&gt; title"
    link = f'<a href="{issue["web_url"]}" {attributes} title="{title}" class="gfm gfm-issue has-tooltip">#2</a>'

    assert paragraph(f"See {link}.") == render(fakeplat, "See #2.")
    assert paragraph("See #2.") == render(fakeplat, "See #2.", None)
    assert paragraph("See <code>#2</code>.") == render(fakeplat, "See `#2`.")


def test_other_projects_are_named_as_far_as_needed(fakeplat: Fakeplat) -> None:
    """References to projects of the same namespace show the name, others the full path."""
    assert ">open#2</a>" in render(fakeplat, "acme/open#2", "acme/site")
    assert ">open#2</a>" in render(fakeplat, "open#2", "acme/site")
    assert ">acme/open#2</a>" in render(fakeplat, "acme/open#2", "ada/notes")


def test_urls_of_pages_are_references(fakeplat: Fakeplat) -> None:
    """A bare one gets the short text, a link keeps its own; other hosts are elsewhere."""
    issue = fakeplat.as_user("root").get("projects/acme%2Fopen/issues/2").json()
    url, kind = issue["web_url"], ("issue", issue["id"])
    tail = 'title="A &lt;b&gt;bold&lt;/b&gt; title" class="gfm gfm-issue has-tooltip"'
    bare = f'<a href="{url}" {build_attributes(url, issue["project_id"], *kind, page="true")} {tail}>#2</a>'
    named = (
        f'<a href="{url}" {build_attributes("It", issue["project_id"], *kind, link="true", page="true")} {tail}>It</a>'
    )

    assert paragraph(bare) == render(fakeplat, url)
    assert paragraph(named) == render(fakeplat, f"[It]({url})")
    other = "https://elsewhere.test/acme/open/-/issues/2"
    assert paragraph(f'<a href="{other}" {EXTERNAL}>{other}</a>') == render(fakeplat, other)


@pytest.mark.parametrize(("project", "title"), [("acme/open", "Confidential title"), ("acme/team", "Team only title")])
@pytest.mark.parametrize("user", [None, "gus"])
def test_hidden_references_stay_text(fakeplat: Fakeplat, project: str, title: str, user: str | None) -> None:
    """References to hidden issues stay text without title and link."""
    page = f"{get_origin(fakeplat)}/{project}/-/issues/1"
    if (user, project) != ("gus", "acme/team"):
        html = render(fakeplat, f":tada: #1 [x](#1) {page}", project, user)
        assert (True, False, False) == (f"{TADA} #1 " in html, title in html, "gfm-issue" in html)
    assert f'title="{title}"' in render(fakeplat, "#1", project, "root")


def test_users_groups_and_everybody_are_mentioned(fakeplat: Fakeplat) -> None:
    """Mentions of visible users, groups and @all are links, others stay text."""
    dev = fakeplat.world.user("dev")
    attributes = 'data-reference-type="user" data-container="body" data-placement="top"'
    css = 'class="gfm gfm-project_member js-user-link"'
    user = f'<a href="{get_origin(fakeplat)}/dev" data-user="{dev.id}" {attributes} {css} title="{dev.name}">@dev</a>'

    assert paragraph(f"Hi {user}, @all and @nobody.") == render(fakeplat, "Hi @dev, @all and @nobody.", None)
    assert 'title="All Project and Group Members">@all</a>' in render(fakeplat, "@all")
    assert 'title="Acme">@acme</a>' in render(fakeplat, "@acme")
    assert paragraph("ada@example.com") == render(fakeplat, "ada@example.com")
    assert f'{css} title="{dev.name}">me</a>' in render(fakeplat, "[me](@dev)")


def test_merge_requests_and_commits_are_linked(fakeplat: Fakeplat) -> None:
    """A merge request names its project for a box; a commit is abbreviated."""
    root = fakeplat.as_user("root")
    merge_request = root.get(f"{SITE}/merge_requests/1").json()
    commit = root.get(f"{SITE}/repository/commits").json()[0]
    attributes = (
        f'data-project="5001" data-merge-request="{merge_request["id"]}" data-project-path="acme/site" data-iid="1" '
        f'data-mr-title="{merge_request["title"]}" data-reference-type="merge_request"'
    )
    html = render(fakeplat, f"!1 {commit['id']}", "acme/site")

    assert attributes in html
    assert 'title="" class="gfm gfm-merge_request">!1</a>' in html
    assert f'title="{commit["title"]}" class="gfm gfm-commit has-tooltip">{commit["id"][:8]}</a>' in html
    assert paragraph("0123456789abcdef") == render(fakeplat, "0123456789abcdef", "acme/site")


def test_labels_milestones_and_snippets_are_linked(fakeplat: Fakeplat) -> None:
    """Labels, milestones and snippets are linked by name or number."""
    root, base_url = fakeplat.as_user("root"), f"{get_origin(fakeplat)}/acme/open/-"
    label = root.get("projects/acme%2Fopen/labels").json()
    label = next(row for row in label if row["name"] == "two words")
    snippet = root.get("projects/acme%2Fopen/snippets").json()[0]
    html = render(fakeplat, f'~"two words" %1 ${snippet["id"]}')
    text = (
        '<span class="gl-label-text gl-label-text-dark" data-container="body" data-html="true" '
        'style="background-color: #FFFFFF">two words</span></a></span>'
    )

    assert f'<span class="gl-label gl-label-sm"><a href="{base_url}/issues?label_name=two%20words"' in html
    assert f'class="gfm gfm-label has-tooltip gl-link gl-label-link">{text}' in html
    assert 'title="" class="gfm gfm-milestone has-tooltip">%two words</a>' in html
    assert f'<a href="{base_url}/snippets/{snippet["id"]}"' in html
    assert f'data-label="{label["id"]}"' in render(fakeplat, f"~{label['id']}")
    assert ">%two words</a>" in render(fakeplat, '%"two words"')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<script>alert(1)</script>x", "x"),
        ('<b onclick="x">b</b> <i style="color: red">i</i>', paragraph("<b>b</b> <i>i</i>")),
        ('<a href="javascript:alert(1)">x</a>', paragraph("<a>x</a>")),
        ('<a href="http://x.test" rel="bookmark">x</a>', paragraph(f'<a href="http://x.test" {EXTERNAL}>x</a>')),
        ("<span>s</span> <kbd>k</kbd> <abbr title='t'>a</abbr>", None),
        ("<iframe src='x'></iframe><form><p>y</p></form>", '<p dir="auto">y</p>'),
        ("<p class='gfm'>y</p>", paragraph("y")),
    ],
    ids=range(7),
)
def test_only_harmless_html_is_left(fakeplat: Fakeplat, text: str, expected: str | None) -> None:
    """Elements and attributes that are not on the platform's list are removed."""
    harmless = paragraph('<span>s</span> <kbd>k</kbd> <abbr title="t">a</abbr>')
    assert (harmless if expected is None else expected) == render(fakeplat, text).strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# A *title*!",
            (
                '<h1 dir="auto">\n<a id="user-content-a-title" class="anchor" href="#a-title" aria-hidden="true"></a>'
                "A <em>title</em>!</h1>"
            ),
        ),
        (
            "- [ ] a\n- [x] b",
            (
                '<ul class="task-list" dir="auto">\n<li class="task-list-item">\n'
                '<input type="checkbox" class="task-list-item-checkbox" disabled> a</li>\n<li class="task-list-item">\n'
                '<input type="checkbox" class="task-list-item-checkbox" checked disabled> b</li>\n</ul>'
            ),
        ),
        (
            "```ruby\nputs 1 < 2\n```",
            (
                '<pre class="code highlight js-syntax-highlight ruby" lang="ruby" v-pre="true"><code>'
                '<span id="LC1" class="line" lang="ruby">puts 1 &lt; 2</span></code></pre>'
            ),
        ),
        ("~~gone~~", paragraph("<del>gone</del>")),
        ("http://x.test/a.", paragraph(f'<a href="http://x.test/a" {EXTERNAL}>http://x.test/a</a>.')),
        ("[Top](#top)", paragraph('<a href="#top">Top</a>')),
        ("![Logo](a.png)", paragraph(image("a.png", "Logo"))),
        (
            "{+ new +} [-old-] {+ x +]",
            paragraph(
                '<span class="idiff left right addition"> new </span> '
                '<span class="idiff left right deletion">old</span> {+ x +]'
            ),
        ),
        (
            "`#F00`",
            paragraph(
                '<code>#F00<span class="gfm-color_chip"><span style="background-color: #F00;"></span></span></code>'
            ),
        ),
        (" ", ""),
    ],
    ids=range(10),
)
def test_texts_look_as_on_the_platform(fakeplat: Fakeplat, text: str, expected: str) -> None:
    """Markdown is rendered with the platform's HTML."""
    assert expected == render(fakeplat, text).strip()


@pytest.mark.parametrize(
    "text", ["<b>" * 3000, "> " * 3000, "- " * 3000, "[x](#1)" * 500, "{+ " * 2000, "[[" * 3000, "$`a`" * 1000]
)
def test_deep_and_long_texts_are_rendered(fakeplat: Fakeplat, text: str) -> None:
    """Elements that are nested too deeply are left out."""
    render(fakeplat, f"{text}x")


def test_equal_headings_have_different_anchors(fakeplat: Fakeplat) -> None:
    """Equal headings have numbered anchors."""
    html = render(fakeplat, "# A\n\n# A\n\n# 12")
    assert ['href="#a"', 'href="#a-1"', 'href="#anchor-12"'] == [part for part in html.split() if "href" in part]


def test_titles_are_not_markdown(fakeplat: Fakeplat) -> None:
    """Titles render only references and emoji."""
    root = fakeplat.as_user("root")
    root.put(f"{SITE}/merge_requests/1", json={"title": "*x* <b> :tada:", "description": "**x** #1"})
    merge_request = root.get(f"{SITE}/merge_requests/1?render_html=true").json()

    assert f"*x* &lt;b&gt; {TADA}" == merge_request["title_html"]
    assert merge_request["description_html"].startswith('<p dir="auto"><strong>x</strong> <a href="')
    label = root.post(f"{SITE}/labels", json={"name": "n", "color": "#000000", "description": "*x* & y"}).json()
    assert "*x* &amp; y" == label["description_html"]


@by_release(MARKDOWN_IS_A_READ, "status", {"17.8": 403, "17.9": 201})
def test_rendering_is_a_read(fakeplat: Fakeplat, status: int) -> None:
    """Later releases render texts for tokens that only read."""
    token = {"PRIVATE-TOKEN": fakeplat.token("dev", scopes=["read_api"])}
    assert status == fakeplat.as_user(None).post("markdown", json={"text": "x"}, headers=token).status
