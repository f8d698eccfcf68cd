"""The file formats of recordings: tapes, HAR and VCR."""
