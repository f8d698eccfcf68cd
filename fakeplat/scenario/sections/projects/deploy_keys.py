"""Deploy keys, with the projects in which they are enabled."""

from typing import Final

from fakeplat.core.schema.shapes import BOOLEAN, NULLABLE_TEXT, MapOf
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.projects import deploy_keys
from fakeplat.model.projects import DeployKey
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import SCENARIO, EntryData

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


def _serialize_projects(world: World, key: DeployKey) -> EntryData:
    links = world.deploy_key_projects.where("deploy_key", key.id)
    return {"projects": {project_path(world, world.projects[link.project_id]): link.can_push for link in links}}


SECTION: Final = derive_section(
    "deploy_keys",
    DeployKey,
    within=(SCENARIO,),
    keys=own_fields(DeployKey, without=("fingerprint", "fingerprint_sha256", "last_used_at", "usage_type")),
    further_keys={"user": NULLABLE_TEXT, "projects": MapOf(BOOLEAN)},
    references={"user": "user_id"},
    required=("title", "key"),
    descriptions={"projects": "The projects in which the key is enabled, each with whether the key can push."},
    create=_create,
    parts=_serialize_projects,
)
