"""What releases do differently with a configuration besides its keywords, by name.

What begins or ends as a keyword or value has its releases where it is declared, in `validation`.
"""

from typing import Final, Literal

from fakeplat.core.release import Behaviour, ByRelease

CHANGES_WITH_VARIABLES: Final = Behaviour("13.6", source="doc/ci/yaml of 15.10: rules:changes")
LISTS_OF_FILES: Final = Behaviour("13.8", source="doc/ci/yaml of 15.10: include:file, flag removed in 13.8")
REFERENCE_TAGS: Final = Behaviour("13.9", source="doc/ci/yaml/yaml_optimization.md: !reference")
NEEDS_WITHIN_STAGES: Final = Behaviour("14.2", source="doc/ci/yaml of 15.10: needs")
RULES_OF_INCLUDES: Final = Behaviour("14.3", source="doc/ci/yaml/includes.md")
EXISTS_WITH_VARIABLES: Final = Behaviour("15.6", source="doc/ci/yaml of 15.10: rules:exists")
HEADERS: Final = Behaviour("15.11", source="doc/ci/yaml of 18.6: spec")
MISSING_OPTIONAL_NEEDS: Final = Behaviour("15.11", source="doc/ci/yaml/includes.md: include:rules and needs")

MOST_INCLUDES: Final = ByRelease({"13.5": 100, "15.10": 150})
# The platform stops comparing at this number, and takes the condition for true.
MOST_COMPARISONS: Final = ByRelease({"13.5": 10_000, "17.7": 50_000})
SAME_INCLUDE: Final[ByRelease[Literal["refused", "ignored", "repeated"]]] = ByRelease(
    {"13.5": "refused", "14.9": "ignored", "15.10": "repeated"}
)
