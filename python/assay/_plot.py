"""Charts with matplotlib, which is imported when one is drawn: rankings, loss-data curves, scores under priors."""
from ._curve import CurveResult
from ._prior import PriorResult
from ._rank import RankResult


def plot(result, ax=None, **options):
    """The chart of a result on `ax`, or on a new one: a ranking with intervals (``metric=``), the curves of a
    loss-data study, or the expectation of every model under each prior (``value=``)."""
    draw = next((draw for kind, draw in _CHARTS.items() if isinstance(result, kind)), None)
    if draw is None:
        raise TypeError(f"there is no chart of a {type(result).__name__}; its page has some: to_html()")
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError("plot() needs matplotlib: pip install matplotlib; without it there is to_html()") from None
        _, ax = pyplot.subplots()
    return draw(result, ax, **options)


def _ranking(result, ax, metric=None):
    """A dot per model, best at the top, with the interval of its score; models that failed are named below."""
    metric = result.shown(metric)
    names = [model["name"] for model in result]
    for place, (value, low, high) in enumerate(result.bars(metric)):
        if value is None:
            continue
        tied = result.models[place]["tie_group"] == 1
        errors = None if low is None or high is None else [[max(value - low, 0.0)], [max(high - value, 0.0)]]
        ax.errorbar([value], [place], xerr=errors, fmt="o", capsize=3, color="tab:blue" if tied else "tab:gray")
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlabel(metric)
    _name_failures(result, ax)
    return ax


def _curves(result, ax):
    """Validation loss against labels, both axes logarithmic."""
    for model in result:
        sizes, losses = result.curve(model["name"])
        ax.plot(sizes, losses, marker="o", markersize=3, label=model["name"])
    ax.set(xscale="log", yscale="log", xlabel="labels", ylabel="validation loss (nats)")
    ax.legend()
    _name_failures(result, ax)
    return ax


def _under_priors(result, ax, value="expectation_per_pair"):
    """A line per model and prior over the temperatures."""
    lines = {}
    for row in result:
        found = row.get(value)
        found = found.get("value") if isinstance(found, dict) else found
        if not isinstance(found, (int, float)):
            raise KeyError(f"'{value}' is no number of these results; there are "
                           + ", ".join(key for key, one in row.items() if isinstance(one, (int, float)) and key != "temperature"))
        lines.setdefault((row["prior"], row["name"]), []).append((row["temperature"], found))
    several = len({prior for prior, _ in lines}) > 1
    for (prior, name), points in lines.items():
        ax.plot(*zip(*sorted(points)), marker="o", label=f"{name} ({prior})" if several else name)
    ax.set(xscale="log", xlabel="temperature", ylabel=value)
    ax.legend()
    _name_failures(result, ax)
    return ax


def _name_failures(result, ax):
    if result.failed:
        ax.set_title("failed: " + ", ".join(one["name"] for one in result.failed), color="tab:red", fontsize="small")


_CHARTS = {RankResult: _ranking, CurveResult: _curves, PriorResult: _under_priors}
