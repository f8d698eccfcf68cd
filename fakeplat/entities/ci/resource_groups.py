"""Views of resource groups. Source: docs/platform/deployments.md."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.model.resource_groups import ResourceGroup


class ResourceGroupView(Entity[ResourceGroup]):
    """A resource group."""

    id = attr()
    key = attr()
    process_mode = attr()
    created_at = attr()
    updated_at = attr()
