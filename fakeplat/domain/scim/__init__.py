"""SCIM: provisioning of the members of groups by identity providers."""
