import os
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Tuple, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import compat as compat

__version__: str

Path = Union[str, "os.PathLike[str]"]
Progress = Union[bool, None, Callable[[float, str], Any]]
Memory = Union[str, int, None]
Learner = Callable[[NDArray[np.int64], NDArray[np.int64]], Union[float, Tuple[float, float]]]
Pool = Union[None, str, Callable[[NDArray[Any]], ArrayLike]]
Prior = Any  # features, labels_prior(...), views_prior(...), kernel_prior(...) or a tuple of these

class CopyWarning(UserWarning): ...
class InputNote(UserWarning): ...
class FailedModelWarning(UserWarning): ...

class _Result:
    data: dict[str, Any]
    @classmethod
    def from_json(cls, source: Path) -> Any: ...
    def __getitem__(self, key: str) -> Any: ...
    def __contains__(self, key: object) -> bool: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __len__(self) -> int: ...
    @property
    def failures(self) -> str: ...
    def to_pandas(self) -> Any: ...
    def to_csv(self) -> str: ...
    def plot(self, **options: Any) -> Any: ...
    @property
    def models(self) -> list[dict[str, Any]]: ...
    @property
    def failed(self) -> list[dict[str, str]]: ...
    def to_json(self, **options: Any) -> str: ...
    def rows(self) -> list[dict[str, Any]]: ...
    def table(self) -> Any: ...
    def _repr_html_(self) -> str: ...
    def to_html(self, path: Optional[Path] = ...) -> Optional[str]: ...

class BTuningTargets:
    columns: list[str]
    targets: NDArray[np.float16]
    m: NDArray[np.float32]
    weights: dict[str, float]
    logme: dict[str, float]
    def save(self, path: Path) -> None: ...

class RankResult(_Result):
    @property
    def verdict(self) -> str: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def best(self) -> str: ...
    @property
    def by(self) -> str: ...
    extraction: Extraction
    def scores(self, metric: str) -> dict[str, Optional[float]]: ...
    def bars(self, metric: Optional[str] = ...) -> list[Tuple[Optional[float], Optional[float], Optional[float]]]: ...

class Evaluation(_Result):
    @property
    def metrics(self) -> dict[str, dict[str, Any]]: ...

class CurveResult(_Result):
    notes: list[str]
    @property
    def answer(self) -> str: ...
    def curve(self, name: str) -> Tuple[list[int], list[float]]: ...
    def forecast(self, name: str) -> Tuple[list[float], list[float], list[float], list[float]]: ...

class PriorResult(_Result): ...

class PriorTasks(_Result):
    labels: NDArray[np.int32]

class ProbeResult(_Result):
    @property
    def correlation(self) -> dict[str, dict[str, Optional[float]]]: ...
class RobustProbeResult(_Result): ...
class RobustResult(_Result): ...
class TrackResult(_Result): ...

class Tracker:
    def __init__(
        self,
        labels: Optional[ArrayLike] = ...,
        prior: Any = ...,
        *,
        views: int = ...,
        by: Optional[str] = ...,
        ci: float = ...,
        seed: int = ...,
        threads: int = ...,
        memory_limit: Memory = ...,
    ) -> None: ...
    def update(self, step: float, features: Any, name: Optional[str] = ...) -> dict[str, Any]: ...
    def result(self) -> TrackResult: ...

class Moments:
    rows: int
    dim: int
    columns: list[str]
    def __init__(self, *, seed: int = ..., threads: int = ...) -> None: ...
    def update(self, features: ArrayLike, labels: ArrayLike) -> Moments: ...
    def __add__(self, other: Moments) -> Moments: ...
    def __iadd__(self, other: Moments) -> Moments: ...
    def __radd__(self, other: int) -> Moments: ...
    def save(self, path: Path, name: Optional[str] = ...) -> None: ...
    @classmethod
    def load(cls, path: Path) -> Moments: ...

class LogME:
    score_: float
    flags_: list[str]
    coef_: NDArray[np.float64]
    alpha_: NDArray[np.float64]
    beta_: NDArray[np.float64]
    classes_: NDArray[Any]
    n_features_in_: int
    def __init__(self, threads: int = ..., memory_limit: Memory = ...) -> None: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> LogME: ...
    def fit(self, X: ArrayLike, y: ArrayLike) -> LogME: ...
    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]: ...
    def predict(self, X: ArrayLike, return_std: bool = ...) -> Any: ...
    def score(self, X: ArrayLike, y: ArrayLike) -> float: ...

class LogMEClassifier(LogME):
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]: ...
    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]: ...

class LogMERegressor(LogME): ...

