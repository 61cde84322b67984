"""jb-parse's job with pysimdjson: two values are read, the verdict is spliced into the line. Argument: FILE."""

import re, sys
import simdjson

label = re.compile(r"\[\[([AB<>=]+)\]\]")
plain = {"A>>B": "A>B", "A>B": "A>B", "A=B": "A=B", "B>A": "B>A", "B>>A": "B>A"}
turned = {"A>B": "B>A", "B>A": "A>B", "A=B": "A=B"}
write = sys.stdout.buffer.write
parser = simdjson.Parser()
with open(sys.argv[1], "rb") as rows:
    for line in rows:
        row = parser.parse(line)
        said = label.findall(row.at_pointer("/jb/reply/text"))[-1]
        straight = row.at_pointer("/jb/trial/order") == "AB"
        # The parser is used again once nothing holds what it made.
        del row
        decision = plain[said] if straight else turned[plain[said]]
        strength = 2 if len(said) == 4 else 1
        verdict = f',"verdict":{{"label":"{said}","decision":"{decision}","strength":{strength}}}}}}}\n'
        write(line[: line.rindex(b"}}")] + verdict.encode())
