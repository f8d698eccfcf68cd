"""Push rules of projects and groups."""

from fakeplat.core.store.frozen import frozen


@frozen
class PushRule:
    """What commits, files and branches must comply with. ``source`` is ("project" or "group", id).

    The rule of a group is copied to the projects and subgroups that are created in it. Expressions are those of RE2.
    ``max_file_size`` is in MiB, 0 for no limit.
    """

    id: int
    source: tuple[str, int]
    created_at: str
    commit_message_regex: str | None = None
    commit_message_negative_regex: str | None = None
    branch_name_regex: str | None = None
    deny_delete_tag: bool = False
    member_check: bool = False
    prevent_secrets: bool = False
    author_email_regex: str | None = None
    file_name_regex: str | None = None
    max_file_size: int = 0
    commit_committer_check: bool | None = None
    reject_unsigned_commits: bool | None = None
