"""The view of a rule about who may write a state of Terraform."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.model.terraform import TerraformStateProtectionRule


class StateProtectionRuleView(Entity[TerraformStateProtectionRule]):
    """A rule that protects a state of Terraform."""

    id = attr()
    project_id = attr()
    state_name = attr()
    minimum_access_level_for_write = attr()
    allowed_from = attr()
