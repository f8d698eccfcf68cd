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


STORAGE.attributes(
    {
        "storageSize: Float!": "All together.",
        "repositorySize: Float!": "Repositories.",
        "lfsObjectsSize: Float!": "Large files.",
        "buildArtifactsSize: Float!": "Artifacts of jobs.",
        "packagesSize: Float!": "Packages.",
        "wikiSize: Float!": "Wikis.",
        "snippetsSize: Float!": "Snippets.",
    }
)
STORAGE.attributes({"pipelineArtifactsSize: Float!": "Artifacts of pipelines."}, since="<=13.6")
STORAGE.attributes({"uploadsSize: Float!": "Uploads."}, since="<=13.7")
STORAGE.attributes({"dependencyProxySize: Float!": "What the dependency proxy keeps."}, since="<=14.9")
STORAGE.attributes({"containerRegistrySize: Float!": "Images."}, since="<=15.3")
STORAGE.attributes(
    {"containerRegistrySizeIsEstimated: Boolean!": "Whether the size of images is estimated."}, since="<=16.3"
)


@STORAGE.field("registrySizeEstimated: Boolean!", since="<=16.2")
def is_registry_size_estimated(_ctx: ReadContext, sizes: Sizes) -> bool:
    """Whether the size of images is estimated."""
    return bool(sizes["container_registry_size_is_estimated"])


@STORAGE.field("costFactoredStorageSize: Float!", since="16.2")
def count_cost_factored_size(_ctx: ReadContext, sizes: Sizes) -> int:
    """What counts, with a discount for forks."""
    return sizes["storage_size"]
