"""The metadata of packages, by their type. Source: docs/platform/graphql.md, docs/platform/packages.md."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from fakeplat.graphql.ids import declare_id
from fakeplat.graphql.package_details import BASE
from fakeplat.graphql.packages import PACKAGE
from fakeplat.graphql.schema_builder import Type, Union
from fakeplat.model.packages import Package
from fakeplat.policy.context import ReadContext

_FIRST: Final = "<=13.9"
_UNION: Final = "<=13.10"
_TYPES: Final = "<=14.9"
_PYPI: Final = "<=17.9"
_TIMES: Final = {
    "createdAt: Time!": "Timestamp of creation.",
    "updatedAt: Time!": "Timestamp of the last update.",
}
COMPOSER_JSON: Final = Type("PackageComposerJsonType", "What composer.json says.", since=_FIRST)
COMPOSER_DETAILS: Final = Type(
    "PackageComposerMetadatumType", "The metadata of a Composer package.", since=_FIRST, until=_UNION
)
COMPOSER: Final = Type("ComposerMetadata", "The metadata of a Composer package.", since=_UNION)
CONAN: Final = Type("ConanMetadata", "The metadata of a Conan package.", since=_TYPES)
MAVEN: Final = Type("MavenMetadata", "The metadata of a Maven package.", since=_TYPES)
NUGET: Final = Type("NugetMetadata", "The metadata of a NuGet package.", since=_TYPES)
PYPI: Final = Type("PypiMetadata", "The metadata of a PyPI package.", since=_TYPES)
_BY_TYPE: Final = {"composer": COMPOSER, "conan": CONAN, "maven": MAVEN, "nuget": NUGET, "pypi": PYPI}
UNION: Final = Union(
    "PackageMetadata",
    "The metadata of a package, by its type.",
    tuple(_BY_TYPE.values()),
    lambda package: _BY_TYPE[package.package_type].name,
    since=_UNION,
)
_EXISTENCE: Final[Mapping[str, Callable[[Package], bool]]] = {
    "composer": lambda package: package.target_sha is not None,
    "conan": lambda package: package.conan_username is not None,
    "maven": lambda package: package.path is not None,
    "nuget": lambda package: any(name != "dependencies" for name in package.manifest),
    "pypi": lambda package: package.requires_python is not None,
}


@PACKAGE.field("metadata: PackageMetadata", since=_UNION)
@BASE.field("metadata: PackageMetadata")
def find_metadata(ctx: ReadContext, package: Package) -> Package | None:
    """What its package manager says of it."""
    type_ = _BY_TYPE.get(package.package_type)
    is_known = type_ is not None and ctx.profile.has(type_.lifetime)
    return package if is_known and _EXISTENCE[package.package_type](package) else None


for _type, _model in ((CONAN, "Conan"), (MAVEN, "Maven"), (NUGET, "Nuget"), (PYPI, "Pypi")):
    declare_id(_type, f"Packages::{_model}::Metadatum", "The global ID, which has the number of the package.")


def _declare_manifest_field(type_: Type, signature: str, key: str, description: str, since: str = "") -> None:
    def value(_ctx: ReadContext, package: Package) -> str | None:
        return _as_text(package.manifest.get(key))

    type_.field(signature, description=description, since=since)(value)


def _as_text(value: object) -> str | None:
    """Return a value of a manifest as a text; a list, such as that of licenses, as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


# Composer


@COMPOSER_DETAILS.field("targetSha: String!")
@COMPOSER.field("targetSha: String!")
def target_sha(_ctx: ReadContext, package: Package) -> str | None:
    """The commit."""
    return package.target_sha


@COMPOSER_DETAILS.field("composerJson: PackageComposerJsonType!")
@COMPOSER.field("composerJson: PackageComposerJsonType!")
def composer_json(_ctx: ReadContext, package: Package) -> Package:
    """What composer.json says at that commit."""
    return package


for _name in ("name", "type", "license", "version"):
    _declare_manifest_field(COMPOSER_JSON, f"{_name}: String", _name, f"The {_name}.")


# Conan

CONAN.attributes(_TIMES)


@CONAN.field("recipe: String!")
def recipe(_ctx: ReadContext, package: Package) -> str:
    """The recipe: ``name/version@username/channel``."""
    return package.full_name


@CONAN.field("recipePath: String!")
def recipe_path(_ctx: ReadContext, package: Package) -> str:
    """The recipe as a path: ``name/version/username/channel``."""
    return package.full_name.replace("@", "/")


@CONAN.field("packageUsername: String!")
def conan_username(_ctx: ReadContext, package: Package) -> str | None:
    """The username of the recipe."""
    return package.conan_username


@CONAN.field("packageChannel: String!")
def conan_channel(_ctx: ReadContext, package: Package) -> str:
    """The channel of the recipe."""
    return package.conan_channel or ""


# Maven

MAVEN.attributes({**_TIMES, "path: String!": "Where Maven has the package."})


@MAVEN.field("appGroup: String!")
def app_group(_ctx: ReadContext, package: Package) -> str:
    """The group: what comes before the artifact, with dots."""
    return package.name.rpartition("/")[0].replace("/", ".")


@MAVEN.field("appName: String!")
def app_name(_ctx: ReadContext, package: Package) -> str:
    """The artifact."""
    return package.name.rpartition("/")[2]


@MAVEN.field("appVersion: String")
def app_version(_ctx: ReadContext, package: Package) -> str | None:
    """The version; null for the metadata of all versions."""
    return package.version


# NuGet

_declare_manifest_field(NUGET, "licenseUrl: String", "licenseUrl", "The address of the license.")
_declare_manifest_field(NUGET, "projectUrl: String", "projectUrl", "The address of the project.")
_declare_manifest_field(NUGET, "iconUrl: String", "iconUrl", "The address of the icon.")


# PyPI


@PYPI.field("requiredPython: String")
def required_python(_ctx: ReadContext, package: Package) -> str | None:
    """The versions of Python that it works with."""
    return package.requires_python


for _signature, _key, _text in (
    ("metadataVersion", "metadata_version", "The version of the metadata."),
    ("authorEmail", "author_email", "The address of the author."),
    ("description", "description", "The long description."),
    ("descriptionContentType", "description_content_type", "The markup of the long description."),
    ("summary", "summary", "The description in one line."),
    ("keywords", "keywords", "The keywords, separated by commas."),
):
    _declare_manifest_field(PYPI, f"{_signature}: String", _key, _text, since=_PYPI)
