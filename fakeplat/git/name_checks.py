"""Names of refs and paths in trees: what git accepts."""

import re
from collections.abc import Collection

from fakeplat.git.errors import BadName, BadPath, EmptyPath, Traversal

BRANCHES = "refs/heads/"
TAGS = "refs/tags/"
ZERO = "0" * 40
DEEPEST = 256
"""How deep folders may be nested; no tree of a repository is deeper, so that trees can be walked by recursion."""

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)")
_DOT_GIT = re.compile(r"\.git[. ]*(:.*)?|git~1[. ]*(:.*)?", re.IGNORECASE)


def is_ref_name(name: str) -> bool:
    """Whether `git check-ref-format` takes it. It is a whole name, as `refs/heads/main`."""
    return (
        "/" in name
        and not name.startswith((".", "/"))
        and not name.endswith(("/", "."))
        and not _FORBIDDEN.search(name)
        and _is_text(name)
    )


def check_branch(name: str) -> str:
    """The ref of a branch by its short name; BadName if git would not make it."""
    if name.startswith("-") or name == "HEAD" or not is_ref_name(BRANCHES + name):
        raise BadName(name)
    return BRANCHES + name


def check_tag(name: str) -> str:
    """The ref of a tag by its short name; BadName if git would not make it."""
    if name.startswith("-") or not is_ref_name(TAGS + name):
        raise BadName(name)
    return TAGS + name


def find_conflicting_ref(name: str, names: Collection[str]) -> str | None:
    """The ref because of which another cannot be: `a` and `a/b` cannot both be."""
    parts = name.split("/")
    above = ("/".join(parts[:count]) for count in range(1, len(parts)))
    below = (other for other in names if other.startswith(f"{name}/"))
    return next((other for other in above if other in names), None) or next(below, None)


def normalize_path(path: str) -> str:
    """A path without leading, doubled or trailing slashes and without `.`.

    EmptyPath where nothing is left, Traversal where it holds `..`, BadPath where a part is `.git` in some disguise or
    folders are nested too deep.
    """
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if not parts:
        raise EmptyPath(path)
    if ".." in parts:
        raise Traversal(path)
    if len(parts) > DEEPEST:
        raise BadPath(path)
    if any(_DOT_GIT.fullmatch(part) for part in parts) or "\x00" in path or not _is_text(path):
        raise BadPath(path)
    return "/".join(parts)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
