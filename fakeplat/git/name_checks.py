"""Validation of ref names and of paths in trees, by git's rules."""

import re
from collections.abc import Collection
from operator import methodcaller

from fakeplat.git.errors import BadName, BadPath, EmptyPath, Traversal

BRANCHES = "refs/heads/"
TAGS = "refs/tags/"
ZERO_SHA = "0" * 40
MAX_DEPTH = 256
"""The maximal nesting of folders. No tree of a repository is deeper, so trees can be walked recursively."""

# Control characters and blanks, characters with a meaning in revisions or globs, `..`, `@{`, empty parts, and parts
# that start with a dot or end with `.lock`.
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)")
# Windows ignores dots and blanks at the end of a name, and `:` starts the name of a stream; `git~1` is a short name.
_DOT_GIT = re.compile(r"\.git[. ]*(:.*)?|git~1[. ]*(:.*)?", re.IGNORECASE)


def is_ref_name(name: str) -> bool:
    """Return whether `git check-ref-format` accepts a full name, such as `refs/heads/main`."""
    return (
        "/" in name
        and not name.startswith((".", "/"))
        and not name.endswith(("/", "."))
        and not _FORBIDDEN.search(name)
        and _is_utf8(name)
    )


def check_branch(name: str) -> str:
    """Return the ref of a branch by its short name; BadName if git would not create it."""
    # Commands would take such a name for an option, or for HEAD itself.
    if name.startswith("-") or name == "HEAD" or not is_ref_name(BRANCHES + name):
        raise BadName(name)
    return BRANCHES + name


def check_tag(name: str) -> str:
    """Return the ref of a tag by its short name; BadName if git would not create it."""
    if name.startswith("-") or not is_ref_name(TAGS + name):
        raise BadName(name)
    return TAGS + name


def find_conflicting_ref(name: str, names: Collection[str]) -> str | None:
    """Return the ref that prevents another from existing: `a` and `a/b` cannot both exist."""
    parts = name.split("/")
    parents = ("/".join(parts[:count]) for count in range(1, len(parts)))
    children = filter(methodcaller("startswith", f"{name}/"), names)
    return next((other for other in parents if other in names), None) or next(children, None)


def normalize_path(path: str) -> str:
    """Return a path without leading, doubled or trailing slashes and without `.`.

    EmptyPath if nothing is left, Traversal if it contains `..`, BadPath if a part is `.git` or equals it on some file
    system (such as `.GIT` or `git~1`), or if folders are nested too deep.
    """
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if not parts:
        raise EmptyPath(path)
    if ".." in parts:
        raise Traversal(path)
    if len(parts) > MAX_DEPTH:
        raise BadPath(path)
    if any(_DOT_GIT.fullmatch(part) for part in parts) or "\x00" in path or not _is_utf8(path):
        raise BadPath(path)
    return "/".join(parts)


def _is_utf8(name: str) -> bool:
    try:
        # Bytes that are not UTF-8 are lone surrogates in our texts, which cannot be encoded.
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
