"""Runners in scenarios: of the instance, of a group, or of projects."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import NULLABLE_TEXT, TEXT, ListOf, Object
from fakeplat.domain.ci import runners
from fakeplat.domain.people import namespaces
from fakeplat.model.ci import Runner, RunnerType
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(Runner, without=("id", "group_id"))


def _create(entry: Entry) -> Runner:
    fields_ = entry.select(_FIELDS)
    existing = entry.world.runners.find("token", fields_.get("token", ""))
    if existing is not None:
        return runners.update(entry.ctx, existing, **_record_fields(fields_))
    group = entry.group("group") if entry.values.get("group") is not None else None
    projects = [entry.get_project(path, "projects") for path in entry.values.get("projects", ())]
    if group is not None and projects:
        entry.fail("a runner belongs to a group or to projects, not to both", "group")
    runner_type: RunnerType = "group_type" if group else "project_type" if projects else "instance_type"
    values: dict[str, Any] = {
        "created_at": entry.created_at,
        "updated_at": entry.created_at,
        **_record_fields(fields_),
        "group_id": group.id if group else None,
    }
    return runners.create(entry.ctx, values.pop("runner_type", runner_type), projects=projects, **values)


def _record_fields(values: dict[str, Any]) -> dict[str, Any]:
    return {**values, **({"tag_list": tuple(values["tag_list"])} if "tag_list" in values else {})}


def _export(world: World, _container: Any) -> Iterable[tuple[Runner, EntryData]] | None:
    return [(runner, _serialize(world, runner)) for runner in world.runners.all()] or None


def _serialize(world: World, runner: Runner) -> EntryData:
    data = serialization.non_default_fields(runner, _FIELDS)
    projects = [namespaces.project_path(world, project) for project in runners.list_projects(world, runner)]
    group = None if runner.group_id is None else namespaces.full_path(world, world.namespaces[runner.group_id])
    return {
        **serialization.remove_defaults(data, updated_at=runner.created_at),
        **({"group": group} if group else {}),
        **({"projects": projects} if projects else {}),
    }


SECTION: Final = Section(
    "runners",
    within=(SCENARIO,),
    rank=FURTHER,
    keys=Object(
        {**_FIELDS, "group": NULLABLE_TEXT, "projects": ListOf(TEXT)},
        descriptions={
            "runner_type": "Default: group_type with a group, project_type with projects, else instance_type.",
            "group": "The full path of the group whose runner it is.",
            "projects": "The full paths of the projects that it is enabled for.",
        },
    ),
    create=_create,
    export=_export,
)
