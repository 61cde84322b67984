"""Records the schemas that lm-evaluation-harness sends for examples of replies: fixtures/lm_eval_schema.json.

Each is genson's, closed at its top level as llm_judge does (pull request 3534, 87596ea, lm_eval/api/metrics.py). `example` is
JSON text, in which 8.0 is a float and 8 an integer. Run by hand (`make oracles`).
"""

import importlib.metadata
import json
import pathlib

from genson import SchemaBuilder

EXAMPLES = [
    '{"score": 8.5, "explanation": "Why."}',
    '{"score": 8, "zeta": 8.0, "alpha": true, "none": null, "text": ""}',
    '{"score": 1, "parts": {"fluency": 9.5, "accuracy": {"b": 1, "a": "x"}}}',
    '{"score": 1, "empty": {}, "list": [], "lists": [[], [1], ["a"]]}',
    '{"score": 1, "numbers": [1, 2.5], "whole": [1, 2], "words": ["a", "b"]}',
    '{"score": 1, "mixed": [true, 1, "a", null, 2.0]}',
    '{"score": 1, "objects": [{"b": 1, "a": 1}, {"a": "s", "c": null}, {"a": 2}]}',
    '{"score": 1, "apart": [{"a": 1}, {"b": 1}], "none": [{}, {"a": 1}]}',
    '{"score": 1, "either": ["a", {"k": 1}, [2], null, [3.5], {"k": "v"}]}',
    '{"score": 1, "big": 123456789012345678901234567890, "minus": -1, "exponent": 1.0e+3}',
    '{"Zed": 1, "score": 1, "\\u00e9": 2, "nested": {"9": 3, "10": 4, "b": 1, "B": 2, "\\u00e9": 3, "_": 4}}',
]


def sent(example):
    builder = SchemaBuilder()
    builder.add_object(example)
    schema = builder.to_schema()
    if "properties" in schema:
        schema["additionalProperties"] = False
        schema["required"] = list(schema["properties"].keys())
    return schema


cases = [{"example": text, "schema": sent(json.loads(text))} for text in EXAMPLES]
document = {"versions": {"genson": importlib.metadata.version("genson")}, "cases": cases}
pathlib.Path("fixtures/lm_eval_schema.json").write_text(json.dumps(document, indent=1) + "\n")
