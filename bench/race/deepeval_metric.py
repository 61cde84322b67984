"""DeepEval: GEval on a test case that holds both answers. Arguments: PAIRS URL CONCURRENCY."""

import json, os, sys, tempfile

pairs_file, url, lanes = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.chdir(tempfile.mkdtemp())
os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_RESULTS_FOLDER": "", "ERROR_REPORTING": "NO"}
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import GEval
from deepeval.models import LocalModel
from deepeval.test_case import LLMTestCase, SingleTurnParams

with open(pairs_file) as lines:
    pairs = [json.loads(line) for line in lines]
results = evaluate(
    test_cases=[
        LLMTestCase(
            name=pair["pair_id"],
            input=pair["question"],
            actual_output=f"[Assistant A]\n{pair['response_A']}\n\n[Assistant B]\n{pair['response_B']}",
        )
        for pair in pairs
    ],
    metrics=[
        GEval(
            name="better",
            evaluation_steps=["Score 10 where assistant A answered better, 0 where assistant B did."],
            evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
            model=LocalModel(model="m", base_url=url, api_key="none"),
        )
    ],
    async_config=AsyncConfig(run_async=True, max_concurrent=lanes, throttle_value=0),
    display_config=DisplayConfig(show_indicator=False, print_results=False),
    cache_config=CacheConfig(write_cache=False, use_cache=False),
)
scores = {result.name: result.metrics_data[0].score for result in results.test_results}
right = sum((scores[pair["pair_id"]] > 0.5) == (pair["label"] == "A>B") for pair in pairs)
print(json.dumps({"accuracy": right / len(pairs)}))
