"""What the container file and the examples beside it say."""

import json
import re
from typing import Any, NamedTuple

from fakeplat.scenario.parsing import parse
from tests.architecture.sources import ROOT
from tests.docs.pages import list_blocks

DOCKERFILE = ROOT / "container/Dockerfile"


class Instruction(NamedTuple):
    """A keyword and its arguments."""

    keyword: str
    arguments: str

    @property
    def words(self) -> list[str]:
        """The arguments in their form as a JSON list."""
        words: list[str] = json.loads(self.arguments)
        return words


def list_instructions() -> list[Instruction]:
    lines = re.sub(r"\\\n", " ", DOCKERFILE.read_text("utf-8")).splitlines()
    parts = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    return [Instruction(keyword, arguments) for keyword, arguments in parts]


def get_instruction(keyword: str) -> Instruction:
    (match,) = [row for row in list_instructions() if row.keyword == keyword]
    return match


def read_example(title: str) -> Any:
    """Return the content of a file that the page about containers shows."""
    (block,) = [block for block in list_blocks("docs/containers.md") if block.title == title]
    return parse(block.code.encode(), ".yaml")
