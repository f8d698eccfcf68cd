"""Elements of HTML that are nested too deeply are left out before it is sanitized."""

from html.parser import HTMLParser

import pytest
from typing_extensions import override

from fakeplat.domain.markup.nesting import limit_nesting

DEEPEST = 200
MANY = 1000


def count_starts(html: str, name: str) -> int:
    """Return the number of tags that start elements of a kind, as a parser of HTML sees them."""

    class Counter(HTMLParser):
        count = 0

        @override
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.count += tag == name

    counter = Counter()
    counter.feed(html)
    counter.close()
    return counter.count


@pytest.mark.parametrize(
    "html",
    [
        "<ul>\n",
        "<ul></b>",
        "<ul><textarea></ul></textarea>",
        "<ul><!-- </ul> -->",
        "<ul><! </ul>",
        "<ul></3 </ul>",
        "<ul title='</ul>'>",
        '<ul title = "</ul>">',
        "<b><ul></b>",
        "<ul><table><tr><td></ul>",
        "<UL></b>",
    ],
)
def test_elements_that_stay_open_are_left_out_beyond_a_depth(html: str) -> None:
    """Unclosed elements beyond a depth are left out, also if something follows that only looks like their end tag."""
    assert 0 < count_starts(limit_nesting(html * MANY), "ul") <= DEEPEST


@pytest.mark.parametrize(
    "html",
    [
        "<ul><li>a</li></ul>\n",
        "<ul><li>a<li>b</ul>",
        "<p>a<p>b",
        "<div><p>a</div>",
        "<h2><a name='x'>a</h2>",
        "<table><tr><td>a<td>b<tr><td>c</table>",
        "<div title='a > b'>a <br> <img src='x'> <hr></div>",
        "a < b > c &lt; <em>d</em>",
        "<details><summary>a</summary>b</details>",
    ],
)
def test_html_of_little_depth_is_unchanged(html: str) -> None:
    """HTML of little depth is unchanged, however long it is, also with omitted end tags."""
    assert html * MANY == limit_nesting(html * MANY)


@pytest.mark.parametrize("name", "area base br col embed hr img input link meta param source track wbr".split())
def test_elements_without_content_are_not_nested(name: str) -> None:
    """The void elements of HTML have no end tag, so those after them are not within them."""
    html = f"<{name}>" * MANY + "<em>a</em>"
    assert html == limit_nesting(html)


def test_texts_of_elements_that_are_left_out_stay() -> None:
    """Elements beyond the depth lose their start and end tags and keep their texts."""
    html = f"{'<div>a' * MANY}b{'</div>' * MANY}c"
    assert f"{'<div>a' * DEEPEST}{'a' * (MANY - DEEPEST)}b{'</div>' * DEEPEST}c" == limit_nesting(html)


def test_formatting_that_is_never_closed_does_not_add_up() -> None:
    """Unclosed formatting elements such as ``b``, which continue in later paragraphs, count towards the depth."""
    html = "".join(f"<p><b id='{number}'>a</p>" for number in range(MANY))
    limited = limit_nesting(html)
    assert (MANY, True) == (count_starts(limited, "p"), count_starts(limited, "b") <= DEEPEST)


def test_comments_are_removed() -> None:
    """Comments are removed with the tags inside them."""
    assert f"{'<br>' * MANY} a" == limit_nesting(f"{'<br>' * MANY}<!-- <ul> -->a")
