"""The records that views of a world show: how each is rendered, and which records belong to it."""
