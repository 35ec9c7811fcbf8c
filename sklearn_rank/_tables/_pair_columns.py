"""Find the columns of X with users and items if they are not named."""

from dataclasses import dataclass
from typing import Any

from sklearn_rank._tables._columns import (
    has_names,
    is_same_column,
    position_of,
    rows_as_table,
)
from sklearn_rank._validation import shorten
from sklearn_rank._values._has_rows import has_rows

# The role of a column, and its position in arrays.
_ROLES = {"user": 0, "item": 1}


@dataclass(frozen=True)
class FittedColumn:
    """A column that an estimator was fitted with: its name, if X had names, and position.

    Steps of a pipeline that come before the estimator may have moved it.
    """

    owner: str
    name: Any
    position: int
    n_columns: int
    may_have_moved: bool

    @property
    def label(self) -> Any:
        """The column as a user would write it."""
        return self.position if self.name is None else self.name

    def find(self, X: Any, names: list | None) -> Any:
        """Return the matching column of X, None if it is not certain."""
        if self.name is not None and self.name in (names or ()):
            return self.name
        has_as_many = count_columns(X) == self.n_columns
        return self.position if has_as_many and not self.may_have_moved else None

    def place(self, X: Any, names: list | None) -> int | None:
        """Return its position in an X like that of `fit`, else None."""
        n_columns = count_columns(X)
        may_be = names is None and not self.may_have_moved and self.position < n_columns
        return self.position if may_be or n_columns == self.n_columns else None


FittedPair = dict[str, FittedColumn]


def pair_columns(
    X: Any,
    user: Any,
    item: Any,
    *,
    fitted: FittedPair | None = None,
    name: str = "X",
    otherwise: str = "",
) -> tuple[Any, Any]:
    """Return the columns of X with users and with items.

    A column is the one given; else that of the `fitted` estimator, by name; else one of the
    usual names; else a position: that of the fitted estimator or, without names in X, 0 and
    1. `otherwise` ends the error if no column is found. `name` is the name of X.
    """
    if user is None:
        user = _find(X, "user", fitted, name, otherwise)
    if item is None:
        item = _find(X, "item", fitted, name, otherwise)
    if is_same_column(user, item):
        raise ValueError(
            f"`user` and `item` are both {shorten(user)}; they must name two columns."
        )
    return user, item


def check_agrees(
    X: Any, role: str, given: Any, fitted: FittedColumn, *, owner: str, kind: str
) -> None:
    """Raise if a column given to a scorer is not the one that the model learned from."""
    known = fitted.find(X, column_names(X))
    if known is None:
        return
    if position_of(X, given, name=role) != position_of(X, known, name=role):
        raise ValueError(
            f"{owner} got {role}={shorten(given)}, but {fitted.owner} was fitted with "
            f"{role}={shorten(fitted.label)}. Leave {role}= out of the {kind}."
        )


def named_column(names: list | None, role: str, *, name: str = "X") -> Any:
    """Return the column with a usual name of users or items; None if not found."""
    own = {one for one in names or () if isinstance(one, str) and _is_named(one, role)}
    if len(own) > 1:
        one, other = sorted(own)[:2]
        raise ValueError(
            f"{name} has the columns {one!r} and {other!r}, which may both hold the "
            f"{role}s. Name one: {role}=."
        )
    return next(iter(own), None)


def column_names(X: Any) -> list | None:
    """Return the names of the columns of X, None if they have no names."""
    if not has_names(X):
        return None
    names = list(X.columns if hasattr(X, "columns") else X.dtype.names)
    return None if names == list(range(len(names))) else names


def count_columns(X: Any) -> int:
    """Return how many columns X has."""
    names = column_names(X)
    if names is not None:
        return len(names)
    first = X[:1] if has_rows(X) else X
    shape = X.shape if hasattr(X, "shape") else rows_as_table(first).shape
    return shape[1] if len(shape) > 1 else 1


def _find(X: Any, role: str, pair: FittedPair | None, name: str, otherwise: str) -> Any:
    names = column_names(X)
    fitted = None if pair is None else pair[role]
    if fitted is not None and fitted.name is not None and fitted.name in (names or ()):
        return fitted.name
    named = named_column(names, role, name=name)
    if named is not None:
        return named
    if fitted is not None:
        place = fitted.place(X, names)
    else:
        place = _ROLES[role] if names is None else None
    if place is None:
        raise ValueError(
            f"No column of {name} is named '{role}' or '{role}_id'; {name} has "
            f"{'no names' if names is None else shorten(names)}. Name it: {role}=, a name "
            f"or a position. {otherwise}".rstrip()
        )
    return place


def _is_named(name: str, role: str) -> bool:
    plain = name.lower().translate(_IGNORED)
    return plain in (role, f"{role}id")


_IGNORED = str.maketrans("", "", "-_ ")
