"""What things are called in a scenario, where the API has ids."""

from collections.abc import Iterator, Mapping
from re import compile as pattern
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.tape.export.json_objects import Document, iterate_objects
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import ISSUE, LABEL, MERGE_REQUEST, MILESTONE, NAMESPACE, PROJECT, Owner

SIGNS: Final = {ISSUE: "#", MERGE_REQUEST: "!"}
_OF_TITLES: Final = {LABEL: ("~", "name"), MILESTONE: ("%", "title")}
_REFERENCE: Final = pattern(r"(?P<path>[\w./-]*)(?P<number>[#!]\d+)")


@frozen
class Names:
    """Usernames and full paths by id, and the full references of issues and merge requests that are said.

    ``elsewhere`` are labels and milestones of groups, by kind and id, that a project has one of the same title beside.
    """

    users: Mapping[int, str]
    groups: Mapping[int, str]
    projects: Mapping[int, str]
    references: frozenset[str]
    elsewhere: Mapping[tuple[str, int], str]

    def reference(self, kind: str, document: Document) -> str | None:
        """An issue or merge request as others name it, as acme/site#7; None for one that is not said."""
        for one in iterate_objects(document):
            path = self.projects.get(one.get("project_id") or 0)
            return self.known(f"{path}{SIGNS[kind]}{one.get('iid')}")
        return None

    def known(self, reference: str) -> str | None:
        """A full reference, if it is one of what is said."""
        return reference if reference in self.references else None

    def titled(self, kind: str, document: Any) -> str | None:
        """The title of a label or milestone, with its group (``acme~bug``) where the title alone means another."""
        for one in iterate_objects(document):
            return self.elsewhere.get((kind, one.get("id") or 0)) or one.get(_OF_TITLES[kind][1])
        return None

    def mentioned(self, text: str, path: str) -> str | None:
        """What a text written in the project at a path refers to first: ``#7``, ``site#7`` beside it, or in full."""
        found = _REFERENCE.search(text)
        if found is None:
            return None
        place = found["path"] or path
        beside = f"{path.rpartition('/')[0]}/{place}" if "/" not in place else place
        return self.known(f"{beside}{found['number']}")


def names_of(
    seen: Observations, users: Mapping[int, str], groups: Mapping[int, str], projects: Mapping[int, str]
) -> Names:
    """The names of what was seen."""
    references = (
        f"{projects[one['project_id']]}{sign}{one['iid']}"
        for kind, sign in SIGNS.items()
        for one in seen.of(kind)
        if one.get("project_id") in projects and one.get("iid")
    )
    return Names(users, groups, projects, frozenset(references), dict(_elsewhere(seen, groups)))


def _elsewhere(seen: Observations, groups: Mapping[int, str]) -> Iterator[tuple[tuple[str, int], str]]:
    for kind, (sign, key) in _OF_TITLES.items():
        placed = [(one, _place_of(seen, kind, one)) for one in seen.of(kind)]
        beside = {one.get(key) for one, place in placed if place and place[0] == PROJECT}
        for one, place in placed:
            if place and place[0] == NAMESPACE and one.get(key) in beside:
                path = groups.get(int(place[1])) if place[1].isdecimal() else place[1]
                yield (kind, one["id"]), f"{path}{sign}{one[key]}"


def _place_of(seen: Observations, kind: str, one: Document) -> Owner | None:
    """The project or group of a label or milestone."""
    if kind == LABEL:
        return seen.owners.get((LABEL, one["id"]))
    found = ((place, one.get(f"{word}_id")) for word, place in (("project", PROJECT), ("group", NAMESPACE)))
    return next(((place, str(id_)) for place, id_ in found if id_ is not None), None)


def username(user: Any) -> str | None:
    """The name of a user whom a document shows."""
    return next(iterate_objects(user), {}).get("username")
