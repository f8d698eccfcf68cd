"""Runners in scenarios: of the instance, of a group, or of projects."""

from typing import Final

from fakeplat.core.schema.shapes import NULLABLE_TEXT, TEXT, ListOf
from fakeplat.domain.ci import runners
from fakeplat.domain.people import namespaces
from fakeplat.model.ci import Runner, RunnerManager, RunnerType
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import SCENARIO, EntryData

_FIELDS: Final = own_fields(Runner)


def _create(entry: Entry) -> Runner:
    fields_ = entry.select(_FIELDS)
    existing = entry.world.runners.find("token", fields_.get("token", ""))
    if existing is not None:
        return runners.update(entry.ctx, existing, **_record_fields(fields_))
    creator = entry.user_or_none("creator")
    group = entry.group("group") if entry.values.get("group") is not None else None
    projects = [entry.get_project(path, "projects") for path in entry.values.get("projects", ())]
    if group is not None and projects:
        entry.fail("a runner belongs to a group or to projects, not to both", "group")
    runner_type: RunnerType = "group_type" if group else "project_type" if projects else "instance_type"
    values: EntryData = {
        "created_at": entry.created_at,
        "updated_at": entry.created_at,
        **_record_fields(fields_),
        "group_id": group.id if group else None,
        "creator_id": creator.id if creator else None,
    }
    return runners.create(entry.ctx, values.pop("runner_type", runner_type), projects=projects, **values)


def _record_fields(values: EntryData) -> EntryData:
    return {**values, **({"tag_list": tuple(values["tag_list"])} if "tag_list" in values else {})}


def _serialize_projects(world: World, runner: Runner) -> EntryData:
    return {"projects": [namespaces.project_path(world, project) for project in runners.list_projects(world, runner)]}


SECTION: Final = derive_section(
    "runners",
    Runner,
    within=(SCENARIO,),
    further_keys={"group": NULLABLE_TEXT, "projects": ListOf(TEXT), "creator": NULLABLE_TEXT},
    references={"group": "group_id", "creator": "creator_id"},
    descriptions={
        "runner_type": "Default: group_type with a group, project_type with projects, else instance_type.",
        "group": "The full path of the group whose runner it is.",
        "creator": "The user who created the runner, unless it was registered.",
        "projects": "The full paths of the projects that it is enabled for.",
    },
    create=_create,
    parts=_serialize_projects,
    kind="runner",
)
MANAGERS: Final = derive_section(
    "managers",
    RunnerManager,
    within=("runner",),
    required=("system_id",),
    unique="pair",
    name_key="system_id",
    case_sensitive=True,
)
