"""What Jinja2 and MarkupSafe answer to the templates of fixtures/jinja.jsonl, written into the same file.

The first line holds the versions and the context of all cases that have none of their own. A case is
{"template", "context"?, "options"?: {"trim", "lstrip", "keep", "strict"}, "refused"?}; its answer is
"ok": the text, or "error": the name of the exception. "refused" cases are not asked about: they are
what this project leaves out.
"""

import json
import pathlib
import platform
import warnings

import jinja2
import markupsafe

warnings.simplefilter("ignore")
FILE = pathlib.Path(__file__).parents[2] / "fixtures" / "jinja.jsonl"
FILES = {
    "part.j2": "part[{{ s }}|{{ i }}|{{ v }}]\n",
    "lib.j2": "{% macro hello(who, x=0) %}hello {{ who }}{{ x }}{{ kwargs }}{% endmacro %}{% set answer = 42 %}"
    "{% set _private = 1 %}{% macro uses() %}{{ s }}{{ answer }}{% endmacro %}",
}


def answer(case, context):
    options = case.get("options", {})
    environment = jinja2.Environment(
        loader=jinja2.DictLoader(FILES),
        trim_blocks=options.get("trim", False),
        lstrip_blocks=options.get("lstrip", False),
        keep_trailing_newline=options.get("keep", False),
        undefined=jinja2.StrictUndefined if options.get("strict") else jinja2.Undefined,
    )
    try:
        text = environment.from_string(case["template"]).render(**json.loads(case.get("context", context)))
        return {"ok": text}
    except Exception as error:
        return {"error": type(error).__name__}


def main():
    head, *cases = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
    head |= {
        "jinja2": jinja2.__version__,
        "markupsafe": markupsafe.__version__,
        "python": platform.python_version(),
        "files": FILES,
    }
    lines = [head]
    for case in cases:
        asked = {key: value for key, value in case.items() if key not in ("ok", "error")}
        lines.append(asked if "refused" in case else asked | answer(case, head["context"]))
    FILE.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


main()
