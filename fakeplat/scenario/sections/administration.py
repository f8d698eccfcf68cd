"""The appearance, the features and the licence of the instance in scenarios."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import COUNT, DATE, TEXT, ListOf, MapOf, Nullable, Object
from fakeplat.domain.instance import appearances, features, licenses
from fakeplat.domain.people import namespaces
from fakeplat.model.instance import IMAGES, Appearance, Feature
from fakeplat.model.licenses import InstanceLicense
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people.avatars import AVATAR, parse_upload

_TEXTS: Final = fields(Appearance, without=("id", *IMAGES))
_GATES: Final = fields(Feature, without=("id", "user_ids", "group_ids", "project_ids"))
_LICENSE: Final = fields(
    InstanceLicense, without=("id",), starts_at=DATE, expires_at=Nullable(DATE), add_ons=MapOf(COUNT)
)
_ACTORS: Final = ("users", "groups", "projects")


def _create_appearance(entry: Entry) -> Appearance:
    images = {name: entry.values[name] for name in IMAGES if name in entry.values}
    uploads: dict[str, Any] = {name: parse_upload(image) if image else None for name, image in images.items()}
    return appearances.update(entry.ctx, {**entry.select(_TEXTS), **uploads})


def _export_appearance(world: World, _container: Any) -> Iterable[tuple[Appearance, EntryData]] | None:
    rows = [(row, _serialize_appearance(world, row)) for row in world.appearances.all()]
    return rows or None


def _serialize_appearance(world: World, appearance: Appearance) -> EntryData:
    stored = {name: world.files.get(id_) for name in IMAGES if (id_ := getattr(appearance, name)) is not None}
    images = {name: serialization.serialize_file(file) for name, file in stored.items() if file is not None}
    return {**serialization.non_default_fields(appearance, _TEXTS), **images}


def _create_feature(entry: Entry) -> Feature:
    ids: dict[str, Any] = {
        "user_ids": tuple(entry.get_user(name, "users").id for name in entry.values.get("users", ())),
        "group_ids": tuple(entry.get_group(path, "groups").id for path in entry.values.get("groups", ())),
        "project_ids": tuple(entry.get_project(path, "projects").id for path in entry.values.get("projects", ())),
    }
    return features.save(entry.ctx, Feature(0, **entry.select(_GATES), **ids))


def _export_features(world: World, _container: Any) -> Iterable[tuple[Feature, EntryData]] | None:
    return [(row, _serialize_feature(world, row)) for row in world.features.all()] or None


def _serialize_feature(world: World, feature: Feature) -> EntryData:
    actors = {
        "users": [world.users[id_].username for id_ in feature.user_ids],
        "groups": [namespaces.full_path(world, world.namespaces[id_]) for id_ in feature.group_ids],
        "projects": [namespaces.project_path(world, world.projects[id_]) for id_ in feature.project_ids],
    }
    gates = serialization.non_default_fields(feature, _GATES)
    return {**gates, **{key: names for key, names in actors.items() if names}}


def _create_license(entry: Entry) -> InstanceLicense:
    current, declared = licenses.find_current(entry.world), entry.select(_LICENSE)
    if current is None:
        return licenses.add(entry.ctx, **declared)
    return entry.world.instance_licenses.change(current, **declared)


def _export_license(world: World, _container: Any) -> Iterable[tuple[InstanceLicense, EntryData]] | None:
    current = licenses.find_current(world)
    return None if current is None else [(current, serialization.non_default_fields(current, _LICENSE))]


APPEARANCE: Final = Section(
    "appearance",
    within=(SCENARIO,),
    rank=FURTHER,
    keys=Object({**_TEXTS, **dict.fromkeys(IMAGES, AVATAR)}),
    create=_create_appearance,
    export=_export_appearance,
    single=True,
)
FEATURES: Final = Section(
    "features",
    within=(SCENARIO,),
    rank=FURTHER,
    keys=Object({**_GATES, **dict.fromkeys(_ACTORS, ListOf(TEXT))}, required=("name",)),
    create=_create_feature,
    export=_export_features,
    name_key="name",
)
LICENSE: Final = Section(
    "license",
    within=(SCENARIO,),
    rank=FURTHER,
    keys=Object(_LICENSE),
    create=_create_license,
    export=_export_license,
    single=True,
)
