"""URLs of records, as views use them. The domain has them, because webhooks contain them, too."""

from fakeplat.domain.urls import (
    SYSTEM,
    api_url,
    avatar_url,
    blob_url,
    container_url,
    generated_avatar_url,
    http_url,
    namespace_url,
    project_path,
    project_url,
    release_url,
    ssh_url,
    ssh_url_of_path,
    tree_url,
    user_avatar_url,
    user_url,
)

__all__ = [
    "SYSTEM",
    "api_url",
    "avatar_url",
    "blob_url",
    "container_url",
    "generated_avatar_url",
    "http_url",
    "namespace_url",
    "project_path",
    "project_url",
    "release_url",
    "ssh_url",
    "ssh_url_of_path",
    "tree_url",
    "user_avatar_url",
    "user_url",
]
