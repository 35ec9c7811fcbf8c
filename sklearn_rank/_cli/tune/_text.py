"""What `tune` says about the comparison."""

from sklearn_rank._cli._layout import bold
from sklearn_rank._cli._paired import LEVEL
from sklearn_rank._cli._text_tables import describe_paired, describe_reports
from sklearn_rank._cli.tune._comparison import RecommenderComparison
from sklearn_rank._cli.tune._contenders import TUNED
from sklearn_rank._cli.tune._means import Mean
from sklearn_rank._cli.tune._recommenders import RECOMMENDERS
from sklearn_rank._text_table import BEST, beside, wrapped

MARK = "*"


def titles(comparison: RecommenderComparison) -> dict[str, str]:
    """Return the titles of the models to show, best first."""
    return {
        name: comparison.titles[name] + " (tuned)" * (name == TUNED)
        for name in comparison.shown
    }


def short_titles(comparison: RecommenderComparison) -> dict[str, str]:
    """Return the same without the values of the candidates."""
    return {
        name: comparison.titles[name].partition(", ")[0] + " (tuned)" * (name == TUNED)
        for name in comparison.shown
    }


def describe_comparison(comparison: RecommenderComparison, width: int) -> str:
    """Return the table of the models on the rows held out and what it means."""
    judged = f"On the {comparison.held_out}, mean {comparison.metric} over users"
    lower = ", lower is better" if comparison.lower_is_better else ""
    error = "± error"
    lines = [
        wrapped(f"{judged}{lower}, with its standard error and interval:", width),
        f"    mean   {error}  {_percent()} interval",
    ]
    for name, title in titles(comparison).items():
        mean = comparison.means[name]
        row = beside(_numbers(mean), title + f"  {BEST}" * mean.is_best, width)
        lines += map(bold, row) if name == TUNED else row
    lines += [wrapped(text, width) for text in _notes(comparison)]
    reports = {
        title: comparison.report[name] for name, title in short_titles(comparison).items()
    }
    lines += ["", *describe_reports(reports, comparison.metric, "users", width)]
    lines += ["", *(wrapped(text, width) for text in verdict(comparison))]
    return "\n".join(lines)


def verdict(comparison: RecommenderComparison) -> list[str]:
    """Return in words whether tuning was worth it."""
    lines = []
    if comparison.chosen is not None:
        title = RECOMMENDERS[comparison.chosen].title
        lines = [
            f"The search chose {title}: no other candidate did better in validation. "
            f"The tuned model does not beat {title}; it is {title}."
        ]
    for baseline in comparison.baselines:
        if baseline != comparison.chosen:
            lines.append(_against(comparison, baseline))
    return lines


def _notes(comparison: RecommenderComparison) -> list[str]:
    """Return what the marks of the table mean."""
    means = {name: comparison.means[name] for name in comparison.shown}
    if len(means) < 2:
        return []
    if any(mean.low is None for mean in means.values()):
        return ["One user has no interval: chance alone may explain every difference."]
    may_be_best = [mean for mean in means.values() if mean.may_be_best]
    if len(may_be_best) < 2:
        return ["The best is better than each other model by more than chance explains."]
    return [
        f"{MARK} may be as good as the best: chance may explain the difference (paired t "
        f"tests of all pairs, p corrected by Holm, above {1 - LEVEL:.2g})."
    ]


def _numbers(mean: Mean) -> str:
    mark = MARK if mean.may_be_best and not mean.is_best else " "
    if mean.standard_error is None:
        return f"  {mean.mean:6.4f}{mark}"
    interval = f"{mean.low:.4f} to {mean.high:.4f}"
    return f"  {mean.mean:6.4f}{mark}  {mean.standard_error:6.4f}   {interval}"


def _percent() -> str:
    return f"{100 * LEVEL:g} %"


def _against(comparison: RecommenderComparison, baseline: str) -> str:
    tuned, other = comparison.means[TUNED].mean, comparison.means[baseline].mean
    beats = "beats" if comparison.beats(baseline) else "does not beat"
    return (
        f"The tuned model {beats} {RECOMMENDERS[baseline].title} on the "
        f"{comparison.held_out}: {comparison.metric} {tuned:.4f} against {other:.4f}. "
        + describe_paired(comparison.against[baseline], "user")
    )
