"""Merge requests: checks, merging, approvals, versions and pushes."""
