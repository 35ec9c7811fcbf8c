"""Ids of any type as integer codes."""
