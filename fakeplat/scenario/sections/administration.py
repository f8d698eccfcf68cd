"""The appearance, the features and the licence of the instance in scenarios."""

from collections.abc import Callable, Mapping
from typing import Final

from fakeplat.core.params.body import Upload
from fakeplat.core.schema.records import build_record
from fakeplat.core.schema.shapes import COUNT, DATE, TEXT, ListOf, MapOf, Nullable
from fakeplat.domain.instance import appearances, features, licenses, migrations, organization, policy_settings
from fakeplat.domain.people import namespaces
from fakeplat.model.ci import Runner
from fakeplat.model.instance import (
    IMAGES,
    OPTED_OUT,
    Appearance,
    BatchedMigration,
    Feature,
    InstanceLicense,
    Organization,
    PolicySetting,
    SchemaMigration,
)
from fakeplat.model.people import Namespace, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import ALERTS, SCENARIO, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people.avatars import AVATAR, parse_upload

_TEXTS: Final = own_fields(Appearance)
_GATES: Final = own_fields(Feature)
_LICENSE: Final = own_fields(InstanceLicense, starts_at=DATE, expires_at=Nullable(DATE), add_ons=MapOf(COUNT))


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


_ACTORS: Final[Mapping[str, tuple[str, Callable[[Entry, str], User | Namespace | Project | Runner]]]] = {
    "users": ("user_ids", lambda entry, name: entry.get_user(name, "users")),
    "groups": ("group_ids", lambda entry, path: entry.get_group(path, "groups")),
    "projects": ("project_ids", lambda entry, path: entry.get_project(path, "projects")),
    "namespaces": ("namespace_ids", _get_namespace),
    "runners": ("runner_ids", _get_runner),
}
"""The keys that name actors: the field with their ids, and how they are found."""
_PREFIXES: Final = ("", OPTED_OUT)


def _list_runners(world: World, feature: Feature) -> EntryData:
    return {
        f"{prefix}runners": [world.runners[id_].token for id_ in getattr(feature, f"{prefix}runner_ids")]
        for prefix in _PREFIXES
    }


def _select_actors(entry: Entry, prefix: str) -> EntryData:
    """Return the ids of the actors that an entry names, by the fields of the feature."""
    return {
        f"{prefix}{field}": tuple(find(entry, name).id for name in entry.values.get(f"{prefix}{key}", ()))
        for key, (field, find) in _ACTORS.items()
    }


def _create_feature(entry: Entry) -> Feature:
    actors = {field: ids for prefix in _PREFIXES for field, ids in _select_actors(entry, prefix).items()}
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
    further_keys={f"{prefix}{key}": ListOf(TEXT) for prefix in _PREFIXES for key in _ACTORS},
    references={
        f"{prefix}{key}": f"{prefix}{field}"
        for prefix in _PREFIXES
        for key, (field, _find) in _ACTORS.items()
        if key != "runners"
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
ORGANIZATION: Final = derive_section(
    "organization",
    Organization,
    within=(SCENARIO,),
    references={"owners": "promoted_ids", "demoted_administrators": "demoted_ids"},
    further_keys={"owners": ListOf(TEXT), "demoted_administrators": ListOf(TEXT)},
    add=organization.update,
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