class Extraction(dict[str, NDArray[np.float32]]):
    labels: Optional[NDArray[Any]]
    groups: Optional[NDArray[np.int64]]
    failed: list[dict[str, str]]
    notes: list[str]
    seconds: dict[str, float]
    def save(self, folder: Path) -> None: ...

def extract(
    models: Any,
    data: Any,
    labels: Any = ...,
    *,
    layers: Union[None, str, Sequence[Union[str, int]]] = ...,
    pool: Pool = ...,
    pair: Optional[str] = ...,
    transform: Optional[Callable[[Any], Any]] = ...,
    column: Any = ...,
    batch_size: int = ...,
    max_length: Optional[int] = ...,
    device: Any = ...,
    precision: Optional[str] = ...,
    pretrained: bool = ...,
    cache: Union[None, bool, Path] = ...,
    progress: Progress = ...,
) -> Extraction: ...
def rank_models(models: Any, data: Any, labels: Any = ..., *, progress: Progress = ..., **options: Any) -> RankResult: ...
def load(source: Path) -> Any: ...
def pool(tokens: ArrayLike, how: Pool = ..., mask: Optional[ArrayLike] = ...) -> NDArray[Any]: ...
def entity_f1(truth: ArrayLike, predicted: ArrayLike, groups: Optional[ArrayLike] = ...) -> Optional[float]: ...
def patch_rows(
    features: ArrayLike, labels: ArrayLike, ignore: Any = ...
) -> Tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]: ...
def from_bfloat16(bits: ArrayLike) -> NDArray[np.float32]: ...
def rank(
    models: Union[Mapping[str, Any], ArrayLike, Path, Sequence[Path]],
    labels: Union[ArrayLike, Path, None] = ...,
    *,
    metric: Union[str, Sequence[str], None] = ...,
    metrics: Union[str, Sequence[str], None] = ...,
    by: Optional[str] = ...,
    ci: float = ...,
    probabilities: Optional[Mapping[str, ArrayLike]] = ...,
    groups: Union[ArrayLike, Path, None] = ...,
    center: Optional[bool] = ...,
    controls: bool = ...,
    refit: bool = ...,
    jackknife: str = ...,
    subsample: Optional[str] = ...,
    accuracy: bool = ...,
    test_rows: Optional[int] = ...,
    knn_exact_rows: Optional[int] = ...,
    soft_labels: bool = ...,
    source_weights: bool = ...,
    pactran: Optional[Mapping[str, float]] = ...,
    pool: Pool = ...,
    seed: int = ...,
    threads: int = ...,
    memory_limit: Memory = ...,
    progress: Progress = ...,
) -> RankResult: ...
def score(
    features: ArrayLike,
    labels: ArrayLike,
    metric: Union[str, Sequence[str]] = ...,
    *,
    probabilities: Optional[ArrayLike] = ...,
    center: Optional[bool] = ...,
    seed: int = ...,
    threads: int = ...,
    memory_limit: Memory = ...,
    progress: Progress = ...,
) -> Any: ...
def logme(
    features: ArrayLike,
    labels: ArrayLike,
    *,
    center: Optional[bool] = ...,
    threads: int = ...,
    memory_limit: Memory = ...,
    progress: Progress = ...,
) -> float: ...
def report(results: Iterable[_Result], path: Optional[Path] = ...) -> Optional[str]: ...
def metrics() -> list[dict[str, Any]]: ...
def evaluate(
    scores: Union[RankResult, Mapping[str, Mapping[str, Optional[float]]]],
    truth: Mapping[str, Optional[float]],
    *,
    static: Optional[Mapping[str, Mapping[str, Optional[float]]]] = ...,
    truth_column: str = ...,
    lower_is_better: Union[str, Iterable[str]] = ...,
    dataset: str = ...,
) -> Evaluation: ...
def weighted_tau(x: Iterable[float], y: Iterable[float]) -> Optional[float]: ...
def loss_data_curve(
    models: Union[Mapping[str, Union[ArrayLike, Learner]], ArrayLike, Learner],
    labels: ArrayLike,
    *,
    validation: Union[Mapping[str, ArrayLike], ArrayLike, None] = ...,
    validation_labels: Optional[ArrayLike] = ...,
    validation_share: float = ...,
    probe: Optional[str] = ...,
    sizes: Union[int, Sequence[int]] = ...,
    seeds: int = ...,
    epsilon: Union[float, Sequence[float]] = ...,
    loss: Optional[str] = ...,
    rule: str = ...,
    refine: int = ...,
    certify: Optional[float] = ...,
    target_loss: Optional[float] = ...,
    target_accuracy: Optional[float] = ...,
    l2: Union[float, str] = ...,
    groups: Optional[ArrayLike] = ...,
    hidden: Sequence[int] = ...,
    updates: int = ...,
    lr: float = ...,
    batch: int = ...,
    seed: int = ...,
    threads: int = ...,
    memory_limit: Memory = ...,
    progress: Progress = ...,
) -> CurveResult: ...
def labels_prior(labels: ArrayLike, name: str = ...) -> Any: ...
def views_prior(views: int) -> Any: ...
def kernel_prior(kernel: ArrayLike, name: str = ...) -> Any: ...
def prior_score(
    models: Union[Mapping[str, ArrayLike], ArrayLike],
    prior: Union[Prior, Mapping[str, Prior], str],
    *,
    temperature: Union[float, Sequence[float], None] = ...,
    labels: Optional[ArrayLike] = ...,
    kernel: str = ...,
    center: bool = ...,
    normalize: str = ...,
    model_kernel: Optional[str] = ...,
    penalty: Union[str, float] = ...,
    probe_r2: Optional[int] = ...,
    views: int = ...,
    graph: str = ...,
    pairs: int = ...,
    seed: int = ...,
    threads: int = ...,
    memory_limit: Memory = ...,
    progress: Progress = ...,
) -> PriorResult: ...
def prior_sample(
    prior: Prior,
    *,
    classes: int = ...,
    tasks: int = ...,
    temperature: Optional[float] = ...,
    diversity: float = ...,
    sampler: str = ...,
    kernel: str = ...,
    center: bool = ...,
    normalize: str = ...,
    seed: int = ...,
    threads: int = ...,
    memory_limit: Memory = ...,
    progress: Progress = ...,
) -> PriorTasks: ...
def prior_probe(
    models: Union[Mapping[str, ArrayLike], ArrayLike],
    tasks: ArrayLike,
    *,
    prior: Optional[Prior] = ...,
    probe: str = ...,
    test_share: float = ...,
    temperature: Optional[float] = ...,
    kernel: str = ...,
    center: Optional[bool] = ...,
    normalize: str = ...,
    model_kernel: Optional[str] = ...,
    penalty: Union[str, float] = ...,
    graph: str = ...,
    seed: int = ...,
    threads: int = ...,
    memory_limit: Memory = ...,
    progress: Progress = ...,
) -> ProbeResult: ...
def task_prior(
    models: Union[Mapping[str, ArrayLike], ArrayLike], prior: Union[Prior, Mapping[str, Prior], str], **options: Any
) -> PriorResult: ...
def sample_tasks(features: ArrayLike, *, from_kernel: bool = ..., **options: Any) -> NDArray[np.int32]: ...
def robust_score(
    models: Union[Mapping[str, Union[Mapping[str, ArrayLike], Path]], Path, Sequence[Path]],
    *,
    scales: Optional[Sequence[float]] = ...,
    samples: int = ...,
    input_size: int = ...,
    epsilon: Union[float, Sequence[float]] = ...,
    threshold: Union[float, Sequence[float]] = ...,
    absolute: bool = ...,
    norm: Union[int, str] = ...,
    literal: bool = ...,
    class_prior: float = ...,
    mean: Optional[Union[ArrayLike, Path]] = ...,
    covariance: Optional[Union[ArrayLike, Path, Tuple[ArrayLike, ArrayLike]]] = ...,
    seed: int = ...,
    threads: int = ...,
    memory_limit: Memory = ...,
    progress: Progress = ...,
) -> RobustResult: ...
def synbench(
    representations: Union[Mapping[str, Union[Mapping[str, ArrayLike], Path]], Path, Sequence[Path]], **options: Any
) -> RobustResult: ...
def robust_probe(
    models: Union[Path, Sequence[Path]],
    data: Path,
    *,
    epsilon: Union[float, Sequence[float], str] = ...,
    runs: int = ...,
    steps: int = ...,
    final_steps: int = ...,
    restarts: int = ...,
    queries: int = ...,
    epochs: int = ...,
    batch_size: int = ...,
    lr: float = ...,
    input_size: int = ...,
    seed: int = ...,
    threads: int = ...,
    memory_limit: Memory = ...,
    progress: Progress = ...,
) -> RobustProbeResult: ...
def b_tuning_targets(
    teachers: Union[Mapping[str, ArrayLike], ArrayLike],
    target: ArrayLike,
    labels: ArrayLike,
    *,
    temperature: float = ...,
    threads: int = ...,
    memory_limit: Memory = ...,
    progress: Progress = ...,
) -> BTuningTargets: ...
