"""CommonMark with tables, strikethrough and footnotes, and the HTML that it may contain."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fakeplat.core.cache.bounded import BoundedCache
from fakeplat.domain.markup.footnotes import enable_footnotes, is_footnote_id
from fakeplat.domain.markup.nesting import limit_nesting
from fakeplat.domain.markup.quote_fences import quote_fenced_lines

if TYPE_CHECKING:
    from markdown_it.token import Token

# The elements and attributes that the platform's sanitizer lets through; everything else is removed, not escaped.
_TAGS: Final = frozenset(
    "h1 h2 h3 h4 h5 h6 h7 h8 br b i strong em a pre code img tt div ins del sup sub p ol ul table thead tbody tfoot "
    "blockquote dl dt dd kbd q samp var hr ruby rt rp li tr td th s strike summary details span abbr".split()
)
_EVERYWHERE: Final = frozenset(
    "abbr accept accept-charset accesskey action align alt axis border cellpadding cellspacing char charoff charset "
    "checked clear cols colspan color compact coords datetime dir disabled enctype for frame headers height hreflang "
    "hspace ismap label lang maxlength media method multiple nohref noshade nowrap open prompt readonly rel rev rows "
    "rowspan rules scope selected shape size span start summary tabindex target title type usemap valign value vspace "
    "width itemprop".split()
) - {"rel", "target"}
_ATTRIBUTES: Final = {
    "*": _EVERYWHERE,
    "a": {"href", "name", "id"},
    "li": {"id"},
    "img": {"src", "longdesc"},
    "div": {"itemscope", "itemtype"},
    "blockquote": {"cite"},
    "del": {"cite"},
    "ins": {"cite"},
    "q": {"cite"},
    "th": {"style"},
    "td": {"style"},
}
_FURTHER_SCHEMES: Final = ("git", "rdar", "smb", "sftp", "svn")
_ALIGNMENT: Final = re.compile(r"text-align:\s*(center|left|right)")
_MAX_CACHED: Final = 1024
_MAX_CACHED_SIZE: Final = 8 * 1024 * 1024
_LANGUAGES: Final = {"---": "yaml", "+++": "toml", ";;;": "json"}
_FRONT_MATTER: Final = re.compile(r"(?:[^\r\n]*coding:[^\r\n]*(?=\n))?(?:\s*\n)?(---|\+\+\+|;;;)[ \t]*(\S*)[ \t]*\r?\n")
"""The beginning of data at the top of a text, after a line that may name an encoding: a mark and a language."""


class _Sized(NamedTuple):
    """Rendered HTML, and its size together with that of the text that it was rendered from."""

    html: str
    size: int


def _cached(render: Callable[[str], str]) -> Callable[[str], str]:
    """Cache what a function renders."""
    cache: BoundedCache[str, _Sized] = BoundedCache(_MAX_CACHED, lambda entry: entry.size, _MAX_CACHED_SIZE)

    @wraps(render)
    def render_cached(text: str) -> str:
        if (entry := cache.get(text)) is None:
            html = render(text)
            cache.put(text, entry := _Sized(html, len(text) + len(html)))
        return entry.html

    return render_cached


@_cached
def render_plain(text: str) -> str:
    """Render a text as HTML without sanitizing it and without references; HTML in it stays as it is."""
    return str(_renderer().render(_prepare(text))).strip()


def _prepare(text: str) -> str:
    return quote_fenced_lines(_show_front_matter(text))


def _show_front_matter(text: str) -> str:
    """Make the data at the beginning of a text a block of code."""
    opening = _FRONT_MATTER.match(text)
    data, end, rest = text[opening.end() - 1 :].partition(f"\n{opening[1]}") if opening else ("", "", "")
    if opening is None or not end:
        return text
    return f"```{opening[2] or _LANGUAGES[opening[1]]}\n{data.strip()}\n```\n\n{rest.lstrip()}"


@_cached
def render_sanitized(text: str) -> str:
    """Render a text as HTML in which only harmless elements and attributes are left."""
    import nh3  # imported late, as most tests render nothing

    cleaned = nh3.clean(
        limit_nesting(render_plain(text)),
        tags=set(_TAGS),
        clean_content_tags={"script", "style"},
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        attribute_filter=_filter_attribute,
        url_schemes={*nh3.ALLOWED_URL_SCHEMES, *_FURTHER_SCHEMES},
        link_rel=None,
    )
    return str(cleaned)


def _filter_attribute(tag: str, attribute: str, value: str) -> str | None:
    if attribute == "style":
        match = _ALIGNMENT.search(value)
        return f"text-align: {match[1]}" if match else None
    if attribute == "id" and tag in ("a", "li"):
        return value if is_footnote_id(tag, value) else None
    return value


def parse_code_blocks(text: str) -> list[tuple[str, str]]:
    """Return the info string and the content of each fenced code block, without the end of its last line."""
    blocks = (token for token in _renderer().parse(text) if token.type == "fence")
    return [(token.info.strip(), token.content.removesuffix("\n")) for token in blocks]


def list_paragraphs(text: str) -> list[str]:
    """Return the sources of the paragraphs that are in no list, quotation or footnote."""
    tokens = _renderer().parse(_prepare(text))
    return [
        content.content
        for opening, content in pairwise(tokens)
        if opening.type == "paragraph_open" and opening.level == 0
    ]


@cache
def _renderer() -> Any:
    from markdown_it import MarkdownIt  # imported late: slow, and most tests render nothing

    renderer: Any = MarkdownIt("commonmark", {"html": True, "xhtmlOut": False}).enable(["table", "strikethrough"])
    # All addresses are accepted: the sanitizer takes the dangerous ones away from their links.
    renderer.validateLink = lambda address: True
    enable_footnotes(renderer)
    for name, rule in _RULES.items():
        renderer.add_render_rule(name, rule)
    return renderer


def _render_text(_self: object, tokens: Sequence["Token"], index: int, *_rest: object) -> str:
    # Quotation marks are escaped in attributes only.
    return escape(tokens[index].content, quote=False)


def _render_inline_code(self: object, tokens: Sequence["Token"], index: int, *rest: object) -> str:
    return f"<code>{_render_text(self, tokens, index, *rest)}</code>"


def _render_code_block(self: object, tokens: Sequence["Token"], index: int, *rest: object) -> str:
    language = next(iter(tokens[index].info.split()), "")
    attribute = f' lang="{escape(language)}"' if language else ""
    return f"<pre{attribute}><code>{_render_text(self, tokens, index, *rest)}</code></pre>\n"


def _open_deletion(_self: object, *_rest: object) -> str:
    return "<del>"


def _close_deletion(_self: object, *_rest: object) -> str:
    return "</del>"


_RULES: Final[Mapping[str, Callable[..., Any]]] = {
    "text": _render_text,
    "code_inline": _render_inline_code,
    "code_block": _render_code_block,
    "fence": _render_code_block,
    "s_open": _open_deletion,
    "s_close": _close_deletion,
}
