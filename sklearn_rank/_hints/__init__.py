"""Errors for names, keywords and attributes that do not exist here."""
