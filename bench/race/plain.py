"""The loop that people write: asyncio, openai-python, a semaphore. Arguments: PAIRS URL CONCURRENCY."""

import asyncio, json, re, sys
from pathlib import Path
from openai import AsyncOpenAI

pairs_file, url, lanes = sys.argv[1], sys.argv[2], int(sys.argv[3])
template = (Path(__file__).parent / "prompt.txt").read_text()


async def main():
    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=2)
    free = asyncio.Semaphore(lanes)

    async def judge(pair):
        prompt = template.format(
            question=pair["question"], answer_a=pair["response_A"], answer_b=pair["response_B"]
        )
        async with free:
            reply = await client.chat.completions.create(
                model="m", temperature=0, messages=[{"role": "user", "content": prompt}]
            )
        found = re.findall(r"\[\[([AB])\]\]", reply.choices[0].message.content)
        return bool(found) and found[-1] == pair["label"][0]

    with open(pairs_file) as lines:
        pairs = [json.loads(line) for line in lines]
    right = await asyncio.gather(*map(judge, pairs))
    print(json.dumps({"accuracy": sum(right) / len(right)}))


asyncio.run(main())
