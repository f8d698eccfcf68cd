"""Projects and their subresources."""
