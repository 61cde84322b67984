"""Records what EvalAssist (evalassist 1.0.5) makes of criteria, texts and replies drawn here: fixtures/evalassist.jsonl.

Its engine is replaced by one that says the replies. A case whose option was drawn at random there is left out.
"""
import json
import logging
import random
import sys
from importlib.metadata import version

# Its neighbours here have names that packages import.
sys.path.pop(0)
logging.disable(logging.CRITICAL)
from evalassist.judges.direct_judge import DirectJudge  # noqa: E402
from evalassist.judges.pairwise_judge import PairwiseJudge  # noqa: E402
from evalassist.judges.types import Criteria, Instance  # noqa: E402

R = random.Random(16)
WORDS = "the reply says “so” in `code`, naïve 中文 😀 C:\\dir \\alpha it's \"quoted\" line\nbreak tab\tx {a} [b] end.".split(" ")
SCALES = [
    [("Yes", 1), ("No", 0)],
    [("1", 1), ("2", 2), ("3", 3), ("4", 4)],
    [("0.5", None), ("1e1", None), ("-3", None)],
    [("Très bien", 2), ("a`b", -1), ("x:y", 0.25)],
    [("good", None), ("bad", 0)],
]
# pairwise, both orders, samples, feedback, after all repairs
KINDS = [
    (False, False, 0, False, "random"),
    (False, True, 0, True, "random"),
    (False, True, 3, False, "random"),
    (False, False, 0, True, "raise"),
    (True, False, 0, False, "random"),
    (True, True, 0, False, "random"),
]
CASES_OF_A_KIND = 9


def words(most):
    return " ".join(R.choice(WORDS) for _ in range(R.randint(1, most)))


def reply(labels, feedback, odd):
    label = R.choice(labels)
    value = {"explanation": words(8), "selected_option": label}
    if feedback:
        value["feedback"] = R.choice(["", words(4)])
    good = json.dumps(value, ensure_ascii=R.random() < 0.5, indent=R.choice([None, 1]))
    if not odd:
        return good
    at = R.randrange(len(good))
    return R.choice(
        [
            "```json\n" + good + "\n```",
            "So:\n```" + good + "``` and ```more```",
            good[:-1],
            good[:at],
            good[:at] + R.choice("\"\\{}[],:`”\n\t") + good[at:],
            good.replace('"', "“", 1),
            good.replace("}", ",}"),
            good + good,
            "Sure: " + good,
            json.dumps({**value, "selected_option": label + " "}),
            json.dumps({**value, "more": 1}),
            json.dumps({**value, "explanation": R.choice([None, 3, ["a"]])}),
            json.dumps({"selected_option": label}),
            json.dumps([value]),
            '{"explanation": "\\ud800", "selected_option": ' + json.dumps(label) + "}",
            json.dumps(value).replace("\\n", "\n"),
            "I cannot help with that.",
        ]
    )


def case_of(kind):
    pairwise, both, samples, feedback, fail = kind
    judged = R.choice(["response", "answer"])
    fields = {name: words(5) for name in R.sample(["question", "context", "mail"], R.randint(0, 2))}
    shown = R.choice([None, [], list(fields)])
    fields[judged] = [words(5) for _ in range(R.randint(2, 4))] if pairwise else words(8)
    scale = [] if pairwise else R.choice(SCALES)
    options = [{"name": name, "description": R.choice(["", "so"]), "score": score} for name, score in scale]
    criterion = {
        "name": R.choice(["", "tone"]),
        "description": words(4),
        "to_evaluate_field": judged,
        "context_fields": shown,
        "options": options,
    }
    labels = [name for name, _ in scale] or [f"{judged}_{i + 1}" for i in range(len(fields[judged]))] + ["tie"]
    trials = max(samples, 1) * (2 if both else 1)
    first = [reply(labels, feedback, R.random() < 0.5) for _ in range(trials)]
    repairs = [reply(labels, feedback, R.random() < (0.9 if fail == "raise" else 0.5)) for _ in range(3)]
    if trials == 1 and R.random() < 0.15:
        repairs[R.randrange(1, 3)] = ""
    return {"fields": fields, "criterion": criterion, "first": first, "repairs": repairs}


class Engine:
    temperature = 1

    def __init__(self, case):
        self.rounds = [case["first"], *([text] for text in case["repairs"])]
        self.asked = 0

    def get_engine_id(self):
        return "replies_of"

    def infer(self, dataset):
        texts = self.rounds[self.asked]
        self.asked += 1
        return texts if len(texts) == len(dataset) else texts * len(dataset)

    __call__ = infer


def told(value):
    """A result without what is not compared: prompts, and the words of its parser."""
    if isinstance(value, list):
        return [told(one) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {key: told(one) for key, one in value.items() if key != "prompt"}
    return {**kept, "parsing_error": True} if "parsing_error" in kept else kept


with open("fixtures/evalassist.jsonl", "w", encoding="utf-8") as out:
    for kind in KINDS:
        pairwise, both, samples, feedback, fail = kind
        left = CASES_OF_A_KIND
        while left:
            case = case_of(kind)
            settings = dict(inference_engine=Engine(case), on_generation_failure=fail, check_positional_bias=both)
            judge = (
                PairwiseJudge(**settings)
                if pairwise
                else DirectJudge(**settings, generate_feedback=feedback, self_consistency=samples)
            )
            drawn = []
            choose, random.choice = random.choice, lambda options: drawn.append(1) or options[0]
            try:
                result = judge.evaluate([Instance(fields=case["fields"])], Criteria(**case["criterion"]))[0]
                case["expected"] = told(result.model_dump())
            except ValueError as error:
                case["error"] = type(error).__name__
            finally:
                random.choice = choose
            if drawn:
                continue
            left -= 1
            how = dict(pairwise=pairwise, both=both, samples=samples, feedback=feedback, fail=fail)
            out.write(json.dumps({**how, **case, "by": f"evalassist {version('evalassist')}"}, ensure_ascii=False) + "\n")
