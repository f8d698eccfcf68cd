"""Templates of files: Dockerfiles, ignored files, CI configurations and licences."""
