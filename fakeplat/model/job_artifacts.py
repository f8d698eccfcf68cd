"""Files that jobs left: archives of their artifacts, and reports."""

from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Final, Literal

from fakeplat.core.store.frozen import frozen

FileType = Literal[
    "archive",
    "metadata",
    "trace",
    "junit",
    "sast",
    "dependency_scanning",
    "container_scanning",
    "dast",
    "codequality",
    "license_management",
    "license_scanning",
    "performance",
    "metrics",
    "metrics_referee",
    "network_referee",
    "lsif",
    "dotenv",
    "cobertura",
    "terraform",
    "accessibility",
    "cluster_applications",
    "secret_detection",
    "requirements",
    "coverage_fuzzing",
    "browser_performance",
    "load_performance",
]
FileFormat = Literal["raw", "zip", "gzip"]

_RAW: Final[FileFormat] = "raw"
FORMATS: Final[Mapping[str, FileFormat]] = MappingProxyType(
    {
        "archive": "zip",
        "metadata": "gzip",
        "trace": _RAW,
        "junit": "gzip",
        "metrics": "gzip",
        "metrics_referee": "gzip",
        "network_referee": "gzip",
        "dotenv": "gzip",
        "cobertura": "gzip",
        "cluster_applications": "gzip",
        "lsif": "zip",
        "sast": _RAW,
        "secret_detection": _RAW,
        "dependency_scanning": _RAW,
        "container_scanning": _RAW,
        "dast": _RAW,
        "license_management": _RAW,
        "license_scanning": _RAW,
        "accessibility": _RAW,
        "codequality": _RAW,
        "performance": _RAW,
        "browser_performance": _RAW,
        "load_performance": _RAW,
        "terraform": _RAW,
        "requirements": _RAW,
        "coverage_fuzzing": _RAW,
    }
)
"""The only format that the platform accepts for each type of file."""

REPORT_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "junit": "junit.xml",
        "accessibility": "gl-accessibility.json",
        "codequality": "gl-code-quality-report.json",
        "sast": "gl-sast-report.json",
        "secret_detection": "gl-secret-detection-report.json",
        "dependency_scanning": "gl-dependency-scanning-report.json",
        "container_scanning": "gl-container-scanning-report.json",
        "dast": "gl-dast-report.json",
        "license_management": "gl-license-management-report.json",
        "license_scanning": "gl-license-scanning-report.json",
        "performance": "performance.json",
        "browser_performance": "browser-performance.json",
        "load_performance": "load-performance.json",
        "metrics": "metrics.txt",
        "lsif": "lsif.json",
        "dotenv": ".env",
        "cobertura": "cobertura-coverage.xml",
        "terraform": "tfplan.json",
        "cluster_applications": "gl-cluster-applications.json",
        "requirements": "requirements.json",
        "coverage_fuzzing": "gl-coverage-fuzzing.json",
    }
)
"""The file names of reports, without the suffix of their format."""


@frozen
class JobArtifact:
    """A file that a job left; each job has at most one of each type.

    ``expire_at`` is when it is no longer there; None means never. The log of a finished job has no format.
    """

    id: int
    job_id: int
    project_id: int
    file_type: FileType
    file_format: FileFormat | None
    filename: str
    content: bytes
    created_at: str
    expire_at: str | None = None

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.content)

    @property
    def digest(self) -> str:
        """The SHA-256 of the content."""
        return sha256(self.content).hexdigest()
