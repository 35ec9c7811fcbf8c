"""scikit-learn's callbacks where it has them (1.9 and newer), and nothing elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

Method = TypeVar("Method")

try:
    if TYPE_CHECKING:  # for scikit-learn does not say the types of its own

        def with_callbacks(fit: Method) -> Method:
            """Return the method with callbacks."""
            return fit

    else:
        from sklearn.callback import with_callbacks

except ImportError:

    def with_callbacks(fit: Method) -> Method:
        """Return the method as it is."""
        return fit


@contextmanager
def fit_task(estimator: Any, X: Any, y: Any) -> Iterator[None]:
    """Tell the callbacks of an estimator that its fit begins, and that it ended."""
    # The underscore is scikit-learn's: its guide names the method as the one to call.
    begin = getattr(estimator, "_init_callback_context", None)
    if begin is None:
        yield
        return
    context = begin().call_on_fit_task_begin(estimator=estimator, X=X, y=y)
    yield
    context.call_on_fit_task_end(estimator=estimator, X=X, y=y)
