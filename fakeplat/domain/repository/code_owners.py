"""Files of code owners: which patterns of paths belong to whom, in sections.

Source: docs/platform/merge-requests.md ('Code owners').
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from fakeplat.core.release import Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.repository import repositories
from fakeplat.model.people import Level
from fakeplat.model.projects import Project
from fakeplat.model.repository import CODE_OWNERS_PATHS
from fakeplat.model.world import World
from fakeplat.policy.behaviours import CODE_OWNERS_ARE_EXCLUDED, ROLES_OWN_CODE

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

DEFAULT_SECTION: Final = "codeowners"
_HEADER: Final = re.compile(
    r"(?P<optional>\^)?\[(?P<name>.*?)\](?:\[(?P<approvals>[\s\d]*)\])?(?P<owners>\s*[@\w.\-/\s]*)", re.ASCII
)
_BROKEN_HEADER: Final = re.compile(r"\^?\[")
_END_OF_PATTERN: Final = re.compile(r"(?<!\\)\s+")
_SEGMENT: Final = r"(?:[A-Za-z0-9_.][\w.-]{0,254}[\w-]|[A-Za-z0-9_])"
_NAME: Final = re.compile(rf"(?<![\w@])@({_SEGMENT}(?:/{_SEGMENT})*)", re.ASCII)
_EMAIL: Final = re.compile(r"[^@\s]{1,100}@[^@\s]{1,255}(?<!\W)")
_ROLE: Final = re.compile(r"(?<![\w@])@@(developer|maintainer|owner)s?(?:\s|$)", re.IGNORECASE)
_LEVELS: Final = {"developer": Level.DEVELOPER, "maintainer": Level.MAINTAINER, "owner": Level.OWNER}


@frozen
class Section:
    """The header of a section. ``approvals`` is how many approvals its owners must give, at least one."""

    name: str = DEFAULT_SECTION
    is_optional: bool = False
    approvals: int = 0
    default_owners: str = ""


@frozen
class Entry:
    """A line of the file: a pattern of paths and its owners, or what is excluded from the section."""

    pattern: str
    owners: str
    section: Section
    is_excluded: bool = False

    @property
    def names(self) -> set[str]:
        """The usernames and full paths of groups, in lower case."""
        return {name.lower() for name in _NAME.findall(self.owners)}

    @property
    def emails(self) -> list[str]:
        """The e-mail addresses, in lower case."""
        return [email.lower() for email in _EMAIL.findall(self.owners)]

    def list_roles(self, profile: Profile) -> tuple[Level, ...]:
        """Return the roles of members who own the paths."""
        if not profile.has(ROLES_OWN_CODE):
            return ()
        return tuple(dict.fromkeys(_LEVELS[role.lower()] for role in _ROLE.findall(self.owners)))


@frozen
class CodeOwners:
    """The entries of a file by section and by normalized pattern."""

    sections: Mapping[str, Mapping[str, Entry]]

    def list_entries(self, paths: Iterable[str]) -> list[Entry]:
        """Return the entries that decide about some paths: in each section the last one that matches."""
        entries = (entry for path in paths for entry in self._find_entries(path))
        return list(dict.fromkeys(entries))

    def _find_entries(self, path: str) -> Iterator[Entry]:
        from fakeplat.ci_config import globs

        absolute = "/" + path.removeprefix("/")
        for entries in self.sections.values():
            matching = [entry for pattern, entry in entries.items() if globs.matches_path(pattern, absolute)]
            if matching and not any(entry.is_excluded for entry in matching):
                yield matching[-1]

    def is_optional(self, section: str) -> bool:
        """Return whether nobody has to approve for a section: all headers of that name say so."""
        entries = self.sections.get(section, {}).values()
        return bool(entries) and all(entry.section.is_optional for entry in entries)


EMPTY: Final = CodeOwners({})


def find_path(world: World, project: Project, revision: str) -> str | None:
    """Return the path of the file in a commit; None without one."""
    return next((path for path, _ in _list_files(repositories.open_repository(world, project), revision)), None)


def _list_files(git: "Git", revision: str) -> Iterator[tuple[str, str]]:
    """Yield the paths of files of code owners and the hashes of their contents; the first one counts."""
    for path in CODE_OWNERS_PATHS:
        entry = git.entry(revision, path)
        if entry is not None and entry.kind == "blob":
            yield path, entry.sha


def read_owners(world: World, project: Project, revision: str) -> CodeOwners:
    """Return the code owners that a commit names."""
    git = repositories.open_repository(world, project)
    sha = next((sha for _, sha in _list_files(git, revision)), None)
    if sha is None:
        return EMPTY
    # Blobs are immutable, but how they are read depends on the release.
    cached: dict[tuple[str, Profile], CodeOwners] = git.objects.caches.setdefault("code owners", {})
    key = (sha, world.profile)
    if key not in cached:
        cached[key] = parse(git.blob(sha).decode("utf-8", "replace"), world.profile)
    return cached[key]


def parse(text: str, profile: Profile) -> CodeOwners:
    """Parse a file of code owners; lines that nobody understands are skipped."""
    section = Section()
    sections: dict[str, dict[str, Entry]] = {section.name: {}}
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith("#"):
            continue
        header = _HEADER.match(line)
        if header is not None:
            section = _read_header(header, sections)
            sections.setdefault(section.name, {})
        elif not _BROKEN_HEADER.match(line):
            entry = _read_entry(line, section, profile)
            sections[section.name][_normalize(entry.pattern)] = entry
    return CodeOwners(sections)


def _read_header(header: re.Match[str], known: Iterable[str]) -> Section:
    # A section goes on under the spelling that it began with, but the first header always begins one.
    *earlier, last = known
    names = () if last == DEFAULT_SECTION else (*earlier, last)
    return Section(
        next((name for name in names if name.lower() == header["name"].lower()), header["name"]),
        bool(header["optional"]),
        _parse_approvals(header["approvals"] or ""),
        header["owners"].strip(),
    )


def _parse_approvals(text: str) -> int:
    first, *_ = text.split() or [""]
    return parse_number(first) or 0


def _read_entry(line: str, section: Section, profile: Profile) -> Entry:
    pattern, *rest = _END_OF_PATTERN.split(line, maxsplit=1)
    owners = rest[0] if rest else ""
    is_excluded = pattern.startswith("!") and profile.has(CODE_OWNERS_ARE_EXCLUDED)
    return Entry(
        pattern.removeprefix("!") if is_excluded else pattern,
        "" if is_excluded else owners or section.default_owners,
        section,
        is_excluded,
    )


def _normalize(pattern: str) -> str:
    """Return the glob of absolute paths that a pattern stands for."""
    if pattern == "*":
        return "/**/*"
    pattern = pattern.removeprefix("\\") if pattern.startswith("\\#") else pattern
    pattern = re.sub(r"\\\s+", " ", pattern)
    pattern = pattern if pattern.startswith("/") else f"/**/{pattern}"
    return f"{pattern}**/*" if pattern.endswith("/") else pattern
