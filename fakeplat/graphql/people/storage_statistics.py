"""How much top-level namespaces store. Source: docs/platform/graphql.md ('Members and groups')."""

from collections.abc import Mapping
from typing import Final

from fakeplat.domain import statistics
from fakeplat.graphql.people.groups import BOTH
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.people import Namespace
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

Sizes = Mapping[str, int | bool]
STORAGE: Final = Type("RootStorageStatistics", "How much a top-level namespace stores.")


def root_storage_statistics(ctx: ReadContext, namespace: object) -> Sizes | None:
    """How much all projects together store, for Owners; null below the top level."""
    is_root = isinstance(namespace, Namespace) and namespace.parent_id is None
    if not isinstance(namespace, Namespace) or not is_root or not can(ctx, Ability.ADMIN_NAMESPACE, namespace):
        return None
    return statistics.root_statistics(ctx, namespace)


for _type in BOTH:
    _type.field("rootStorageStatistics: RootStorageStatistics")(root_storage_statistics)


def _declare(signature: str, key: str, description: str, since: str = "") -> None:
    def size(_ctx: ReadContext, sizes: Sizes) -> int | bool:
        return sizes[key]

    STORAGE.field(signature, since=since, description=description)(size)


_declare("storageSize: Float!", "storage_size", "All together.")
_declare("repositorySize: Float!", "repository_size", "Repositories.")
_declare("lfsObjectsSize: Float!", "lfs_objects_size", "Large files.")
_declare("buildArtifactsSize: Float!", "build_artifacts_size", "Artifacts of jobs.")
_declare("packagesSize: Float!", "packages_size", "Packages.")
_declare("wikiSize: Float!", "wiki_size", "Wikis.")
_declare("snippetsSize: Float!", "snippets_size", "Snippets.")
_declare("pipelineArtifactsSize: Float!", "pipeline_artifacts_size", "Artifacts of pipelines.", "<=13.6")
_declare("uploadsSize: Float!", "uploads_size", "Uploads.", "<=13.7")
_declare("dependencyProxySize: Float!", "dependency_proxy_size", "What the dependency proxy keeps.", "<=14.9")
_declare("containerRegistrySize: Float!", "container_registry_size", "Images.", "<=15.3")
_declare(
    "registrySizeEstimated: Boolean!",
    "container_registry_size_is_estimated",
    "Whether the size of images is estimated.",
    "<=16.2",
)
_declare(
    "containerRegistrySizeIsEstimated: Boolean!",
    "container_registry_size_is_estimated",
    "Whether the size of images is estimated.",
    "<=16.3",
)
_declare("costFactoredStorageSize: Float!", "storage_size", "What counts, with a discount for forks.", "16.2")
