"""Differences between the specification and the platform, which ``instance.documented`` decides.

With ``documented: true`` (the default) the specification's behaviour is served, with ``false`` the platform's own.
Source: docs/decisions/rulings.md.
"""

from enum import IntEnum

from fakeplat.model.world import World


class Ruling(IntEnum):
    """The rulings, by their numbers in docs/decisions/rulings.md and named after what the specification says."""

    MERGE_REQUESTS_REQUIRE_LOGIN = 1
    TAKEN_USER_ATTRIBUTE_IS_NOT_FOUND = 2
    SNIPPET_VISIBILITY_IS_OPTIONAL = 4
    ANONYMOUS_GROUP_PROJECTS_ARE_SIMPLE = 5
    ALERT_TITLE_IS_REQUIRED = 9
    BLOCKING_LINKS_ARE_FREE = 12
    OBSOLETE_FIELDS_ARE_SHOWN = 13
    JOB_TOKEN_PARAMETERS_ARE_PAID = 19
    APPROVED_BY_IDS_ARE_CUT_TO_FIVE = 20
    FIELDS_ARE_AS_SPECIFIED = 32
    FORBIDDEN_REASONS_HAVE_ONE_SPACE = 33
    ENVIRONMENT_SCOPES_ARE_PAID = 38
    CLUSTER_TEXTS_ARE_AS_RECORDED = 39
    CHATS_SHARE_PARAMETERS = 43
    OTHER_METHODS_ARE_NOT_ALLOWED = 44

    def holds(self, world: World) -> bool:
        """Return whether the specification's behaviour is served."""
        return world.instance.documented
