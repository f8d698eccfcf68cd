"""The appearance, the features and the licence of the instance in scenarios."""

from typing import Final

from fakeplat.core.params.body import Upload
from fakeplat.core.schema.records import build_record
from fakeplat.core.schema.shapes import COUNT, DATE, TEXT, ListOf, MapOf, Nullable
from fakeplat.domain.instance import appearances, features, licenses, migrations, policy_settings
from fakeplat.domain.people import namespaces
from fakeplat.model.ci import Runner
from fakeplat.model.instance import (
    IMAGES,
    Appearance,
    BatchedMigration,
    Feature,
    InstanceLicense,
    PolicySetting,
    SchemaMigration,
)
from fakeplat.model.people import Namespace
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import ALERTS, SCENARIO, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people.avatars import AVATAR, parse_upload

_TEXTS: Final = own_fields(Appearance)
_GATES: Final = own_fields(Feature)
_LICENSE: Final = own_fields(InstanceLicense, starts_at=DATE, expires_at=Nullable(DATE), add_ons=MapOf(COUNT))
_ACTORS: Final = ("users", "groups", "projects", "namespaces", "runners")


def _create_appearance(entry: Entry) -> Appearance:
    images = {name: entry.values[name] for name in IMAGES if name in entry.values}
    uploads: dict[str, Upload | None] = {name: parse_upload(image) if image else None for name, image in images.items()}
    return appearances.update(entry.ctx, {**entry.select(_TEXTS), **uploads})


def _serialize_images(world: World, appearance: Appearance) -> EntryData:
    stored = {name: world.files.get(id_) for name in IMAGES if (id_ := getattr(appearance, name)) is not None}
    return {name: serialization.serialize_file(file) for name, file in stored.items() if file is not None}


def _get_namespace(entry: Entry, path: str) -> Namespace:
    namespace = namespaces.find_by_path(entry.world, path)
    if namespace is None:
        entry.fail(f"unknown namespace {path!r}", "namespaces")
    return namespace


def _get_runner(entry: Entry, token: str) -> Runner:
    runner = entry.world.runners.find("token", token)
    if runner is None:
        entry.fail(f"unknown runner {token!r}", "runners")
    return runner


def _list_runners(world: World, feature: Feature) -> EntryData:
    return {"runners": [world.runners[id_].token for id_ in feature.runner_ids]}


def _create_feature(entry: Entry) -> Feature:
    user_ids = tuple(entry.get_user(name, "users").id for name in entry.values.get("users", ()))
    group_ids = tuple(entry.get_group(path, "groups").id for path in entry.values.get("groups", ()))
    project_ids = tuple(entry.get_project(path, "projects").id for path in entry.values.get("projects", ()))
    namespace_ids = tuple(_get_namespace(entry, path).id for path in entry.values.get("namespaces", ()))
    runner_ids = tuple(_get_runner(entry, token).id for token in entry.values.get("runners", ()))
    actors = {
        "user_ids": user_ids,
        "group_ids": group_ids,
        "project_ids": project_ids,
        "namespace_ids": namespace_ids,
        "runner_ids": runner_ids,
    }
    return features.save(entry.ctx, build_record(Feature, {"id": 0, **entry.select(_GATES), **actors}))


def _create_license(entry: Entry) -> InstanceLicense:
    current, declared = licenses.find_current(entry.world), entry.select(_LICENSE)
    if current is None:
        return licenses.add(entry.ctx, **declared)
    return entry.world.instance_licenses.change(current, **declared)


def _list_licenses(world: World, _owner: None) -> list[InstanceLicense]:
    current = licenses.find_current(world)
    return [] if current is None else [current]


APPEARANCE: Final = derive_section(
    "appearance",
    Appearance,
    within=(SCENARIO,),
    keys=_TEXTS,
    further_keys=dict.fromkeys(IMAGES, AVATAR),
    create=_create_appearance,
    defaults=lambda appearance: {name: getattr(appearance, name) for name in IMAGES},
    parts=_serialize_images,
    single=True,
)
FEATURES: Final = derive_section(
    "features",
    Feature,
    within=(SCENARIO,),
    keys=_GATES,
    further_keys=dict.fromkeys(_ACTORS, ListOf(TEXT)),
    references={
        "users": "user_ids",
        "groups": "group_ids",
        "projects": "project_ids",
        "namespaces": "namespace_ids",
    },
    parts=_list_runners,
    required=("name",),
    rank=ALERTS,
    create=_create_feature,
    name_key="name",
)
LICENSE: Final = derive_section(
    "license",
    InstanceLicense,
    within=(SCENARIO,),
    keys=_LICENSE,
    create=_create_license,
    rows=_list_licenses,
    single=True,
)
POLICY_SETTING: Final = derive_section(
    "security_policies",
    PolicySetting,
    within=(SCENARIO,),
    references={"group": "csp_namespace_id"},
    further_keys={"group": TEXT},
    required=("group",),
    add=policy_settings.set_group,
    single=True,
)
BATCHED_MIGRATIONS: Final = derive_section(
    "batched_migrations",
    BatchedMigration,
    within=(SCENARIO,),
    required=("job_class_name", "table_name"),
    add=migrations.add_batched,
)
SCHEMA_MIGRATIONS: Final = derive_section(
    "schema_migrations",
    SchemaMigration,
    within=(SCENARIO,),
    required=("version",),
    add=migrations.add_schema,
)
