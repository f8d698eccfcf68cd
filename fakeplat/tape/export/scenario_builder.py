"""From what was observed to a scenario that says it, with natural keys in the place of ids."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from re import compile as pattern
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.model.instance import Instance
from fakeplat.model.levels import rank
from fakeplat.scenario import creation_order
from fakeplat.tape.export import commit_notes, issues, merge_requests, repositories
from fakeplat.tape.export import field_mapping as saying
from fakeplat.tape.export import issue_links as links
from fakeplat.tape.export import notes as conversations
from fakeplat.tape.export import project_contents as furnishing
from fakeplat.tape.export import resource_events as histories
from fakeplat.tape.export import todos as reminders
from fakeplat.tape.export.field_mapping import Said
from fakeplat.tape.export.json_objects import Document, iterate_objects
from fakeplat.tape.export.natural_keys import names_of, username
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import ISSUE, LABEL, MERGE_REQUEST, MILESTONE, NAMESPACE, PROJECT, USER, Owner
from fakeplat.tape.export.subresources import ACCESS, ALL_MEMBERS, LANGUAGES, MEMBERS, PRIORITIES

_BOT: Final = pattern(r"project_(\d+)_bot\d*")
_GHOST: Final = "ghost"
_SWITCHES: Final = {
    "issues_enabled": "issues_access_level",
    "merge_requests_enabled": "merge_requests_access_level",
    "wiki_enabled": "wiki_access_level",
    "jobs_enabled": "builds_access_level",
    "snippets_enabled": "snippets_access_level",
}
_NEXT_RUN: Final = "next_run_at"


@frozen
class BuiltScenario:
    """A scenario, and how often something was left out, by what it is."""

    said: Said
    left_out: Counter[str]


def build_scenario(seen: Observations, start: str | None = None) -> BuiltScenario:
    """The scenario that says what was seen; its clock starts at ``start`` (ISO 8601)."""
    composer = _ScenarioBuilder(seen)
    said = composer.said()
    clock = {"start": start} if start else {}
    head = {"instance": composer.instance(), "clock": clock, "settings": composer.settings()}
    left_out = composer.left_out + Counter({f"answers of {name}": count for name, count in seen.elsewhere.items()})
    return BuiltScenario({name: value for name, value in {**head, **said}.items() if value}, left_out)


class _ScenarioBuilder:
    def __init__(self, seen: Observations) -> None:
        self.left_out: Counter[str] = Counter()
        self._seen = seen
        self._users = {one["id"]: one for one in seen.of(USER) if one.get("username")}
        self._groups = {one["id"]: one for one in seen.of(NAMESPACE) if one.get("full_path")}
        self._projects = {one["id"]: one for one in seen.of(PROJECT) if one.get("path_with_namespace")}
        self._paths = {id_: one["full_path"] for id_, one in self._groups.items()}
        users = {id_: one["username"] for id_, one in self._users.items()}
        projects = {id_: one["path_with_namespace"] for id_, one in self._projects.items()}
        self._names = names_of(seen, users, self._paths, projects)
        self._of_commits = commit_notes.list_places(seen)
        self._closing = merge_requests.closing_references(seen, self._names)
        self._inside = {kind: _by_project(seen.of(kind)) for kind in (ISSUE, MERGE_REQUEST)}
        self._turns = {
            kind: creation_order.turns(map(_creation, seen.of(kind))) for kind in (ISSUE, MERGE_REQUEST, MILESTONE)
        }

    def instance(self) -> Said:
        """What is unusual of the instance: its release, and the tier that paid fields tell of."""
        issues = self._seen.of(ISSUE)
        ultimate = any("health_status" in issue for issue in issues)
        premium = any("weight" in issue for issue in issues) or any("mirror" in one for one in self._projects.values())
        tier = "ultimate" if ultimate else "premium" if premium else "free"
        found = {"tier": tier, "version": self._seen.version or Instance().version}
        return {name: value for name, value in found.items() if value != getattr(Instance(), name)}

    def settings(self) -> Said:
        """Whether users without a picture have one drawn."""
        undrawn = any(one.get("avatar_url", "") is None for one in self._users.values())
        return {"gravatar_enabled": False} if undrawn else {}

    def said(self) -> Said:
        """People, groups and projects, with all that is in them."""
        projects = [self._project(one) for one in self._projects.values()]
        groups = self._with_those_above([self._group(one) for one in self._groups.values()], projects)
        users = [self._user(one) for one in self._users.values()]
        people = [*users, *self._further_people(users, groups, projects)]
        linked = links.to_scenario(self._seen, self._names, self.left_out)
        return {"users": people, "groups": groups, "projects": projects, "issue_links": linked}

    # people

    def _user(self, one: Document) -> Said:
        name, bot = one["username"], _BOT.fullmatch(one["username"])
        if name == _GHOST:
            return {"username": name, "kind": _GHOST}
        said = saying.map_fields(USER, one, self.left_out)
        attributes = self._seen.parts_of(USER, (one["id"],), "custom_attributes")
        further = {
            **({"custom_attributes": saying.map_custom_attributes(attributes)} if attributes else {}),
            **furnishing.global_setting(self._seen, one),
            **reminders.to_scenario(self._seen, one, self._names, self.left_out),
        }
        if bot and int(bot[1]) in self._projects:
            return {**said, "bot_of": self._projects[int(bot[1])]["path_with_namespace"], **further}
        return {**said, "email": one.get("email") or f"{name}@example.test", **further}

    def _further_people(self, users: Iterable[Said], groups: Iterable[Said], projects: Iterable[Said]) -> list[Said]:
        """Owners of projects whom nobody showed by themselves."""
        known = {user["username"] for user in users} | {group["full_path"] for group in groups}
        return [{"username": owner} for owner in dict.fromkeys(map(_space, projects)) if owner not in known]

    # groups

    def _group(self, one: Document) -> Said:
        template = self._projects.get(one.get("file_template_project_id") or 0)
        return {
            "full_path": one["full_path"],
            **saying.map_fields(NAMESPACE, one, self.left_out),
            **({"file_template_project": template["path_with_namespace"]} if template else {}),
            **self._contents(NAMESPACE, one, one["full_path"]),
        }

    def _with_those_above(self, groups: Iterable[Said], projects: Sequence[Said]) -> list[Said]:
        """Groups with those above them, which are as visible as what is in them asks for."""
        known = {group["full_path"]: group for group in groups}
        people = {one["username"] for one in self._users.values()}
        for space in [*known, *map(_space, projects)]:
            if space not in known and "/" not in space and (space in people or not self._is_group(space)):
                continue
            for above in _with_parents(space):
                known.setdefault(above, {"full_path": above})
        inside = [*known.items(), *((project["path_with_namespace"], project) for project in projects)]
        for path, group in known.items():
            within = [one.get("visibility", "private") for place, one in inside if place.startswith(f"{path}/")]
            group.setdefault("visibility", max(within, key=rank, default="private"))
        return sorted(known.values(), key=lambda group: str(group["full_path"]).count("/"))

    def _is_group(self, path: str) -> bool:
        spaces = (one.get("namespace") or {} for one in self._projects.values())
        return any(space.get("full_path") == path and space.get("kind") == "group" for space in spaces)

    # projects

    def _project(self, one: Document) -> Said:
        path, names = one["path_with_namespace"], (one["id"], one["path_with_namespace"])
        shown = {name: value for name, value in one.items() if _SWITCHES.get(name) not in one}
        policy = one.get("container_expiration_policy")
        if isinstance(policy, dict):
            shown["container_expiration_policy"] = {k: value for k, value in policy.items() if k != _NEXT_RUN}
        parent = one.get("forked_from_project") or {}
        named = {
            "creator": username(self._users.get(one.get("creator_id") or 0)),
            "mirror_user": username(self._users.get(one.get("mirror_user_id") or 0)),
            "forked_from_project": parent.get("path_with_namespace"),
        }
        return {
            "path_with_namespace": path,
            **saying.map_fields(PROJECT, shown, self.left_out),
            **{name: value for name, value in named.items() if value},
            **({"creator": None} if one.get("creator_id", 0) is None else {}),
            **self._contents(PROJECT, one, path),
            **self._further_contents(one, names),
        }

    def _contents(self, kind: str, one: Document, path: str) -> Said:
        """What is in groups and in projects."""
        names = (one["id"], path)
        members = self._members(kind, names)
        attributes = self._seen.parts_of(kind, names, "custom_attributes") or one.get("custom_attributes")
        found: Said = {
            "members": None if members is None else [saying.map_member(member) for member in members],
            "shared_with_groups": [
                saying.map_share(share, self._paths) for share in iterate_objects(one.get("shared_with_groups"))
            ],
            "custom_attributes": saying.map_custom_attributes(iterate_objects(attributes)),
            "labels": [saying.map_fields(LABEL, label, self.left_out) for label in self._labels(kind, names)],
            "milestones": [self._milestone(milestone) for milestone in self._milestones(kind, one["id"])],
            **furnishing.container_extras(self._seen, kind, names, self.left_out),
        }
        return {name: value for name, value in found.items() if value or (name == "members" and value is not None)}

    def _members(self, kind: str, names: tuple[object, ...]) -> list[Document] | None:
        """Direct members; where nobody listed them, those who are known all the same, None if there are none."""
        listed = self._seen.parts_of(kind, names, MEMBERS)
        if listed is not None:
            return listed
        path = str(names[1])
        above = {username(member) for member in self._members_above(path)} if kind == NAMESPACE else set()
        known = [*(self._seen.parts_of(kind, names, ACCESS) or ()), *self._inherited_in(path)]
        found = {username(member): member for member in known}
        return [member for name, member in found.items() if name not in above] or None

    def _members_above(self, path: str) -> list[Document]:
        """The known members of the groups that a group is in."""
        parent, _, _ = path.rpartition("/")
        group = next((one for one in self._groups.values() if one["full_path"] == parent), None)
        if group is None:
            return []
        return [*(self._members(NAMESPACE, (group["id"], parent)) or ()), *self._members_above(parent)]

    def _inherited_in(self, path: str) -> Iterator[Document]:
        """Members of the projects in a group who are no direct ones."""
        for project in self._projects.values():
            names = (project["id"], project["path_with_namespace"])
            if _space(project) == path:
                direct = {username(one) for one in self._seen.parts_of(PROJECT, names, MEMBERS) or ()}
                every = self._seen.parts_of(PROJECT, names, ALL_MEMBERS) or ()
                yield from (member for member in every if username(member) not in direct)

    def _labels(self, kind: str, names: Sequence[object]) -> list[Document]:
        owners = {(kind, str(name)) for name in names}
        return [one for one in self._seen.of(LABEL) if self._owner_of(one) in owners]

    def _owner_of(self, label: Document) -> Owner | None:
        """Where a label stands: of one that only a project showed, the group in which that is."""
        record = (LABEL, label["id"])
        lent = self._seen.lent.get(record)
        if record in self._seen.owners or lent is None:
            return self._seen.owners.get(record)
        project = self._projects.get(int(lent[1])) if lent[1].isdecimal() else None
        return (NAMESPACE, lent[1].rpartition("/")[0] if project is None else _space(project))

    def _milestones(self, kind: str, id_: int) -> list[Document]:
        key = "project_id" if kind == PROJECT else "group_id"
        return [one for one in self._seen.of(MILESTONE) if one.get(key) == id_ and one.get("title")]

    def _milestone(self, one: Document) -> Said:
        return {**saying.map_fields(MILESTONE, one, self.left_out), **self._turns[MILESTONE].get(one["id"], {})}

    def _further_contents(self, one: Document, names: tuple[object, ...]) -> Said:
        """What is in projects alone."""
        starrers = self._seen.parts_of(PROJECT, names, "starrers")
        if starrers is None:
            self.left_out["stars of projects"] += one.get("star_count") or 0
        languages = self._seen.parts_of(PROJECT, names, LANGUAGES) or [{}]
        priorities = self._seen.parts_of(PROJECT, names, PRIORITIES) or ()
        found: Said = {
            "languages": languages[0],
            "starrers": [saying.map_star(star) for star in starrers or ()],
            "label_priorities": {label["name"]: label.get("priority") for label in priorities},
            "issues": self._things(ISSUE, one, names),
            "merge_requests": self._things(MERGE_REQUEST, one, names),
        }
        inside = {name: value for name, value in found.items() if value}
        places = [place for name in names for place in self._of_commits.get((PROJECT, str(name)), ())]
        inside |= commit_notes.to_scenario(self._seen, names, list(dict.fromkeys(places)), self.left_out)
        path = one["path_with_namespace"]
        return {**inside, **repositories.to_scenario(self._seen, one["id"], path, self._names, self.left_out)}

    def _things(self, kind: str, one: Document, names: tuple[object, ...]) -> list[Said]:
        """The issues or merge requests of a project, with what was said and done of them."""
        return [self._thing(kind, thing, names) for thing in self._inside[kind].get(one["id"], ())]

    def _thing(self, kind: str, one: Document, names: tuple[object, ...]) -> Said:
        within = f"{kind}s/{one.get('iid')}"
        if kind == ISSUE:
            said = issues.to_scenario(self._seen, one, self._names, self.left_out)
        else:
            said = merge_requests.to_scenario(self._seen, names, one, self._names, self.left_out)
            said |= {"closes": self._closing[one["id"]]} if one["id"] in self._closing else {}
        self.left_out += conversations.count_missed(self._seen, names, kind, one)
        return {
            **said,
            **self._turns[kind].get(one["id"], {}),
            **conversations.to_scenario(self._seen, names, within, self._names, self.left_out),
            **conversations.subscribers(self._seen, kind, one, conversations.list_notes(self._seen, names, within)),
            **histories.to_scenario(self._seen, names, within, self._names),
        }


def _by_project(many: Iterable[Document]) -> dict[int | None, list[Document]]:
    found: dict[int | None, list[Document]] = {}
    for one in many:
        found.setdefault(one.get("project_id"), []).append(one)
    return found


def _creation(document: Document) -> creation_order.Creation:
    """Return when and where an issue, merge request or milestone was made; groups come before projects."""
    project_id = document.get("project_id")
    return document["id"], document.get("created_at") or "", -1 if project_id is None else project_id


def _space(project: Said) -> str:
    return str(project["path_with_namespace"]).rpartition("/")[0]


def _with_parents(path: str) -> list[str]:
    parts: list[Any] = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
