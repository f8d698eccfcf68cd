"""Blocks of Markdown with a meaning of their own. Source: the specs of the platform's filters."""

import base64
import zlib
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.markdown import image, paragraph, render


def code_block(language: str, line: str, css: str = "", more: str = "", code_css: str = "") -> str:
    return (
        f'<pre class="code highlight js-syntax-highlight {language}{css}" lang="{language}" v-pre="true"{more}>'
        f'<code{code_css}><span id="LC1" class="line" lang="{language}">{line}</span></code></pre>'
    )


def render_text(fake: Fakeplat, text: str) -> str:
    return render(fake, text, None, None).strip()


MATH = '<code class="code math js-render-math" data-math-style="inline">{}</code>'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$`2+2`$", MATH.format("2+2")),
        ("$`22+1`$ and $`22 + a^2`$", f"{MATH.format('22+1')} and {MATH.format('22 + a^2')}"),
        ("$22 and $`2+2`$", f"$22 and {MATH.format('2+2')}"),
        ("test $$`2+2`$$ test", f"test ${MATH.format('2+2')}$ test"),
        ("`2+2`", "<code>2+2</code>"),
        ("test $`2+2` test", "test $<code>2+2</code> test"),
        ("test `2+2`$ test", "test <code>2+2</code>$ test"),
        ("$20,000 and $30,000", "$20,000 and $30,000"),
        ("$2+2$", "$2+2$"),
    ],
    ids=range(9),
)
def test_code_between_dollar_signs_is_a_formula(fakeplat: Fakeplat, text: str, expected: str) -> None:
    """The signs next to it are removed; without code between them they are texts."""
    assert paragraph(expected) == render_text(fakeplat, text)


def test_a_block_of_math_is_a_formula(fakeplat: Fakeplat) -> None:
    """A block in the language math is a displayed formula."""
    expected = code_block("math", "2+2", " js-render-math", ' data-math-style="display"')
    assert expected == render_text(fakeplat, "```math\n2+2\n```")


def test_browsers_draw_mermaid(fakeplat: Fakeplat) -> None:
    """Code in the language mermaid is marked for the browser to draw."""
    expected = code_block("mermaid", "graph TD;", code_css=' class="js-render-mermaid"')
    assert expected == render_text(fakeplat, "```mermaid\ngraph TD;\n```")


def test_the_language_of_code_may_have_parameters(fakeplat: Fakeplat) -> None:
    """Parameters of a code block's language become their own attribute."""
    html = render_text(fakeplat, "```suggestion:-1+10:x\na\n```")
    assert '<pre class="code highlight js-syntax-highlight suggestion" lang="suggestion" ' in html
    assert ' data-lang-params="-1+10:x" v-pre="true">' in html


PLANTUML = "```plantuml\nBob -> Sara : Hello\n```"


def with_settings(**values: Any) -> pytest.MarkDecorator:
    return pytest.mark.fakeplat(scenario={"extends": "starter", "settings": values})


