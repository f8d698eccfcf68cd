"""Comments have one style: CONTRIBUTING.md ('Code rules')."""

import io
import tokenize
from typing import NamedTuple

import pytest

from tests.architecture.sources import ROOT

FILES = sorted([*ROOT.glob("fakeplat/**/*.py"), ROOT / "conftest_plugin.py"])
# Names that are written with a small letter, also at the beginning of a sentence.
NAMES = ("aiohttp", "asyncio", "attrs", "git", "httptools", "jsonschema", "libgit2", "pygit2", "surrogateescape")
DIRECTIVES = ("noqa", "type:", "fmt:", "!")


class Comment(NamedTuple):
    """A comment on lines of its own; a heading has blank lines around it."""

    line: int
    text: str
    is_heading: bool

    @property
    def is_capital(self) -> bool:
        """Whether it begins with a capital letter, a name or anything else that is no common word."""
        first = self.text.split()[0]
        word = first.rstrip(".,:;").removesuffix("'s")
        return not word[0].islower() or not word.replace("-", "").isalpha() or word in NAMES

    @property
    def is_ended(self) -> bool:
        """Whether it ends like a sentence."""
        return self.is_heading or self.text[-1] in ".:?!"


def comments_of(source: str) -> list[Comment]:
    """The comments of a module that stand on lines of their own, several lines being one comment."""
    lines = ["", *source.splitlines(), ""]
    blocks: list[list[int]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        number = token.start[0]
        if token.type != tokenize.COMMENT or token.line[: token.start[1]].strip():
            continue
        if blocks and blocks[-1][-1] == number - 1:
            blocks[-1].append(number)
        else:
            blocks.append([number])
    comments = []
    for block in blocks:
        text = " ".join(lines[number].strip().lstrip("#").strip() for number in block)
        is_heading = not lines[block[0] - 1].strip() and not lines[block[-1] + 1].strip()
        comments.append(Comment(block[0], text, is_heading))
    return [comment for comment in comments if comment.text and not comment.text.startswith(DIRECTIVES)]


@pytest.mark.parametrize("package", sorted({file.relative_to(ROOT).parts[:2] for file in FILES}), ids="/".join)
def test_comments_are_sentences(package: tuple[str, ...]) -> None:
    """A comment on a line of its own begins with a capital letter and ends with a full stop, unless it is a heading."""
    files = [file for file in FILES if file.relative_to(ROOT).parts[:2] == package]
    assert [] == [
        f"{file.relative_to(ROOT)}:{comment.line}: {comment.text}"
        for file in files
        for comment in comments_of(file.read_text("utf-8"))
        if not (comment.is_capital and comment.is_ended)
    ]


@pytest.mark.parametrize(
    ("source", "is_right"),
    [
        ("# It is late.\nx = 1\n", True),
        ("# it is late.\nx = 1\n", False),
        ("# It is late\nx = 1\n", False),
        ("# git says so.\nx = 1\n", True),
        ("# end() would wait.\nx = 1\n", True),
        ("x = 1\n\n# Names\n\ny = 2\n", True),
        ("x = 1\n\n# names\n\ny = 2\n", False),
        ("x = 1  # late\n", True),
        ("# A sentence\n# of two lines.\nx = 1\n", True),
    ],
)
def test_the_rule_is_checked(source: str, *, is_right: bool) -> None:
    """The check finds a small first letter or a missing full stop, and allows fragments at the end of a line."""
    assert is_right == all(comment.is_capital and comment.is_ended for comment in comments_of(source))
