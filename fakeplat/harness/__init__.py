"""What a test gets: a world, its server, and hands to reach both."""
