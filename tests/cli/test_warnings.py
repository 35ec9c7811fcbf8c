"""What the package warns of reaches users of commands as a line."""

import warnings

import pytest

from sklearn_rank._base._messages import warn_misleading
from sklearn_rank._cli._printing import print_warnings_as_notes


def test_a_warning_is_a_note_printed_once(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        with print_warnings_as_notes():
            for _ in range(2):
                warn_misleading("No order\ncan be wrong.")
            warnings.warn("And this.", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == (
        "sklearn-rank: note: No order can be wrong.\nsklearn-rank: note: And this.\n"
    )


def test_warnings_for_developers_stay_what_they_are(capsys):
    with pytest.warns(FutureWarning, match="soon") as caught, print_warnings_as_notes():
        warnings.warn("soon", FutureWarning, stacklevel=1)
    assert caught[0].filename == __file__
    assert not capsys.readouterr().err
