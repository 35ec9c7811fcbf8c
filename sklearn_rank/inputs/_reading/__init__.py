"""Read judgments and ranked lists from files of any usual form."""
