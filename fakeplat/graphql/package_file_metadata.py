"""What package managers need of the files of packages: Conan their revisions, Helm the chart.

Source: docs/platform/graphql.md, docs/platform/packages.md.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fakeplat.domain.packages import conan
from fakeplat.graphql.ids import declare_id
from fakeplat.graphql.package_details import FILE
from fakeplat.graphql.schema_builder import Enumeration, Interface, Type
from fakeplat.model.packages import PackageFile
from fakeplat.policy.context import ReadContext

Chart = Mapping[str, Any]
_SINCE: Final = "<=14.0"
_HELM: Final = "<=14.9"
_CONAN_NAME: Final = "ConanFileMetadata"
_HELM_NAME: Final = "HelmFileMetadata"
_TIMES: Final = {
    "createdAt: Time!": "Timestamp of creation.",
    "updatedAt: Time!": "Timestamp of the last update.",
}
_FIELDS_OF_CHARTS: Final = ("name", "version", "apiVersion")
"""Without them there is no chart."""
Enumeration(
    "ConanMetadatumFileTypeEnum",
    "What a file of Conan belongs to.",
    {
        "RECIPE_FILE": ("recipe_file", "The recipe."),
        "PACKAGE_FILE": ("package_file", "A binary package."),
    },
    since=_SINCE,
)
INTERFACE: Final = Interface(
    "PackageFileMetadata",
    "What a package manager needs of a file.",
    _TIMES,
    since=_SINCE,
    type_of=lambda file: _HELM_NAME if file.metadata else _CONAN_NAME,
)
CONAN: Final = Type(_CONAN_NAME, "What Conan needs of a file.", implements=(INTERFACE.name,), since=_SINCE)
CONAN.attributes(_TIMES)
HELM: Final = Type(_HELM_NAME, "What Helm needs of a file.", implements=(INTERFACE.name,), since=_HELM)
HELM.attributes(_TIMES)
CHART: Final = Type("PackageHelmMetadataType", "What Chart.yaml says.", since=_HELM)
DEPENDENCY: Final = Type("PackageHelmDependencyType", "A chart that a chart needs.", since=_HELM)
MAINTAINER: Final = Type("PackageHelmMaintainerType", "Who maintains a chart.", since=_HELM)


@FILE.field("fileMetadata: PackageFileMetadata")
def find_file_metadata(ctx: ReadContext, file: PackageFile) -> PackageFile | None:
    """What its package manager needs of it."""
    package_type = ctx.world.packages[file.package_id].package_type
    if package_type == "helm":
        chart = file.metadata.get("chart", {})
        is_chart = all(name in chart for name in _FIELDS_OF_CHARTS)
        return file if is_chart and ctx.profile.has(HELM.lifetime) else None
    return file if package_type == "conan" else None


# Conan


declare_id(CONAN, "Packages::Conan::FileMetadatum", "The global ID, which has the number of the file.")


@CONAN.field("conanFileType: ConanMetadatumFileTypeEnum!")
def conan_file_type(_ctx: ReadContext, file: PackageFile) -> str:
    """What the file belongs to."""
    return "package_file" if file.conan_package_reference else "recipe_file"


@CONAN.field("conanPackageReference: String")
def conan_package_reference(_ctx: ReadContext, file: PackageFile) -> str | None:
    """The reference of the binary package."""
    return file.conan_package_reference


@CONAN.field("recipeRevision: String!")
def recipe_revision(_ctx: ReadContext, file: PackageFile) -> str:
    """The revision of the recipe."""
    return file.conan_recipe_revision or conan.DEFAULT_REVISION


@CONAN.field("packageRevision: String")
def package_revision(_ctx: ReadContext, file: PackageFile) -> str | None:
    """The revision of the binary package."""
    return (file.conan_package_revision or conan.DEFAULT_REVISION) if file.conan_package_reference else None


# Helm


@HELM.field("channel: String!")
def channel(_ctx: ReadContext, file: PackageFile) -> str:
    """The channel."""
    return str(file.metadata.get("channel", ""))


@HELM.field("metadata: PackageHelmMetadataType!")
def chart_of(_ctx: ReadContext, file: PackageFile) -> Chart:
    """What Chart.yaml says."""
    chart: Chart = file.metadata["chart"]
    return chart


def _declare(type_: Type, fields: Mapping[str, str], keys: Mapping[str, str] | None = None) -> None:
    """Declare fields that are called like the keys of a part of Chart.yaml, or as ``keys`` says."""
    for signature, description in fields.items():
        name = signature.partition(":")[0]
        type_.field(signature, description=description)(_reader(keys.get(name, name) if keys else name))


def _reader(key: str) -> Callable[[ReadContext, Chart], Any]:
    return lambda _ctx, part: part.get(key)


_declare(
    CHART,
    {
        "annotations: JSON": "Notes of any kind.",
        "apiVersion: String!": "The version of the format.",
        "appVersion: String": "The version of the application.",
        "condition: String": "The condition.",
        "deprecated: Boolean": "Whether the chart is deprecated.",
        "description: String": "The description.",
        "home: String": "The address of the home page.",
        "icon: String": "The address of the icon.",
        "keywords: [String!]": "The keywords.",
        "kubeVersion: String": "The versions of Kubernetes that it works with.",
        "name: String!": "The name.",
        "sources: [String!]": "The addresses of the sources.",
        "tags: String": "The tags.",
        "type: String": "The version of the application, which the platform shows here, too.",
        "version: String!": "The version.",
        "dependencies: [PackageHelmDependencyType!]": "The charts that it needs.",
        "maintainers: [PackageHelmMaintainerType!]": "Who maintains it.",
    },
    {"type": "appVersion"},
)
_declare(
    DEPENDENCY,
    {
        "alias: String": "The name within the chart.",
        "condition: String": "The condition.",
        "enabled: Boolean": "Whether it is enabled.",
        "importValues: [JSON!]": "The values that the chart takes from it.",
        "name: String": "The name.",
        "repository: String": "The repository.",
        "tags: [String!]": "The tags.",
        "version: String": "The version.",
    },
    {"importValues": "import-values"},
)
_declare(
    MAINTAINER,
    {"email: String": "The address for mails.", "name: String": "The name.", "url: String": "The address of the page."},
)
