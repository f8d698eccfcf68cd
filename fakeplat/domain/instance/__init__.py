"""Rules of the instance's administration."""
