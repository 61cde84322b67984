"""Records what PyYAML reads in YAML texts where YAML 1.1, YAML 1.2 and PyYAML differ: fixtures/pyyaml.json.

Each text is a mapping with the key `a`. Its value is the JSON text of what is read, with dates as `str` prints them, or
null where PyYAML refuses the text. Run by hand (`make oracles`).
"""

import datetime
import json
import pathlib

import yaml

SCALARS = """
y n Y N yes no Yes No YES NO yEs on off On Off ON OFF oN true True TRUE tRue false ~ null Null NULL nULL none None
0 00 010 -010 0o10 08 0_7 0x1F 0X1f 0x_1 -0x1f 0b101 0b102 0b1_0 0b_ 0b 1_000 _1 1_ +1 -0 99999999999999999999 1.0 8.50
1e3 1.5e3 1.5e+3 1.5E-3 1e+3 .5 -.5 ._5 .5_0 5. 1_0.5_0 1e16 1.0e+16 0.30000000000000004 1.0e-7 1.0e+400 .inf -.inf +.Inf
.INF .iNF .nan .NaN -.nan inf nan 1:30 01:30 1:30:45 1:60 190:20:30 -1:30 1:30.5 0:0 2001-01-01 2001-1-1
2001-12-14t21:59:43.10-05:00 2001-12-14T21:59:43Z 2001-12-14T1:59:43-5 !!str&1 !!int&"5" !!int&_5 !!float&1 !!float&1e3
!!bool&"yes" !!bool&y !&1 !!null&x !!int&x .. - -- << yes. 1,000 1.2.3 0.1.
""".split()
TEXTS = [
    "a: 2001-12-14 21:59:43.1234567 +1\n",
    "a: 1\na: 2\n",
    "b: &b {x: 1, y: 2}\na:\n  y: 3\n  <<: *b\n  z: 4\n",
    "b: &b {x: 1}\nc: &c {x: 2, y: 3}\na: {<<: [*b, *c], w: 0}\n",
    "b: &b 1\na: {<<: *b}\n",
    "a: {<<: {x: 1}}\n",
    "a: {<<: x}\n",
    "a: {'<<': x}\n",
    "b: &b [1]\na: [*b, *b]\n",
    "a: *b\n",
    "a: {b: 1, 10: 2, 9: 3}\n",
    "a: {yes: 1, 0x10: 2, 1.50: 3, ~: 4, 2001-01-01: 5}\n",
    "a: {__proto__: 1}\n",
    "a: >-\n  one\n  two\n\n  three\n",
    "a: |+\n  one\n\n",
    "a: !!python/tuple [1]\n",
    "a: !!set {x}\n",
    "\ufeffa: 1\n",
    "a: '1'\r\n",
    "%YAML 1.2\n---\na: yes\n",
]


def plain(value):
    if isinstance(value, dict):
        return {key if isinstance(key, str) else plain_key(key): plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return str(value) if isinstance(value, datetime.date) else value


def plain_key(key):
    return str(key) if isinstance(key, datetime.date) else json.dumps(key)


def read(text):
    try:
        return json.dumps(plain(yaml.safe_load(text)["a"]))
    except (yaml.YAMLError, ValueError, KeyError, TypeError):
        return None


def main():
    texts = [f"a: {scalar.replace('&', ' ')}\n" for scalar in SCALARS] + TEXTS
    made = {"versions": {"pyyaml": yaml.__version__}, "texts": {text: read(text) for text in texts}}
    path = pathlib.Path(__file__).parents[2] / "fixtures" / "pyyaml.json"
    path.write_text(json.dumps(made, indent=1) + "\n")


main()