@with_settings(plantuml_enabled=True, plantuml_url="http://localhost:8080")
@pytest.mark.parametrize("text", ["Bob -> Sara : Hello", "Bob -> Sara : Hello!", "Bob -> Sara : Hello!?"])
def test_a_server_draws_plantuml(fakeplat: Fakeplat, text: str) -> None:
    """The address of the image has the text, compressed, in digits of PlantUML, which have no padding."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
    usual = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    html = render_text(fakeplat, PLANTUML.replace("Bob -> Sara : Hello", text))
    source = html.partition('href="')[2].partition('"')[0]
    data = source.removeprefix("http://localhost:8080/png/").translate(str.maketrans(digits, usual))

    assert f"<div><div>{image(source)}</div></div>" == html
    assert f"{text}\n".encode() == zlib.decompressobj().decompress(base64.b64decode(data))
    assert {*source.rpartition("/")[2]} <= {*digits}


def test_plantuml_is_code_without_a_server(fakeplat: Fakeplat) -> None:
    """Without a PlantUML server its diagrams are rendered as code."""
    assert code_block("plantuml", "Bob -&gt; Sara : Hello") == render_text(fakeplat, PLANTUML)


@with_settings(plantuml_enabled=True, plantuml_url="invalid")
def test_an_invalid_server_for_plantuml_is_reported(fakeplat: Fakeplat) -> None:
    """An invalid PlantUML server is reported in place of the diagram."""
    error = '<pre> PlantUML Error: cannot connect to PlantUML server at "invalid"</pre>'
    assert f"<div><div>{error}</div></div>" == render_text(fakeplat, PLANTUML)


NOMNOML = "```nomnoml\n[Pirate|eyeCount: Int|raid();pillage()|\n  [beard]--[parrot]\n  [beard]-:>[foul mouth]\n]\n```"
KROKI = (
    "http://localhost:8000/nomnoml/svg/eNqLDsgsSixJrUmtTHXOL80rsVLwzCupKUrMTNHQtC7IzMlJTE_V0KzhUlCITkpNLEqJ1dWN"
    "LkgsKsoviUUSs7KLTssvzVHIzS8tyYjligUAMhEd0g=="
)


@pytest.mark.fakeplat(
    scenario={
        "extends": "starter",
        "instance": {"version": "13.7.0"},
        "settings": {"kroki_enabled": True, "kroki_url": "http://localhost:8000"},
    }
)
def test_a_kroki_server_draws_many_languages(fakeplat: Fakeplat) -> None:
    """The address of the image has the text, compressed; Mermaid is left to browsers."""
    assert image(KROKI) == render_text(fakeplat, NOMNOML)
    assert 'class="js-render-mermaid"' in render_text(fakeplat, "```mermaid\ngraph TD;\n```")


def test_without_a_kroki_server_diagrams_are_code(fakeplat: Fakeplat) -> None:
    """Without a Kroki server its diagrams are rendered as lines of code."""
    assert '<span id="LC2" class="line" lang="nomnoml">  [beard]--[parrot]</span>' in render_text(fakeplat, NOMNOML)


ARROW = (
    '<gl-emoji title="leftwards arrow with hook" data-name="leftwards_arrow_with_hook" '
    'data-unicode-version="1.1">↩</gl-emoji>'
)


def test_footnotes_are_numbered(fakeplat: Fakeplat) -> None:
    """Footnotes are numbered, with ids that share one suffix in a text."""
    html = render_text(fakeplat, "first[^1] and second[^second]\n[^1]: one\n[^second]: two\n")
    id_ = html.partition('id="fnref1-')[2].partition('"')[0]
    link = '<sup class="footnote-ref"><a href="#fn{0}-{1}" id="fnref{0}-{1}">{0}</a></sup>'
    first = f'<li id="fn1-{id_}">\n<p>one <a href="#fnref1-{id_}" class="footnote-backref">{ARROW}</a></p>\n</li>'
    second = f'<li id="fn2-{id_}">\n<p>two <a href="#fnref2-{id_}" class="footnote-backref">{ARROW}</a></p>\n</li>'

    assert [
        paragraph(f"first{link.format(1, id_)} and second{link.format(2, id_)}"),
        "",
        f'<section class="footnotes"><ol>\n{first}\n{second}\n</ol></section>',
    ] == html.split("\n", 2)
    assert id_ not in render_text(fakeplat, "other[^1]\n\n[^1]: one")


def test_footnotes_need_a_text(fakeplat: Fakeplat) -> None:
    """A reference without one stays as it is, and a text without a reference is left out."""
    assert paragraph("no[^1]") == render_text(fakeplat, "no[^1]")
    assert paragraph("no") == render_text(fakeplat, "no\n\n[^1]: one")


def test_other_ids_are_removed(fakeplat: Fakeplat) -> None:
    """Ids in HTML are removed unless they belong to footnotes."""
    html = render_text(fakeplat, '<a id="x">a</a> <a id="fn1">b</a>\n\n<ul>\n<li id="fnref1">c</li>\n</ul>')
    assert "id=" not in html


def test_a_table_of_contents_links_the_headings(fakeplat: Fakeplat) -> None:
    """A table of contents is a nested list of links to the headings."""
    html = render_text(fakeplat, "[[_TOC_]]\n\n## A *b*\n\n#### C & d\n\n### E\n\n# F\n\n# F")
    below = '<ul><li><a href="#c-d">C &amp; d</a></li><li><a href="#e">E</a></li></ul>'
    first = f'<li><a href="#a-b">A b</a>{below}</li>'

    assert html.startswith(
        f'<ul class="section-nav">{first}<li><a href="#f">F</a></li><li><a href="#f-1">F</a></li></ul>\n<h2 dir="auto">'
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("test [[_TOC_]]\n\n# A", "test [[<em>TOC</em>]]"),
        ("[[_toc_]]\n\n# A", "[[<em>toc</em>]]"),
        ("`[[_TOC_]]`\n\n# A", "<code>[[_TOC_]]</code>"),
    ],
    ids=range(3),
)
def test_the_tag_of_contents_stands_alone(fakeplat: Fakeplat, text: str, expected: str) -> None:
    """The tag of the table of contents has to stand alone and in capital letters."""
    assert paragraph(expected) == render_text(fakeplat, text).partition("\n")[0]


def test_without_headings_there_are_no_contents(fakeplat: Fakeplat) -> None:
    """Without headings the tag of the table of contents is removed."""
    assert paragraph("Foo") == render_text(fakeplat, "[[_TOC_]]\n\nFoo")


@pytest.mark.parametrize(
    ("text", "language", "line"),
    [
        ("---\nfoo: :foo_symbol\n---\n\n# Header", "yaml", "foo: :foo_symbol"),
        ("+++\nfoo = 1\n+++\n# Header", "toml", "foo = 1"),
        (';;;\n{"a": 1}\n;;;\n# Header', "json", '{"a": 1}'),
        ("---arbitrary\nfoo\n---\n# Header", "arbitrary", "foo"),
        ("# -*- coding: utf-8 -*-\n---\n\nfoo\n\n---\n# Header", "yaml", "foo"),
        ("\n\n---\nfoo\n---\n# Header", "yaml", "foo"),
    ],
    ids=range(6),
)
def test_data_at_the_top_is_code(fakeplat: Fakeplat, text: str, language: str, line: str) -> None:
    """Front matter is rendered as code in its language."""
    block, _, rest = render_text(fakeplat, text).partition("\n")

    assert code_block(language, line) == block
    assert "Header</h1>" in rest


@pytest.mark.parametrize("text", ["text\n\n---\nfoo\n---", "---\n\nfoo", " ---\nfoo: 1\n---"])
def test_lines_elsewhere_are_no_marks_of_data(fakeplat: Fakeplat, text: str) -> None:
    """Front matter without an end, indented or not at the top is plain text."""
    assert "<pre" not in render_text(fakeplat, text)


@pytest.mark.parametrize(
    ("fenced", "marked"),
    [
        (">>>\nQuote\n>>>\nText", "> Quote\n\nText"),
        ("Text\n>>> \nOne\n\nTwo\n>>>", "Text\n\n> One\n>\n> Two"),
        (
            ">>>\nQuote\n\n```\n# Code\n>>>\n# Code\n```\n\nQuote\n>>>",
            "> Quote\n>\n> ```\n> # Code\n> >>>\n> # Code\n> ```\n>\n> Quote",
        ),
        (">>>\n<pre>\n>>>\n</pre>\n>>>\nText", "> <pre>\n> >>>\n> </pre>\n\nText"),
    ],
    ids=["short", "paragraphs", "code", "html"],
)
def test_lines_between_fences_are_quoted(fakeplat: Fakeplat, fenced: str, marked: str) -> None:
    """Lines between two lines ``>>>`` are a quotation, in which code and HTML may contain such lines."""
    html = render_text(fakeplat, fenced)

    assert 1 == html.count("<blockquote")
    assert render_text(fakeplat, marked) == html


@pytest.mark.parametrize(
    "text",
    ["```\n>>>\n# Code\n>>>\n```", "<pre>\n>>>\n# Code\n>>>\n</pre>", "Text >>>\nText\nText >>>"],
    ids=["code", "html", "text"],
)
def test_fences_in_code_and_html_quote_nothing(fakeplat: Fakeplat, text: str) -> None:
    """Lines ``>>>`` in code and HTML are a part of it, as is ``>>>`` in other lines."""
    assert "blockquote" not in render_text(fakeplat, text)
