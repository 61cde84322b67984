"""Records what EvalAssist's Unitxt judges (evalassist 1.0.5, unitxt 1.26.10) make of replies drawn here: fixtures/evalassist_unitxt.jsonl.

Their engine is replaced by one that says the replies: of each question an assessment, then a choice. No network is used.
"""
import json
import logging
import os
import random
import sys
from importlib.metadata import version

# Its neighbours here have names that packages import.
sys.path.pop(0)
logging.disable(logging.CRITICAL)
os.environ.update(UNITXT_USE_ONLY_LOCAL_CATALOGS="True", HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
from evalassist.judges.types import Criteria, Instance  # noqa: E402
from evalassist.judges.unitxt_judges import UnitxtDirectJudge, UnitxtPairwiseJudge  # noqa: E402
from unitxt.inference import InferenceEngine, TextGenerationInferenceOutput  # noqa: E402

R = random.Random(16)
SCALES = [["Yes", "No"], ["Good", "Fair", "Bad"], ["1", "2", "3"], ["Très bien", "Mal"]]
CASES_OF_A_KIND = 6
# What the engine says to its next two calls: unitxt's classes take no fields but their own.
SAID = []


class Engine(InferenceEngine):
    """Answers the questions of each of its two calls in the order of the case's replies."""

    label = "replies"

    def prepare_engine(self):
        pass

    def get_engine_id(self):
        return "replies_of"

    def _infer(self, dataset, return_meta_data=False):
        texts = SAID.pop(0)
        assert len(texts) == len(dataset)
        return [TextGenerationInferenceOutput(prediction=text) for text in texts] if return_meta_data else texts


def odd(names):
    name = R.choice(names)
    return R.choice([name] * 6 + [f"{name}.", name.upper(), f"I choose {name}", f"**{name}**", "neither", ""])


def case_of(pairwise, both):
    """Replies in the order asked: those of the item as it is, then those of it turned round."""
    orders = ["AB", "BA"] if both else ["AB"]
    n = R.randint(2, 4)
    names = R.choice(SCALES)
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)] if pairwise else [None]
    asked = [(order, pair) for order in orders for pair in pairs]
    options = [] if pairwise else [{"name": name, "score": R.choice([None, place])} for place, name in enumerate(names)]
    shown = [[f"Response {a + 1}", f"Response {b + 1}"] if pairwise else names for a, b in (pair or (0, 0) for _, pair in asked)]
    return {
        "fields": {"response": [f"text {i}" for i in range(n)] if pairwise else "text"},
        "criterion": {"name": "tone", "description": "Is it kind?", "to_evaluate_field": "response", "options": options},
        "asked": asked,
        "replies": [[f"weighing {i}", odd(names)] for i, names in enumerate(shown)],
    }


def told(value):
    """A result without its metadata, which is empty there."""
    if isinstance(value, list):
        return [told(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: told(one) for key, one in value.items() if key != "metadata"}


with open("fixtures/evalassist_unitxt.jsonl", "w", encoding="utf-8") as out:
    for pairwise in [False, True]:
        for both in [False, True]:
            for _ in range(CASES_OF_A_KIND):
                case = case_of(pairwise, both)
                engine = Engine(use_cache=False)
                SAID[:] = zip(*case["replies"])
                judge = (UnitxtPairwiseJudge if pairwise else UnitxtDirectJudge)(inference_engine=engine, check_positional_bias=both)
                result = judge.evaluate([Instance(fields=case["fields"])], Criteria(**case["criterion"]))[0]
                by = f"evalassist {version('evalassist')}, unitxt {version('unitxt')}"
                row = {"pairwise": pairwise, "both": both, **case, "expected": told(result.model_dump()), "by": by}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
