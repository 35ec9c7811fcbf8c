"""Scripts are run by their test, and checked by `check.py`; doctests are not in them."""

collect_ignore_glob = ["right/*", "wrong/*", "check.py"]
