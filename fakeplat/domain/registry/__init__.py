"""The container registry: image repositories, tags, cleanups and access tokens."""
