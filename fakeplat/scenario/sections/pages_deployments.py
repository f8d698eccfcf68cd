"""Deployments of the pages of projects."""

from typing import Final

from fakeplat.domain.pages_domains import page_deployments
from fakeplat.model.pages_domains import PagesDeployment
from fakeplat.scenario.record_sections import derive_section

SECTION: Final = derive_section("pages_deployments", PagesDeployment, within=("project",), add=page_deployments.add)
