"""OAuth: applications, authorization and tokens."""
