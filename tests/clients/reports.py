"""What became of each fact of a suite, read from its JUnit report."""

import subprocess
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

HELD = "held"


@dataclass(frozen=True)
class Report:
    outcomes: dict[str, str]
    output: str

    @classmethod
    def read(cls, finished: "subprocess.CompletedProcess[str]", written: Path) -> "Report":
        cases = ET.parse(written).iter("testcase") if written.exists() else ()
        return cls({case.attrib["name"]: _outcome(case) for case in cases}, finished.stdout + finished.stderr)

    def outcome(self, fact: str) -> str:
        """`held`, or all that is known about why not."""
        return self.outcomes.get(fact) or f"the suite never came to it:\n{self.output}"


def _outcome(case: ET.Element) -> str:
    troubles = [child for child in case if child.tag in {"failure", "error", "skipped"}]
    return "\n".join(f"{child.tag}: {child.text or child.get('message')}" for child in troubles) or HELD
