"""Renders with Jinja2: a line of JSON with template, context and options in, one with "ok" or "error" out."""

import json
import signal
import sys
import warnings

import jinja2

warnings.simplefilter("ignore")


class TooLong(BaseException):
    pass


def on_alarm(_signal, _frame):
    raise TooLong


def answer(case):
    environment = jinja2.Environment(
        trim_blocks=case["trim"],
        lstrip_blocks=case["lstrip"],
        undefined=jinja2.StrictUndefined if case["strict"] else jinja2.Undefined,
    )
    signal.setitimer(signal.ITIMER_REAL, 2)
    try:
        return {"ok": environment.from_string(case["template"]).render(**json.loads(case["context"]))}
    except (Exception, TooLong) as error:
        return {"error": f"{type(error).__name__}: {error}"[:200]}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


signal.signal(signal.SIGALRM, on_alarm)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
