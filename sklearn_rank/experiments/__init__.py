"""Experiments: tune models on a log or on queries, and say which is really best."""

from sklearn_rank._hints._explain import explain_missing as _explain_missing
from sklearn_rank.experiments._default_models import default_models
from sklearn_rank.experiments._model_evaluation import ModelEvaluation
from sklearn_rank.experiments._model_tuning import ModelTuning
from sklearn_rank.experiments._tune_models import evaluate_models, tune_models

__all__ = [
    "ModelEvaluation",
    "ModelTuning",
    "default_models",
    "evaluate_models",
    "tune_models",
]

_explain_missing(__name__)
