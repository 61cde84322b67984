"""inspect_ai: a data set, generate(), the pattern scorer. Arguments: PAIRS URL CONCURRENCY."""

import json, sys, tempfile
from pathlib import Path
from inspect_ai import Task, eval as run
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import accuracy, pattern
from inspect_ai.solver import generate

pairs_file, url, lanes = sys.argv[1], sys.argv[2], int(sys.argv[3])
template = (Path(__file__).parent / "prompt.txt").read_text()
samples = []
with open(pairs_file) as lines:
    for line in lines:
        pair = json.loads(line)
        prompt = template.format(
            question=pair["question"], answer_a=pair["response_A"], answer_b=pair["response_B"]
        )
        samples.append(Sample(input=prompt, target=pair["label"][0], id=pair["pair_id"]))

log = run(
    Task(dataset=MemoryDataset(samples), solver=generate(), scorer=pattern(r"\[\[([AB])\]\]")),
    model=get_model(
        "openai/m",
        base_url=url,
        api_key="none",
        responses_api=False,
        config=GenerateConfig(max_connections=lanes, temperature=0),
    ),
    max_samples=lanes,
    log_dir=tempfile.mkdtemp(),
    display="none",
)[0]
print(json.dumps({"accuracy": log.results.scores[0].metrics["accuracy"].value}))
