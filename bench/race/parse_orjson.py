"""jb-parse's job with orjson: the last label of each reply, told in the item's terms. Argument: FILE."""

import re, sys
import orjson

label = re.compile(r"\[\[([AB<>=]+)\]\]")
plain = {"A>>B": "A>B", "A>B": "A>B", "A=B": "A=B", "B>A": "B>A", "B>>A": "B>A"}
turned = {"A>B": "B>A", "B>A": "A>B", "A=B": "A=B"}
write = sys.stdout.buffer.write
with open(sys.argv[1], "rb") as rows:
    for line in rows:
        row = orjson.loads(line)
        jb = row["jb"]
        said = label.findall(jb["reply"]["text"])[-1]
        decision = plain[said] if jb["trial"]["order"] == "AB" else turned[plain[said]]
        jb["verdict"] = {"label": said, "decision": decision, "strength": 2 if len(said) == 4 else 1}
        write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
