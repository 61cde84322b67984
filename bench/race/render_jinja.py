"""jb-render's job with Jinja2 and orjson. Arguments: FILE PROMPTS (a JSON array: the judge's system and user messages)."""

import sys
import jinja2, orjson

with open(sys.argv[2], "rb") as file:
    system, user = map(jinja2.Environment().from_string, orjson.loads(file.read()))
write = sys.stdout.buffer.write
with open(sys.argv[1], "rb") as rows:
    for line in rows:
        row = orjson.loads(line)
        told = {"question": row["question"], "answer_a": row["response_A"], "answer_b": row["response_B"]}
        messages = [
            {"role": "system", "content": system.render(told)},
            {"role": "user", "content": user.render(told)},
        ]
        row["jb"] = {
            "judge": "arena_hard",
            "item": row["pair_id"],
            "trial": {"n": 0, "of": 1, "order": "AB"},
            "request": {"messages": messages, "temperature": 0, "max_tokens": 4096},
        }
        write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
