"""Export of scenarios from live servers and from tapes."""
