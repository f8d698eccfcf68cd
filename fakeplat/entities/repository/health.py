"""The view of a report about a repository. Source: docs/platform/repository.md ('Health')."""

from typing import Any, Final

from fakeplat.core.operations.entity import Entity, computed, computed_if, constant, nested
from fakeplat.model.repository import HealthReport, Repository
from fakeplat.policy.behaviours import HEALTH_HAS_MORE_PARTS

_EMPTY: Final = HealthReport(0, 0, 0, "")


class RepositoryHealthView(Entity[Repository]):
    """A report. All objects and references are loose, and nothing is stale."""

    size = nested("health.size", int)

    @computed
    def references(self) -> dict[str, Any]:
        return {
            "loose_count": self._report.references,
            "packed_size": 0,
            "reference_backend": "REFERENCE_BACKEND_FILES",
        }

    @computed
    def objects(self) -> dict[str, int]:
        sizes = {"size": self._report.size, "recent_size": self._report.size, "stale_size": 0, "keep_size": 0}
        if not self.ctx.profile.has(HEALTH_HAS_MORE_PARTS):
            return sizes
        return {
            **sizes,
            "packfile_count": 0,
            "reverse_index_count": 0,
            "cruft_count": 0,
            "keep_count": 0,
            "loose_objects_count": self._report.objects,
            "stale_loose_objects_count": 0,
            "loose_objects_garbage_count": 0,
        }

    @computed_if(since="18.1")
    def commit_graph(self) -> dict[str, Any]:
        return {
            "commit_graph_chain_length": 0,
            "has_bloom_filters": False,
            "has_generation_data": False,
            "has_generation_data_overflow": False,
        }

    bitmap = constant(None, dict[str, Any] | None, since="18.1")
    multi_pack_index = constant(None, dict[str, Any] | None, since="18.1")
    multi_pack_index_bitmap = constant(None, dict[str, Any] | None, since="18.1")
    alternates = constant(None, dict[str, Any] | None, since="18.1")
    is_object_pool = constant(value=False, kind=bool, since="18.1")
    last_full_repack = constant(None, dict[str, Any] | None, since="18.1")
    updated_at = nested("health.updated_at", str)

    @property
    def _report(self) -> HealthReport:
        return self.record.health or _EMPTY
