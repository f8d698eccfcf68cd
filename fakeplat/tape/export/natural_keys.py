"""Natural keys: the names that a scenario uses where the API has ids."""

from collections.abc import Iterator, Mapping
from re import compile as pattern
from typing import Final

from fakeplat.core.json_types import JsonValue
from fakeplat.core.store.frozen import frozen
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import ISSUE, LABEL, MERGE_REQUEST, MILESTONE, NAMESPACE, PROJECT, Owner

SIGNS: Final = {ISSUE: "#", MERGE_REQUEST: "!"}
_TITLED: Final = {LABEL: ("~", "name"), MILESTONE: ("%", "title")}
_REFERENCE: Final = pattern(r"(?P<path>[\w./-]*)(?P<number>[#!]\d+)")


@frozen
class Names:
    """Usernames and full paths by id, and the full references of the scenario's issues and merge requests.

    ``elsewhere`` are references to group labels and milestones, by kind and id, whose title a project has too.
    """

    users: Mapping[int, str]
    groups: Mapping[int, str]
    projects: Mapping[int, str]
    references: frozenset[str]
    elsewhere: Mapping[tuple[str, int], str]

    def reference(self, kind: str, document: Document) -> str | None:
        """Return the full reference of an issue or merge request, as acme/site#7; None if it is not in the scenario."""
        # At most one object; iterating drops its fields of an unexpected type.
        for issuable in iterate_objects(document):
            path = self.projects.get(issuable.get("project_id") or 0)
            return self.existing_reference(f"{path}{SIGNS[kind]}{issuable.get('iid')}")
        return None

    def existing_reference(self, reference: str) -> str | None:
        """Return a full reference if it is in the scenario, else None."""
        return reference if reference in self.references else None

    def title_of(self, kind: str, document: JsonValue) -> str | None:
        """Return the title of a label or milestone, with its group (``acme~bug``) if the title alone is ambiguous."""
        for record in iterate_objects(document):
            return self.elsewhere.get((kind, record.get("id") or 0)) or record.get(_TITLED[kind][1])
        return None

    def find_mention(self, text: str, path: str) -> str | None:
        """Return the first reference (``#7``, ``site#7`` or ``acme/site#7``) in a text of the project at ``path``."""
        match = _REFERENCE.search(text)
        if match is None:
            return None
        project_path = match["path"] or path
        # A project without a namespace, as in ``site#7``, is in the same namespace as the text.
        full_path = f"{path.rpartition('/')[0]}/{project_path}" if "/" not in project_path else project_path
        return self.existing_reference(f"{full_path}{match['number']}")


def build_names(
    observations: Observations, users: Mapping[int, str], groups: Mapping[int, str], projects: Mapping[int, str]
) -> Names:
    """Return the names of the observed records."""
    references = (
        f"{projects[record['project_id']]}{sign}{record['iid']}"
        for kind, sign in SIGNS.items()
        for record in observations.of_kind(kind)
        if record.get("project_id") in projects and record.get("iid")
    )
    return Names(users, groups, projects, frozenset(references), dict(_ambiguous_titles(observations, groups)))


def _ambiguous_titles(observations: Observations, groups: Mapping[int, str]) -> Iterator[tuple[tuple[str, int], str]]:
    for kind, (sign, key) in _TITLED.items():
        records = [(record, _owner_of(observations, kind, record)) for record in observations.of_kind(kind)]
        project_titles = {record.get(key) for record, owner in records if owner and owner[0] == PROJECT}
        for record, owner in records:
            if owner and owner[0] == NAMESPACE and record.get(key) in project_titles:
                path = groups.get(int(owner[1])) if owner[1].isdecimal() else owner[1]
                yield (kind, record["id"]), f"{path}{sign}{record[key]}"


def _owner_of(observations: Observations, kind: str, record: Document) -> Owner | None:
    """Return the project or group of a label or milestone."""
    if kind == LABEL:
        return observations.owners.get((LABEL, record["id"]))
    owners = (
        (owner_kind, record.get(f"{prefix}_id")) for prefix, owner_kind in (("project", PROJECT), ("group", NAMESPACE))
    )
    return next(((owner_kind, str(id_)) for owner_kind, id_ in owners if id_ is not None), None)


def username(user: JsonValue) -> str | None:
    """Return the username in a user document, if any."""
    return next(iterate_objects(user), {}).get("username")
