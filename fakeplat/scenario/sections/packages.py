"""Packages of projects, with their files and tags."""

from base64 import b64encode
from typing import Final

from fakeplat.core.schema.shapes import BASE64, COUNT, INTEGER, NULLABLE_TEXT, TEXT, ListOf, Nullable, Object
from fakeplat.domain.packages import debian, digests, packages
from fakeplat.model.packages import DebianDistribution, Package, PackageFile, PackageTag, PackageType
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import DEPLOYMENTS, EntryData
from fakeplat.scenario.sections import serialization

_FIELDS: Final = own_fields(Package)
_FILE_FIELDS: Final = own_fields(PackageFile, without=("content",))
_TAG_FIELDS: Final = own_fields(PackageTag)
_DISTRIBUTION_FIELDS: Final = own_fields(DebianDistribution)
_FILE: Final = Object(
    {**_FILE_FIELDS, "content": TEXT, "content_base64": BASE64, "size": COUNT},
    required=("file_name",),
    one_of=("content", "content_base64", "size"),
    descriptions={
        "file_md5": "The digests are computed by default.",
        "size": "Instead of a content: as many zero bytes.",
        "metadata": "What package managers need of the content. Helm: channel, and chart, the fields of Chart.yaml.",
    },
)


def _create(entry: Entry) -> Package:
    values, times = entry.select(_FIELDS), {"created_at": entry.created_at}
    key = (entry.values["package_type"], values.pop("name"), values.pop("version", None))
    values.pop("package_type")
    values |= _resolve_references(entry)
    existing = _find_existing(entry, key)
    if existing is not None:
        package = entry.world.packages.change(existing, **values)
    else:
        package = packages.create(entry.ctx, entry.owner, *key, **{**times, **values})
    for file in entry.values.get("files", ()):
        _add_file(entry, package, file)
    for tag in entry.values.get("tags", ()):
        _add_tag(entry, package, tag)
    return package


def _find_existing(entry: Entry, key: tuple[PackageType, str, str | None]) -> Package | None:
    package_type, name, version = key
    versions = packages.list_named(entry.world, entry.owner, package_type, name)
    # Maven may have several packages without a version; only packages of an earlier document are changed.
    return next((package for package in versions if package.version == version and version is not None), None)


def _resolve_references(entry: Entry) -> EntryData:
    references: EntryData = {}
    creator = entry.user_or_none("creator")
    references["creator_id"] = creator.id if creator else None
    if entry.values.get("distribution"):
        distribution = debian.find_distribution(entry.world, entry.owner, entry.values["distribution"])
        references["distribution_id"] = distribution.id if distribution else entry.fail("unknown", "distribution")
    if entry.values.get("pipeline") is not None:
        pipeline = entry.world.pipelines.find("iid", (entry.owner.id, entry.values["pipeline"]))
        references["pipeline_id"] = pipeline.id if pipeline else entry.fail("unknown pipeline", "pipeline")
    return references


def _add_file(entry: Entry, package: Package, values: EntryData) -> None:
    table, given = entry.world.package_files, {name: values[name] for name in values if name in _FILE_FIELDS}
    content = _read_content(values)
    created_at = given.setdefault("created_at", package.created_at)
    defaults = {**digests.compute(content)._asdict(), "updated_at": created_at}
    ids = {"id": table.next_id(), "package_id": package.id, "pipeline_id": package.pipeline_id}
    table.add(PackageFile(content=content, **{**ids, **defaults, **given}))


def _read_content(values: EntryData) -> bytes:
    if "size" in values:
        return bytes(values["size"])
    return values["content"].encode() if "content" in values else bytes(values["content_base64"])


def _add_tag(entry: Entry, package: Package, values: EntryData) -> None:
    table = entry.world.package_tags
    created_at = values.get("created_at", package.created_at)
    table.add(
        PackageTag(
            id=table.next_id(),
            package_id=package.id,
            **{"created_at": created_at, "updated_at": created_at, **values},
        )
    )


def _serialize_parts(world: World, package: Package) -> EntryData:
    pipeline = world.pipelines.get(package.pipeline_id) if package.pipeline_id is not None else None
    row = world.debian_distributions.get(package.distribution_id) if package.distribution_id is not None else None
    return {
        "distribution": row.codename if row else None,
        "pipeline": pipeline.iid if pipeline else None,
        "files": [_serialize_file(package, file) for file in packages.list_files(world, package)],
        "tags": [_serialize_tag(package, tag) for tag in packages.list_tags(world, package)],
    }


def _serialize_file(package: Package, file: PackageFile) -> EntryData:
    computed = digests.compute(file.content)._asdict()
    values = {name: getattr(file, name) for name in _FILE_FIELDS}
    times = {"created_at": package.created_at, "updated_at": file.created_at}
    has_content = any(file.content)
    if has_content and file.size > serialization.MAX_CONTENT:
        # The digests are those of the content that is left out.
        return {**serialization.remove_defaults(values, **times, metadata={}), "size": file.size}
    data = serialization.remove_defaults(values, **times, metadata={}, **computed)
    content = {"content_base64": b64encode(file.content).decode()} if has_content else {"size": file.size}
    return {**data, **content}


def _serialize_tag(package: Package, tag: PackageTag) -> EntryData:
    values = {name: getattr(tag, name) for name in _TAG_FIELDS}
    return serialization.remove_defaults(values, created_at=package.created_at, updated_at=tag.created_at)


def _create_distribution(entry: Entry) -> DebianDistribution:
    values = entry.select(_DISTRIBUTION_FIELDS)
    row = debian.create_distribution(entry.ctx, entry.owner, **values)
    times = {name: values.get(name, entry.created_at) for name in ("created_at", "updated_at", "generated_at")}
    return entry.world.debian_distributions.change(row, **times)


DISTRIBUTIONS: Final = derive_section(
    "debian_distributions",
    DebianDistribution,
    within=("group", "project"),
    keys=_DISTRIBUTION_FIELDS,
    required=("codename",),
    descriptions={
        "valid_time_duration_seconds": "How long apt takes the lists of the distribution for current.",
        "generated_at": "The date of the Release file: that of the last package.",
    },
    create=_create_distribution,
)


SECTION: Final = derive_section(
    "packages",
    Package,
    within=("project",),
    rank=DEPLOYMENTS,
    keys=_FIELDS,
    further_keys={
        "creator": NULLABLE_TEXT,
        "distribution": NULLABLE_TEXT,
        "pipeline": Nullable(INTEGER),
        "files": ListOf(_FILE),
        "tags": ListOf(Object(_TAG_FIELDS, required=("name",))),
    },
    references={"creator": "creator_id"},
    required=("name", "package_type"),
    descriptions={
        "version": "Null only for the metadata of a Maven package.",
        "path": "Where Maven has the package: acme/site/1.0.",
        "manifest": "The fields of package.json that npm needs to install the package; those of composer.json.",
        "creator": "Username.",
        "distribution": "The codename of the Debian distribution that has the package.",
        "pipeline": "The iid of the pipeline whose job published the package.",
        "tags": "Tags of a version of an npm package.",
    },
    create=_create,
    parts=_serialize_parts,
    keeps_order=True,
    kind="package",
)
