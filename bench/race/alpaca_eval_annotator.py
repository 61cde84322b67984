"""alpaca_eval: a pairwise annotator with a configuration of its own. Arguments: PAIRS URL CONCURRENCY."""

import json, os, sys, tempfile
from pathlib import Path

pairs_file, url, lanes = sys.argv[1], sys.argv[2], int(sys.argv[3])
place = Path(tempfile.mkdtemp())
(place / "clients.yaml").write_text(
    f'default:\n  - api_key: "none"\n    base_url: "{url}"\n'
)
os.environ["OPENAI_CLIENT_CONFIG_PATH"] = str(place / "clients.yaml")
template = (Path(__file__).parent / "prompt.txt").read_text()
for ours, theirs in (("question", "instruction"), ("answer_a", "output_1"), ("answer_b", "output_2")):
    template = template.replace("{%s}" % ours, "{%s}" % theirs)
(place / "prompt.txt").write_text(f"<|im_start|>user\n{template}<|im_end|>\n")
# JSON is YAML, but for keys that are numbers.
(place / "configs.yaml").write_text(
    json.dumps(
        {
            "race": {
                "prompt_template": str(place / "prompt.txt"),
                "fn_completions": "openai_completions",
                "completions_kwargs": {
                    "model_name": "m",
                    "max_tokens": 2048,
                    "temperature": 0,
                    "num_procs": lanes,
                    "requires_chatml": True,
                    "price_per_token": 0,
                },
                "fn_completion_parser": "regex_parser",
                "completion_parser_kwargs": {
                    "outputs_to_match": {1: r"\[\[A\]\]", 2: r"\[\[B\]\]"}
                },
                "batch_size": 1,
            }
        }
    )
    .replace('"1":', "1:")
    .replace('"2":', "2:")
)
from alpaca_eval.annotators import PairwiseAnnotator

with open(pairs_file) as lines:
    pairs = [json.loads(line) for line in lines]
annotated = PairwiseAnnotator(annotators_config=place / "configs.yaml", caching_path=None).annotate_pairs(
    [
        {
            "instruction": pair["question"],
            "output_1": pair["response_A"],
            "output_2": pair["response_B"],
            "label": pair["label"],
        }
        for pair in pairs
    ]
)
labels = {pair["question"]: 1 if pair["label"] == "A>B" else 2 for pair in pairs}
right = sum(row["preference"] == labels[row["instruction"]] for row in annotated)
print(json.dumps({"accuracy": right / len(pairs)}))
