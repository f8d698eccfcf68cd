"""Formulas, which browsers draw, and diagrams, which a browser or the server of the settings draws."""

from base64 import b64encode, urlsafe_b64encode
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final
from urllib.parse import urlsplit
from zlib import compress

from fakeplat.domain.markup.trees import Element
from fakeplat.model.settings import Settings

_STYLE: Final = "data-math-style"
_RENDERED: Final = "js-render-math"
_PLANTUML: Final = "plantuml"
# What Kroki draws without another container beside it; browsers draw Mermaid themselves.
_KROKI: Final = frozenset(
    "bytefield c4plantuml ditaa erd graphviz nomnoml pikchr plantuml structurizr svgbob umlet vega vegalite "
    "wavedrom".split()
)
# PlantUML has an order of its own for the digits of Base64.
_BASE64: Final = f"{ascii_uppercase}{ascii_lowercase}{digits}+/"
_DIGITS_OF_PLANTUML: Final = str.maketrans(_BASE64, f"{digits}{ascii_uppercase}{ascii_lowercase}-_")


def draw_plantuml(settings: Settings, root: Element) -> None:
    """Replace blocks of PlantUML by images of its server, if the settings name one."""
    if settings.plantuml_enabled:
        url = settings.plantuml_url or ""
        root.replace_elements(lambda block: _draw_plantuml(url, block) if _is_block(block, _PLANTUML) else None)


def _draw_plantuml(url: str, block: Element) -> Element:
    if urlsplit(url).scheme not in ("http", "https"):
        error = f' PlantUML Error: cannot connect to PlantUML server at "{url}"'
        return _nest(Element("pre", None, error))
    data = compress(block.text.encode())
    # Its digits have no padding: the last group is as long as the others.
    padded = data + bytes(-len(data) % 3)
    return _nest(Element("img", {"src": f"{url}/png/{b64encode(padded).decode().translate(_DIGITS_OF_PLANTUML)}"}))


def _nest(content: Element) -> Element:
    return Element("div", None, Element("div", None, content))


def _is_block(element: Element, *languages: str) -> bool:
    return element.tag == "pre" and element.attributes.get("lang") in languages


def draw_kroki(settings: Settings, root: Element) -> None:
    """Replace blocks of many languages for diagrams by images of a Kroki server, if the settings name one."""
    if settings.kroki_enabled:
        languages = _KROKI - {_PLANTUML} if settings.plantuml_enabled else _KROKI
        url = settings.kroki_url or ""
        root.replace_elements(lambda block: _draw_kroki(url, block) if _is_block(block, *languages) else None)


def _draw_kroki(url: str, block: Element) -> Element:
    data = urlsafe_b64encode(compress(block.text.encode(), 9)).decode()
    return Element("img", {"src": f"{url}/{block.attributes['lang']}/svg/{data}"})


def mark_mermaid(root: Element) -> None:
    """Mark the blocks that browsers turn into diagrams."""
    for block in root.find_all("pre"):
        if _is_block(block, "mermaid"):
            for code in block.find_all("code"):
                code.add_class("js-render-mermaid")


def mark_math(root: Element) -> None:
    """Mark blocks of formulas, and code between dollar signs, which are removed."""
    for element in root.descendants():
        if _is_block(element, "math"):
            element.add_class(_RENDERED)
            element.attributes[_STYLE] = "display"
        else:
            _mark_inline_math(element.children)


def _mark_inline_math(children: list[Element | str]) -> None:
    for place in range(1, len(children) - 1):
        before, code, after = children[place - 1 : place + 2]
        if not isinstance(before, str) or not isinstance(after, str) or isinstance(code, str) or code.tag != "code":
            continue
        if before.endswith("$") and after.startswith("$"):
            code.attributes = {"class": f"code math {_RENDERED}", _STYLE: "inline"}
            children[place - 1], children[place + 1] = before[:-1], after[1:]
