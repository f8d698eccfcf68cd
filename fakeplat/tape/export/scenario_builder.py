"""Building of scenarios from observations, with natural keys instead of ids."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from re import compile as pattern
from typing import Any, Final

from fakeplat.core.release import check_version, is_beyond
from fakeplat.core.store.frozen import frozen
from fakeplat.model.instance import Instance
from fakeplat.model.people import rank
from fakeplat.scenario import creation_order
from fakeplat.scenario.world_keys import FORMAT
from fakeplat.tape.export import (
    commit_notes,
    deployments,
    field_mapping,
    issue_links,
    issues,
    merge_requests,
    notes,
    pipelines,
    project_contents,
    published,
    repositories,
    resource_events,
    todos,
)
from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.natural_keys import build_names, username
from fakeplat.tape.export.subresources import ACCESS, ALL_MEMBERS, LANGUAGES, MEMBERS, PRIORITIES
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import ISSUE, LABEL, MERGE_REQUEST, MILESTONE, NAMESPACE, PROJECT, USER, Owner

# ``project_7_bot`` is the user of the first access token of the project 7, ``project_7_bot2`` that of a later one.
_BOT: Final = pattern(r"project_(\d+)_bot\d*")
_GHOST: Final = "ghost"
_ACCESS_LEVELS: Final = {
    "issues_enabled": "issues_access_level",
    "merge_requests_enabled": "merge_requests_access_level",
    "wiki_enabled": "wiki_access_level",
    "jobs_enabled": "builds_access_level",
    "snippets_enabled": "snippets_access_level",
}
_NEXT_RUN: Final = "next_run_at"


@frozen
class BuiltScenario:
    """A scenario, and counts of what was left out, by description."""

    scenario: Entry
    left_out: Counter[str]


def build_scenario(observations: Observations, start: str | None = None) -> BuiltScenario:
    """Build a scenario from observations; its clock starts at ``start`` (ISO 8601)."""
    builder = _ScenarioBuilder(observations)
    sections = builder.sections()
    clock = {"start": start} if start else {}
    head = {"scenario": FORMAT, "instance": builder.instance(), "clock": clock, "settings": builder.settings()}
    left_out = builder.left_out + Counter(
        {f"responses of {name}": count for name, count in observations.elsewhere.items()}
    )
    return BuiltScenario({name: value for name, value in {**head, **sections}.items() if value}, left_out)


class _ScenarioBuilder:
    def __init__(self, observations: Observations) -> None:
        self.left_out: Counter[str] = Counter()
        self._observations = observations
        self._users = {record["id"]: record for record in observations.of_kind(USER) if record.get("username")}
        self._groups = {record["id"]: record for record in observations.of_kind(NAMESPACE) if record.get("full_path")}
        self._projects = {
            record["id"]: record for record in observations.of_kind(PROJECT) if record.get("path_with_namespace")
        }
        self._paths = {id_: record["full_path"] for id_, record in self._groups.items()}
        users = {id_: record["username"] for id_, record in self._users.items()}
        projects = {id_: record["path_with_namespace"] for id_, record in self._projects.items()}
        self._names = build_names(observations, users, self._paths, projects)
        self._commit_note_paths = commit_notes.list_note_paths(observations)
        self._paths_of_projects = projects
        self._pipeline_numbers = pipelines.number_pipelines(observations, projects)
        self._closing = merge_requests.closing_references(observations, self._names)
        self._issuables = {kind: _by_project(observations.of_kind(kind)) for kind in (ISSUE, MERGE_REQUEST)}
        self._turns = {
            kind: creation_order.assign_turns(map(_creation, observations.of_kind(kind)))
            for kind in (ISSUE, MERGE_REQUEST, MILESTONE)
        }

    def instance(self) -> Entry:
        """Return the version and the tier (inferred from paid fields) if they differ from the defaults."""
        observed_issues = self._observations.of_kind(ISSUE)
        # The platform shows these fields on paid tiers only, even if they are null.
        ultimate = any("health_status" in issue for issue in observed_issues)
        premium = any("weight" in issue for issue in observed_issues) or any(
            "mirror" in project for project in self._projects.values()
        )
        tier = "ultimate" if ultimate else "premium" if premium else "free"
        instance = {"tier": tier, **_version_keys(self._observations.version)}
        return {name: value for name, value in instance.items() if value != getattr(Instance(), name)}

    def settings(self) -> Entry:
        """Return the settings: Gravatar is disabled if users without an uploaded avatar have none."""
        # A missing field shows nothing, hence the default that is not null.
        without_gravatar = any(user.get("avatar_url", "") is None for user in self._users.values())
        return {"gravatar_enabled": False} if without_gravatar else {}

    def sections(self) -> Entry:
        """Return users, groups and projects with their contents, and issue links."""
        projects = [self._project(record) for record in self._projects.values()]
        groups = self._with_ancestors([self._group(record) for record in self._groups.values()], projects)
        users = [self._user(record) for record in self._users.values()]
        all_users = [*users, *self._unobserved_owners(users, groups, projects)]
        links = issue_links.to_scenario(self._observations, self._names, self.left_out)
        return {
            "users": all_users,
            "groups": groups,
            "projects": projects,
            "issue_links": links,
            "variables": pipelines.instance_variables(self._observations, self.left_out),
            "runners": deployments.runners(self._observations, self._names, self.left_out),
            "deploy_keys": deployments.deploy_keys(self._observations, self._paths_of_projects, self.left_out),
            "clusters": deployments.instance_clusters(self._observations, self.left_out),
        }

    # Users

    def _user(self, user: Document) -> Entry:
        name, bot_match = user["username"], _BOT.fullmatch(user["username"])
        if name == _GHOST:
            return {"username": name, "kind": _GHOST}
        entry = field_mapping.map_fields(USER, user, self.left_out)
        attributes = self._observations.subresources_of(USER, (user["id"],), "custom_attributes")
        extras = {
            **({"custom_attributes": field_mapping.map_custom_attributes(attributes)} if attributes else {}),
            **project_contents.global_setting(self._observations, user),
            **todos.to_scenario(self._observations, user, self._names, self.left_out),
        }
        if bot_match and int(bot_match[1]) in self._projects:
            return {**entry, "bot_of": self._projects[int(bot_match[1])]["path_with_namespace"], **extras}
        # Only administrators see the email addresses of others, but a user needs one.
        return {**entry, "email": user.get("email") or f"{name}@example.test", **extras}

    def _unobserved_owners(
        self, users: Iterable[Entry], groups: Iterable[Entry], projects: Iterable[Entry]
    ) -> list[Entry]:
        """Return entries for project owners that were not observed themselves."""
        known = {user["username"] for user in users} | {group["full_path"] for group in groups}
        return [{"username": owner} for owner in dict.fromkeys(map(_namespace_of, projects)) if owner not in known]

    # Groups

    def _group(self, group: Document) -> Entry:
        template = self._projects.get(group.get("file_template_project_id") or 0)
        return {
            "full_path": group["full_path"],
            **field_mapping.map_fields(NAMESPACE, group, self.left_out),
            **({"file_template_project": template["path_with_namespace"]} if template else {}),
            **self._contents(NAMESPACE, group, group["full_path"]),
            **self._delivery_of_group((group["id"], group["full_path"])),
        }

    def _delivery_of_group(self, names: tuple[object, ...]) -> Entry:
        entries = {
            "variables": pipelines.variables(self._observations, NAMESPACE, names, self.left_out),
            "deploy_tokens": deployments.deploy_tokens(self._observations, NAMESPACE, names, self.left_out),
            "clusters": deployments.clusters(self._observations, NAMESPACE, names, self.left_out),
        }
        return {name: values for name, values in entries.items() if values}

    def _with_ancestors(self, groups: Iterable[Entry], projects: Sequence[Entry]) -> list[Entry]:
        """Add missing ancestors of groups and projects, with the lowest visibility that their contents allow."""
        known = {group["full_path"]: group for group in groups}
        usernames = {entry["username"] for entry in self._users.values()}
        for namespace in [*known, *map(_namespace_of, projects)]:
            # A top-level namespace may be that of a user, which needs no group.
            if (
                namespace not in known
                and "/" not in namespace
                and (namespace in usernames or not self._is_group(namespace))
            ):
                continue
            for ancestor in _with_parents(namespace):
                known.setdefault(ancestor, {"full_path": ancestor})
        all_entries = [*known.items(), *((project["path_with_namespace"], project) for project in projects)]
        for path, group in known.items():
            # Nothing may be more visible than the group that contains it.
            visibilities = [
                entry.get("visibility", "private")
                for inner_path, entry in all_entries
                if inner_path.startswith(f"{path}/")
            ]
            group.setdefault("visibility", max(visibilities, key=rank, default="private"))
        # Outer groups first, in the order in which they must be created; the sort is stable.
        return sorted(known.values(), key=lambda group: str(group["full_path"]).count("/"))

    def _is_group(self, path: str) -> bool:
        namespaces = (project.get("namespace") or {} for project in self._projects.values())
        return any(namespace.get("full_path") == path and namespace.get("kind") == "group" for namespace in namespaces)

    # Projects

    def _project(self, project: Document) -> Entry:
        path, names = project["path_with_namespace"], (project["id"], project["path_with_namespace"])
        # Where an access level is shown, the boolean switch repeats it.
        fields = {name: value for name, value in project.items() if _ACCESS_LEVELS.get(name) not in project}
        policy = project.get("container_expiration_policy")
        if isinstance(policy, dict):
            fields["container_expiration_policy"] = {k: value for k, value in policy.items() if k != _NEXT_RUN}
        parent = project.get("forked_from_project") or {}
        references = {
            "creator": username(self._users.get(project.get("creator_id") or 0)),
            "mirror_user": username(self._users.get(project.get("mirror_user_id") or 0)),
            "forked_from_project": parent.get("path_with_namespace"),
        }
        return {
            "path_with_namespace": path,
            **field_mapping.map_fields(PROJECT, fields, self.left_out),
            **{name: value for name, value in references.items() if value},
            # A null is kept: without the key, the creator would be the first owner of the closest group.
            **({"creator": None} if project.get("creator_id", 0) is None else {}),
            **self._contents(PROJECT, project, path),
            **self._project_only_contents(project, names),
        }

    def _contents(self, kind: str, container: Document, path: str) -> Entry:
        """Return the contents that groups and projects share."""
        names = (container["id"], path)
        members = self._members(kind, names)
        attributes = self._observations.subresources_of(kind, names, "custom_attributes") or container.get(
            "custom_attributes"
        )
        contents: Entry = {
            "members": None if members is None else [field_mapping.map_member(member) for member in members],
            "shared_with_groups": [
                field_mapping.map_share(share, self._paths)
                for share in iterate_objects(container.get("shared_with_groups"))
            ],
            "custom_attributes": field_mapping.map_custom_attributes(iterate_objects(attributes)),
            "labels": [field_mapping.map_fields(LABEL, label, self.left_out) for label in self._labels(kind, names)],
            "milestones": [self._milestone(milestone) for milestone in self._milestones(kind, container["id"])],
            **project_contents.container_extras(self._observations, kind, names, self.left_out),
        }
        # An empty list of members says that nobody is one; without the key, the creator becomes a member.
        return {name: value for name, value in contents.items() if value or (name == "members" and value is not None)}

    def _members(self, kind: str, names: tuple[object, ...]) -> list[Document] | None:
        """Return the direct members; if they were never listed, those known otherwise, or None if there are none."""
        listed = self._observations.subresources_of(kind, names, MEMBERS)
        if listed is not None:
            return listed
        path = str(names[1])
        inherited = {username(member) for member in self._inherited_members(path)} if kind == NAMESPACE else set()
        # A member whom a project inherits is a member of the project's group or of an ancestor.
        known = [*(self._observations.subresources_of(kind, names, ACCESS) or ()), *self._inherited_in_projects(path)]
        by_username = {username(member): member for member in known}
        return [member for name, member in by_username.items() if name not in inherited] or None

    def _inherited_members(self, path: str) -> list[Document]:
        """Return the known members of a group's ancestors."""
        parent, _, _ = path.rpartition("/")
        group = next((record for record in self._groups.values() if record["full_path"] == parent), None)
        if group is None:
            return []
        return [*(self._members(NAMESPACE, (group["id"], parent)) or ()), *self._inherited_members(parent)]

    def _inherited_in_projects(self, path: str) -> Iterator[Document]:
        """Iterate over the inherited members of the projects in a group."""
        for project in self._projects.values():
            names = (project["id"], project["path_with_namespace"])
            if _namespace_of(project) == path:
                # The list of all members includes the direct ones.
                direct = {
                    username(member) for member in self._observations.subresources_of(PROJECT, names, MEMBERS) or ()
                }
                all_members = self._observations.subresources_of(PROJECT, names, ALL_MEMBERS) or ()
                yield from (member for member in all_members if username(member) not in direct)

    def _labels(self, kind: str, names: Sequence[object]) -> list[Document]:
        owners = {(kind, str(name)) for name in names}
        return [label for label in self._observations.of_kind(LABEL) if self._owner_of(label) in owners]

    def _owner_of(self, label: Document) -> Owner | None:
        """Return the owner of a label; for a group label that only a project shows, the project's group."""
        record = (LABEL, label["id"])
        lent = self._observations.group_label_viewers.get(record)
        if record in self._observations.owners or lent is None:
            return self._observations.owners.get(record)
        project = self._projects.get(int(lent[1])) if lent[1].isdecimal() else None
        return (NAMESPACE, lent[1].rpartition("/")[0] if project is None else _namespace_of(project))

    def _milestones(self, kind: str, id_: int) -> list[Document]:
        key = "project_id" if kind == PROJECT else "group_id"
        return [
            milestone
            for milestone in self._observations.of_kind(MILESTONE)
            if milestone.get(key) == id_ and milestone.get("title")
        ]

    def _milestone(self, milestone: Document) -> Entry:
        return {
            **field_mapping.map_fields(MILESTONE, milestone, self.left_out),
            **self._turns[MILESTONE].get(milestone["id"], {}),
        }

    def _project_only_contents(self, project: Document, names: tuple[object, ...]) -> Entry:
        """Return the contents that only projects have."""
        starrers = self._observations.subresources_of(PROJECT, names, "starrers")
        if starrers is None:
            self.left_out["project stars"] += project.get("star_count") or 0
        languages = self._observations.subresources_of(PROJECT, names, LANGUAGES) or [{}]
        priorities = self._observations.subresources_of(PROJECT, names, PRIORITIES) or ()
        contents: Entry = {
            "languages": languages[0],
            "starrers": [field_mapping.map_star(star) for star in starrers or ()],
            "label_priorities": {label["name"]: label.get("priority") for label in priorities},
            "issues": self._issuable_entries(ISSUE, project, names),
            "merge_requests": self._issuable_entries(MERGE_REQUEST, project, names),
        }
        present = {name: value for name, value in contents.items() if value}
        note_paths = [
            note_path for name in names for note_path in self._commit_note_paths.get((PROJECT, str(name)), ())
        ]
        present |= commit_notes.to_scenario(self._observations, names, list(dict.fromkeys(note_paths)), self.left_out)
        path = project["path_with_namespace"]
        return {
            **present,
            **pipelines.to_scenario(self._observations, names, self._names, self._pipeline_numbers, self.left_out),
            **deployments.to_scenario(self._observations, names, self._pipeline_numbers, self.left_out),
            **published.to_scenario(self._observations, names, self._pipeline_numbers, self.left_out),
            **repositories.to_scenario(self._observations, project["id"], path, self._names, self.left_out),
        }

    def _issuable_entries(self, kind: str, project: Document, names: tuple[object, ...]) -> list[Entry]:
        """Return the issues or merge requests of a project."""
        return [
            self._issuable_entry(kind, issuable, names) for issuable in self._issuables[kind].get(project["id"], ())
        ]

    def _issuable_entry(self, kind: str, issuable: Document, names: tuple[object, ...]) -> Entry:
        within = f"{kind}s/{issuable.get('iid')}"
        if kind == ISSUE:
            entry = issues.to_scenario(self._observations, issuable, self._names, self.left_out)
        else:
            entry = merge_requests.to_scenario(self._observations, names, issuable, self._names, self.left_out)
            entry |= {"closes": self._closing[issuable["id"]]} if issuable["id"] in self._closing else {}
        self.left_out += notes.count_missed(self._observations, names, kind, issuable)
        return {
            **entry,
            **self._turns[kind].get(issuable["id"], {}),
            **notes.to_scenario(self._observations, names, within, self._names, self.left_out),
            **notes.subscribers(
                self._observations, kind, issuable, notes.list_notes(self._observations, names, within)
            ),
            **resource_events.to_scenario(self._observations, names, within, self._names),
        }


def _version_keys(version: str | None) -> Entry:
    """Return the keys of the instance for an observed version; none for a release that no world can have."""
    try:
        check_version(version, beyond=True)
    except ValueError:
        return {}
    return {"version": version, "beyond": is_beyond(str(version))}


def _by_project(records: Iterable[Document]) -> dict[int | None, list[Document]]:
    by_project: dict[int | None, list[Document]] = {}
    for record in records:
        by_project.setdefault(record.get("project_id"), []).append(record)
    return by_project


def _creation(record: Document) -> creation_order.Creation:
    """Return when and where an issue, merge request or milestone was created; groups come before projects."""
    project_id = record.get("project_id")
    return record["id"], record.get("created_at") or "", -1 if project_id is None else project_id


def _namespace_of(project: Entry) -> str:
    return str(project["path_with_namespace"]).rpartition("/")[0]


def _with_parents(path: str) -> list[str]:
    parts: list[Any] = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
