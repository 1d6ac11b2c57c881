from typing import Any, Callable, Mapping, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

__version__: str

_Models = Sequence[Tuple[str, NDArray[Any], Optional[NDArray[Any]]]]
_Numbers = Mapping[str, float]

class FittedFeatures:
    @property
    def score(self) -> float: ...
    @property
    def flags(self) -> list[str]: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def alphas(self) -> list[float]: ...
    @property
    def betas(self) -> list[float]: ...
    def predict(self, features: NDArray[Any], run: Mapping[str, Any]) -> Tuple[NDArray[np.float64], NDArray[np.float64]]: ...

def fit(features: NDArray[Any], labels: NDArray[Any], run: Mapping[str, Any]) -> FittedFeatures: ...
def rank(
    models: _Models,
    inputs: Sequence[str],
    labels: NDArray[Any] | str | None,
    groups: NDArray[Any] | str | None,
    metrics: str,
    by: str,
    ci: float,
    subsample: str,
    switches: Mapping[str, bool],
    run: Mapping[str, Any],
) -> dict[str, str]: ...
def has_html_page() -> bool: ...
def html_page(results: Sequence[str]) -> str: ...
def metrics() -> list[dict[str, Any]]: ...
def evaluate(
    dataset: str,
    scores: Sequence[Tuple[str, _Numbers]],
    truth_column: str,
    truth: _Numbers,
    baselines: Sequence[Tuple[str, _Numbers]],
    dims: _Numbers,
    lower_is_better: Sequence[str],
) -> dict[str, str]: ...
def prior_columns(
    json: str,
) -> Tuple[list[Tuple[str, dict[str, float]]], dict[str, float], list[str]]: ...
def weighted_tau(x: Sequence[float], y: Sequence[float]) -> float | None: ...
def loss_data_curve(
    models: _Models,
    learners: Mapping[str, Callable[..., Any]],
    labels: NDArray[Any],
    validation: _Models,
    validation_labels: NDArray[Any] | None,
    options: Mapping[str, Any],
    run: Mapping[str, Any],
) -> dict[str, Any]: ...
def prior_score(
    models: _Models,
    priors: Sequence[Sequence[Tuple[str, str, Any]]],
    labels: NDArray[Any] | None,
    options: Mapping[str, Any],
    run: Mapping[str, Any],
) -> dict[str, str]: ...
def prior_sample(
    parts: Sequence[Tuple[str, str, Any]],
    classes: int,
    tasks: int,
    sweeps: int,
    options: Mapping[str, Any],
    run: Mapping[str, Any],
) -> Tuple[NDArray[np.int32], dict[str, str]]: ...
def prior_probe(
    models: _Models,
    tasks: NDArray[np.int32],
    prior: Sequence[Tuple[str, str, Any]],
    options: Mapping[str, Any],
    run: Mapping[str, Any],
) -> dict[str, str]: ...
def robust_score(
    models: Mapping[str, Mapping[str, NDArray[Any]]], options: Mapping[str, Any], run: Mapping[str, Any]
) -> dict[str, str]: ...
def robust_probe(options: Mapping[str, Any], run: Mapping[str, Any]) -> dict[str, str]: ...
def b_tuning_targets(
    teachers: _Models, initial: NDArray[Any], labels: NDArray[Any], temperature: float, run: Mapping[str, Any]
) -> dict[str, Any]: ...
