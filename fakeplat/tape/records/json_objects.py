"""Access to the JSON objects in responses, without fields of an unexpected type."""

from collections.abc import Iterator
from typing import Any, Final

Document = dict[str, Any]

_NUMBERS: Final = (
    "id iid project_id group_id creator_id mirror_user_id moved_to_id file_template_project_id issue_link_id "
    "source_project_id star_count upvotes downvotes user_notes_count access_level priority"
)
_TEXTS: Final = (
    "username name path full_path path_with_namespace title body state created_at updated_at key value kind avatar_url "
    "version merge_status base_commit_sha start_commit_sha head_commit_sha"
)
_OBJECTS: Final = (
    "author closed_by milestone namespace forked_from_project time_stats permissions project_access group_access user "
    "container_expiration_policy"
)
_LISTS: Final = "assignees labels shared_with_groups custom_attributes"
_TYPES: Final = {
    name: (kind, type(None))
    for kind, names in ((int, _NUMBERS), (str, _TEXTS), (dict, _OBJECTS), (list, _LISTS))
    for name in names.split()
}
"""The expected types of fields."""


def iterate_objects(body: object) -> Iterator[Document]:
    """Iterate over the objects in a body or value (an object or a list), without fields of an unexpected type."""
    # ``isinstance`` with ``object`` accepts anything, so fields without an expected type pass.
    for item in body if isinstance(body, list) else [body]:
        if isinstance(item, dict):
            yield {name: value for name, value in item.items() if isinstance(value, _TYPES.get(name, object))}
