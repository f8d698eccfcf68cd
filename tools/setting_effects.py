"""Which application settings something reads, and which are only stored and shown: docs/platform/setting-effects.md.

A setting is read where the package names it outside of its declaration: as an attribute, as a text, or as a text that
is composed, such as ``throttle_{kind}_enabled``. Records of other kinds have attributes of the same name; those count
only if they are read from the settings.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from fakeplat.model.setting_rules import Setting, declared_settings

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs/platform/setting-effects.md"
PACKAGE: Final = ROOT / "fakeplat"
DECLARATIONS: Final = ("model/setting_attributes.py", "model/setting_rules.py", "model/setting_groups/")
"""Where settings are declared: to name one here is not to read it."""
_HOLDERS: Final = ("settings", "application_settings")
"""The names of variables and attributes that hold the settings."""
_LEAST_LETTERS: Final = 9
"""How many letters of a composed name are known at least."""


def list_unread() -> list[str]:
    """Return the names of the settings that nothing reads, sorted."""
    read, patterns = collect_names()
    unread = (name for name in declared_settings() if name not in read)
    return sorted(name for name in unread if not any(pattern.fullmatch(name) for pattern in patterns))


def build_page() -> str:
    """Return the page that lists the settings without an effect."""
    declared, unread = declared_settings(), list_unread()
    lines = [
        "# Settings without an effect",
        f"{len(declared) - len(unread)} of {len(declared)} settings and limits of plans are read somewhere.",
        f"These {len(unread)} are validated, stored and shown, and change nothing else (tools/setting_effects.py).",
        "",
        "| setting | releases |",
        "|---|---|",
        *(f"| `{name}` | {_describe(declared[name])} |" for name in unread),
    ]
    return "\n".join(lines) + "\n"


def _describe(setting: Setting) -> str:
    return str(setting.lifetime) if setting.lifetime else ""


@cache
def collect_names() -> tuple[frozenset[str], tuple[re.Pattern[str], ...]]:
    """Return the names that modules read of the settings, and patterns of those that they compose."""
    names: set[str] = set()
    patterns: set[str] = set()
    for path in _list_modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names.update(_list_names(node))
            patterns.update(_list_patterns(node))
    return frozenset(names), tuple(map(re.compile, sorted(patterns)))


def _list_modules() -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if not path.relative_to(PACKAGE).as_posix().startswith(DECLARATIONS):
            yield path


@cache
def _list_attributes_of_records() -> frozenset[str]:
    """Return the names of the attributes that records of other kinds have."""
    trees = (ast.parse(path.read_text("utf-8")) for path in _list_modules() if path.is_relative_to(PACKAGE / "model"))
    nodes = (node for tree in trees for node in ast.walk(tree))
    return frozenset(
        node.target.id for node in nodes if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    )


def _list_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        if node.attr not in _list_attributes_of_records() or _holds_settings(node.value):
            yield node.attr
    # Names of settings also stand in tables, from which they are read.
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
        yield node.value


def _holds_settings(node: ast.expr) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name in _HOLDERS


def _list_patterns(node: ast.AST) -> Iterator[str]:
    """Yield the pattern of a name that is composed of texts and values."""
    if not isinstance(node, ast.JoinedStr):
        return
    texts = [str(part.value) if isinstance(part, ast.Constant) else "" for part in node.values]
    known = "".join(texts)
    if re.fullmatch("[a-z_]+", known) and len(known) >= _LEAST_LETTERS:
        yield "".join(re.escape(text) if text else r"\w+" for text in texts)
