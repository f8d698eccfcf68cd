"""The outcome of each test of a suite, read from its JUnit report."""

import subprocess
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

PASSED = "held"


@dataclass(frozen=True)
class Report:
    outcomes: dict[str, str]
    output: str

    @classmethod
    def read(cls, process: "subprocess.CompletedProcess[str]", file: Path) -> "Report":
        cases = ET.parse(file).iter("testcase") if file.exists() else ()
        outcomes: dict[str, str] = {}
        for case in cases:
            name = case.attrib["name"].partition("[")[0]  # a parametrised test holds if it does for each parameter
            if outcomes.get(name, PASSED) == PASSED:
                outcomes[name] = _outcome(case)
        return cls(outcomes, process.stdout + process.stderr)

    def outcome(self, fact: str) -> str:
        """Return `held`, or the reason of the failure."""
        return self.outcomes.get(fact) or f"the suite did not run this test:\n{self.output}"


def _outcome(case: ET.Element) -> str:
    problems = [child for child in case if child.tag in {"failure", "error", "skipped"}]
    return "\n".join(f"{child.tag}: {child.text or child.get('message')}" for child in problems) or PASSED
