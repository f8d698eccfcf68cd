"""Deploy keys, with the projects in which they are enabled."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import BOOLEAN, NULLABLE_TEXT, MapOf, Object
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.projects import deploy_keys
from fakeplat.model.projects import DeployKey
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(DeployKey, without=("id", "user_id", "fingerprint", "fingerprint_sha256"))
_OWN: Final = ("public", "expires_at", "created_at", "updated_at")


def _create(entry: Entry) -> DeployKey:
    since = entry.created_at
    key = deploy_keys.find_by_text(entry.world, entry.values["key"])
    if key is None:
        key = deploy_keys.create(
            entry.ctx, title=entry.values["title"], text=entry.values["key"], created_at=since, updated_at=since
        )
    user = entry.user_or_none("user")
    changes = entry.select(("title", *_OWN)) | ({"user_id": user.id} if user else {})
    key = entry.world.deploy_keys.change(key, **changes)
    for path, can_push in entry.values.get("projects", {}).items():
        project = entry.get_project(path, "projects")
        deploy_keys.enable(entry.ctx, project, key, can_push=can_push, created_at=since, updated_at=since)
    return key


def _export(world: World, _container: Any) -> Iterable[tuple[DeployKey, EntryData]] | None:
    return [(key, _serialize(world, key)) for key in world.deploy_keys.all()] or None


def _serialize(world: World, key: DeployKey) -> EntryData:
    user = serialization.username_of(world, key.user_id)
    projects = {
        project_path(world, world.projects[link.project_id]): link.can_push
        for link in world.deploy_key_projects.where("deploy_key", key.id)
    }
    data = {**serialization.non_default_fields(key, _FIELDS), "user": user, "projects": projects}
    return serialization.remove_defaults(data, updated_at=key.created_at, user=None, projects={})


SECTION: Final = Section(
    "deploy_keys",
    within=(SCENARIO,),
    rank=FURTHER,
    keys=Object(
        {**_FIELDS, "user": NULLABLE_TEXT, "projects": MapOf(BOOLEAN)},
        required=("title", "key"),
        descriptions={"projects": "The projects in which the key is enabled, each with whether the key can push."},
    ),
    create=_create,
    export=_export,
)
