"""The table of docs/releases.md: what each tested release has, and how much of it is served."""

from fakeplat.core.release import PROFILES
from fakeplat.releases.inventory import Count, count_items, heading_of

_BEGIN, _END = "<!-- profiles -->\n", "<!-- /profiles -->"


def with_profiles(page: str) -> str:
    """Return the page with the table as it is now."""
    head, _, rest = page.partition(_BEGIN)
    _, _, tail = rest.partition(_END)
    return f"{head}{_BEGIN}{_profile_table()}{_END}{tail}"


def _profile_table() -> str:
    counts = {release: count_items(release) for release in PROFILES}
    kinds = list(dict.fromkeys(kind for row in counts.values() for kind in row))
    lines = [
        f"| release | {' | '.join(heading_of(kind) for kind in kinds)} |",
        f"|---|{'--:|' * len(kinds)}",
        *(f"| {release} | {' | '.join(_cell(row[kind]) for kind in kinds)} |" for release, row in counts.items()),
    ]
    return "\n".join(lines) + "\n"


def _cell(count: Count) -> str:
    return f"{count['served']} of {count['known']}"
