"""OAuth and sign-in: operations and pages."""
