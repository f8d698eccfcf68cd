"""Authentication and authorization: callers, access levels, abilities and the levels that these need."""
