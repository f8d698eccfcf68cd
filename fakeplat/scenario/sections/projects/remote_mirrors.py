"""Remote mirrors of projects."""

from typing import Final

from fakeplat.domain.projects import remote_mirrors
from fakeplat.model.projects import RemoteMirror
from fakeplat.scenario.record_sections import derive_section

SECTION: Final = derive_section(
    "remote_mirrors", RemoteMirror, within=("project",), required=("url",), add=remote_mirrors.create
)
