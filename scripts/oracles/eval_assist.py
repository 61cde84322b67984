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


def evaluated(judge, fields, criterion):
    """The result of one instance; a list of criteria is evaluated together."""
    if not isinstance(criterion, list):
        return judge.evaluate([Instance(fields=fields)], Criteria(**criterion))[0].model_dump()
    result = judge.evaluate_multi_criteria([Instance(fields=fields)], [Criteria(**one) for one in criterion])[0]
    # What is dumped lacks the inner results' score and feedback.
    items = [{**item.model_dump(), "result": item.result.model_dump()} for item in result.item_results]
    return {**result.model_dump(), "item_results": items}


def recorded(kind, case):
    """The case with what was expected of it; none where an option was drawn."""
    pairwise, both, samples, feedback, fail = kind
    settings = dict(inference_engine=Engine(case), on_generation_failure=fail, check_positional_bias=both)
    judge = (
        PairwiseJudge(**settings)
        if pairwise
        else DirectJudge(**settings, generate_feedback=feedback, self_consistency=samples)
    )
    drawn = []
    choose, random.choice = random.choice, lambda options: drawn.append(1) or options[0]
    try:
        case["expected"] = told(evaluated(judge, case["fields"], case["criterion"]))
    except ValueError as error:
        case["error"] = type(error).__name__
    finally:
        random.choice = choose
    how = dict(pairwise=pairwise, both=both, samples=samples, feedback=feedback, fail=fail)
    return None if drawn else {**how, **case, "by": f"evalassist {version('evalassist')}"}


def by_hand():
    """What is not drawn above: examples, other keys, lists of criteria, an answer alone, odd names of options."""
    tone = {"name": "tone", "description": "Is it kind?", "to_evaluate_field": "response"}
    fields = {"question": "Why?", "response": "Please ask again."}

    def case(kind, fields, criterion, *chosen):
        first = [json.dumps({"explanation": "so", "selected_option": one}) for one in chosen]
        return kind, {"fields": fields, "criterion": criterion, "first": first, "repairs": []}

    def scale(*names):
        return [{"name": name, "score": 2 * place} for place, name in enumerate(names)]

    example = {"instance": {"fields": {**fields, "response": "No."}}, "selected_option": "No"}
    likes = {**tone, "options": scale("No", "Yes")}
    yield case(KINDS[0], fields, {**likes, "examples": [example], "note": "ours"}, "Yes")
    yield case(KINDS[2], fields, {**tone, "options": scale("null", "True", "1_0")}, *["1_0", "null", "null"] * 2)
    yield case(KINDS[4], {**fields, "response": ["only"]}, tone, "response_1")
    yield case(KINDS[0], fields, [likes], "Yes")
    yield case(KINDS[2], fields, [likes], *["Yes", "No", "No"] * 2)
    yield case(KINDS[0], fields, [likes, {**likes, "name": ""}], "Yes", "No")
    yield case(KINDS[0], fields, [likes, {**tone, "name": "x", "options": [{"name": "a"}]}], "Yes", "a")


with open("fixtures/evalassist.jsonl", "w", encoding="utf-8") as out:
    for kind in KINDS:
        left = CASES_OF_A_KIND
        while left:
            row = recorded(kind, case_of(kind))
            if row:
                left -= 1
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
    for kind, case in by_hand():
        out.write(json.dumps(recorded(kind, case), ensure_ascii=False) + "\n")
