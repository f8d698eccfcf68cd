"""The platform's actions and rules: the only code that changes a world.

`receivers` connects the signals. These modules register scheduled tasks, quick actions and event targets when imported,
so the package imports them all; other modules are imported where they are used.
"""

from fakeplat.domain import receivers  # noqa: F401  # connects the signals
from fakeplat.domain.alerts import incidents  # noqa: F401  # registers on import
from fakeplat.domain.ci import bridges, job_timeouts, pipeline_schedules, playback  # noqa: F401  # registers on import
from fakeplat.domain.deployments import environment_stops  # noqa: F401  # registers on import
from fakeplat.domain.epics import epics  # noqa: F401  # registers on import
from fakeplat.domain.hooks import webhooks  # noqa: F401  # registers on import
from fakeplat.domain.import_export import exports, imports  # noqa: F401  # registers on import
from fakeplat.domain.issues import issues  # noqa: F401  # registers on import
from fakeplat.domain.mail import daily_jobs  # noqa: F401  # registers on import
from fakeplat.domain.merge_requests import (  # noqa: F401  # registers on import
    merge_checks,
    merge_request_history,
    merge_request_pushes,
    rebasing,
)
from fakeplat.domain.notes import notes  # noqa: F401  # registers on import
from fakeplat.domain.people import groups, members  # noqa: F401  # registers on import
from fakeplat.domain.planning import milestones  # noqa: F401  # registers on import
from fakeplat.domain.projects import forks, projects, shares  # noqa: F401  # registers on import
from fakeplat.domain.quick_actions import (
    commit_commands,  # noqa: F401  # registers on import
    epic_commands,  # noqa: F401  # registers on import
    issuable_commands,  # noqa: F401  # registers on import
    issue_commands,  # noqa: F401  # registers on import
    issue_effects,  # noqa: F401  # registers on import
    merge_request_commands,  # noqa: F401  # registers on import
    merge_request_effects,  # noqa: F401  # registers on import
    noteable_commands,  # noqa: F401  # registers on import
)
from fakeplat.domain.registry import (  # noqa: F401  # registers on import
    cleanup_policies,
    container_repositories,
    tag_cleanups,
)
from fakeplat.domain.releases import evidences  # noqa: F401  # registers on import
from fakeplat.domain.wikis import page_events  # noqa: F401  # registers on import
