"""Tests of the tests: change one thing, and report the changes that no test detects."""
