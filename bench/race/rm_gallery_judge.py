"""RM-Gallery: its JudgeBench loader, judge class and evaluator, with our prompt as its template. Arguments: PAIRS URL CONCURRENCY."""

import json, os, sys, tempfile
from pathlib import Path

pairs_file, url, lanes = Path(sys.argv[1]).resolve(), sys.argv[2], int(sys.argv[3])
template = (Path(__file__).parent / "prompt.txt").read_text()
for ours, theirs in (("question", "input"), ("answer_a", "response_a"), ("answer_b", "response_b")):
    template = template.replace("{%s}" % ours, "{{ %s }}" % theirs)
# Templates are looked for below the working directory.
os.chdir(tempfile.mkdtemp())
folder = Path("data/benchmarks/JudgeBench/utils/templates")
folder.mkdir(parents=True)
(folder / "skywork_critic_prompt.jinja2").write_text(template)

from loguru import logger
from rm_gallery.core.data.load.base import create_loader
from rm_gallery.core.model.openai_llm import OpenaiLLM
from rm_gallery.gallery.evaluation.judgebench import JudgeBenchEvaluator, JudgeBenchReward

loader = create_loader(name="judgebench", data_source="judgebench", config={"path": str(pairs_file)})
evaluator = JudgeBenchEvaluator(
    reward=JudgeBenchReward(
        name="race",
        judge_type="skywork_critic",
        llm=OpenaiLLM(model="m", base_url=url, openai_api_key="none", temperature=0.0),
        max_workers=lanes,
    )
)
report = evaluator.run(samples=loader.run().get_data_samples())
# Its log goes to stdout too, from a thread of its own.
logger.remove()
print(json.dumps({"accuracy": report["overall_accuracy"]["accuracy"]}))
