"""What each record shows, and to whom: simple views first, fuller ones by inheritance."""
