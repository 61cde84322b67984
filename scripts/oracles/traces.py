"""Logs that other programs wrote, into fixtures/traces: inspect_ai's .eval and .json, OTLP files of the OpenTelemetry SDK with its
instrumentation of openai in both generations of the conventions and with OpenInference's, and what openevals says of trajectories.

versions.json has the versions. Run by hand (`make oracles`); models are a server on this machine, and inspect's mock.
"""

import sys

# This folder has a statistics.py, which is not the library's.
sys.path.pop(0)

import importlib.metadata
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

OUT = pathlib.Path("fixtures/traces")
PNG = ("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")


def inspect_logs():
    import tiktoken

    class Words:
        """Counts tokens without the files that tiktoken would download."""

        def encode(self, text, **_):
            return text.split()

    tiktoken.get_encoding = lambda _name: Words()
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, ModelOutput, get_model
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import ToolError, tool

    @tool
    def add():
        async def execute(x: int, y: int):
            """Adds two numbers.

            Args:
                x: one of them
                y: the other
            """
            if x < 0:
                raise ToolError("no negative numbers")
            return str(x + y)

        return execute

    model = "mockllm/model"
    for kind in ("eval", "json"):
        said = [
            ModelOutput.for_tool_call(model, "add", {"x": -1, "y": 2}),
            ModelOutput.for_tool_call(model, "add", {"x": 1, "y": 2}),
            ModelOutput.from_content(model, "3"),
            ModelOutput.from_content(model, "Red."),
        ]
        samples = [
            Sample(id="sum", input="1+2?", target="3", metadata={"topic": "sums"}),
            Sample(
                id="colour",
                input=[ChatMessageUser(content=[ContentText(text="Which colour?"), ContentImage(image=PNG)])],
                target=["red", "Red"],
            ),
        ]
        task = Task(dataset=samples, solver=[use_tools(add()), generate()], scorer=includes(), name="shop")
        with tempfile.TemporaryDirectory() as folder:
            eval(task, model=get_model(model, custom_outputs=said), log_format=kind, log_dir=folder, display="none",
                 max_samples=1, max_tasks=1)
            [log] = pathlib.Path(folder).iterdir()
            shutil.copy(log, OUT / f"inspect.{kind}")


class Model(BaseHTTPRequestHandler):
    """Calls a tool, and gives the answer once it has the result."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        done = any(message["role"] == "tool" for message in body["messages"])
        message = {"role": "assistant", "content": "It was sent."} if done else {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "k1", "type": "function", "function": {"name": "find", "arguments": '{"order": 7}'}}],
        }
        reply = json.dumps({
            "id": "c1", "object": "chat.completion", "created": 1, "model": "m-1",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop" if done else "tool_calls"}],
            "usage": {"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 6},
        }).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def recorded(tracer, messages, said):
    """A span of the present conventions, which instrumentations begin to write."""
    def parts(message):
        if message["role"] == "tool":
            return [{"type": "tool_call_response", "id": message["tool_call_id"], "response": message["content"]}]
        calls = [{"type": "tool_call", "id": call["id"], "name": call["function"]["name"], "arguments": json.loads(call["function"]["arguments"])}
                 for call in message.get("tool_calls") or []]
        return ([{"type": "text", "content": message["content"]}] if message.get("content") else []) + calls

    system, *asked = messages
    with tracer.start_as_current_span("chat m-1") as span:
        span.set_attribute("gen_ai.operation.name", "chat")
        span.set_attribute("gen_ai.response.model", "m-1")
        span.set_attribute("gen_ai.system_instructions", json.dumps([{"type": "text", "content": system["content"]}]))
        span.set_attribute("gen_ai.input.messages", json.dumps([{"role": one["role"], "parts": parts(one)} for one in asked]))
        output = {"role": "assistant", "parts": parts(said.model_dump()), "finish_reason": "stop"}
        span.set_attribute("gen_ai.output.messages", json.dumps([output]))


def traced(kind):
    """Runs a small agent whose calls are recorded, in a process of its own: what is recorded depends on the environment."""
    import openai
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.json.file import FileSpanExporter
    from opentelemetry.exporter.otlp.json.file._log_exporter import FileLogExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    spans = TracerProvider()
    path = OUT / f"otel-{kind}.jsonl"
    path.unlink(missing_ok=True)
    spans.add_span_processor(SimpleSpanProcessor(FileSpanExporter(str(path))))
    trace.set_tracer_provider(spans)
    if kind == "openinference":
        from openinference.instrumentation.openai import OpenAIInstrumentor

        OpenAIInstrumentor().instrument(tracer_provider=spans)
    elif kind == "events":
        from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

        logs = LoggerProvider()
        log_path = OUT / f"otel-{kind}-logs.jsonl"
        log_path.unlink(missing_ok=True)
        logs.add_log_record_processor(SimpleLogRecordProcessor(FileLogExporter(str(log_path))))
        OpenAIInstrumentor().instrument(tracer_provider=spans, logger_provider=logs)
    server = HTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none")
    messages = [{"role": "system", "content": "You answer for a shop."}, {"role": "user", "content": "Was order 7 sent?"}]
    tracer = trace.get_tracer("agent")
    with tracer.start_as_current_span("agent"):
        for _ in range(2):
            said = client.chat.completions.create(model="m-1", messages=messages).choices[0].message
            if kind == "spans":
                recorded(tracer, messages, said)
            messages.append(said.model_dump(exclude_none=True))
            for call in said.tool_calls or []:
                messages.append({"role": "tool", "tool_call_id": call.id, "content": "sent"})
    spans.shutdown()


def trajectories():
    from openevals.trajectory.match import create_trajectory_match_evaluator

    def call(name, **arguments):
        return {"id": "", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}

    def talk(*turns):
        messages = [{"role": "user", "content": "Q"}]
        for calls in turns:
            messages.append({"role": "assistant", "content": "", **({"tool_calls": list(calls)} if calls else {})})
            messages += [{"role": "tool", "content": "R", "tool_call_id": ""} for _ in calls]
        return messages

    a1, a2, a12, b = call("a", x=1), call("a", x=2), call("a", x=1, y={"z": [1, 2.0]}), call("b")
    talks = [talk([]), talk([a1], []), talk([a2], []), talk([a12], []), talk([a1, b], []), talk([b, a1], []), talk([a1], [b], []),
             talk([b], [a1], []), talk([a1, a1], []), talk([a1, a2], []), talk([a12, a1, b], [])]
    cases = []
    for (i, made), (j, expected) in itertools.product(enumerate(talks), enumerate(talks)):
        said = {}
        for mode, arguments in itertools.product(["strict", "unordered", "subset", "superset"], ["exact", "ignore", "subset", "superset"]):
            evaluator = create_trajectory_match_evaluator(trajectory_match_mode=mode, tool_args_match_mode=arguments)
            said[f"{mode} {arguments}"] = int(evaluator(outputs=made, reference_outputs=expected)["score"])
        cases.append({"made": i, "expected": j, "scores": "".join(str(one) for one in said.values())})
    (OUT / "trajectories.json").write_text(json.dumps({"talks": talks, "modes": list(said), "cases": cases}) + "\n")


if len(sys.argv) > 1:
    traced(sys.argv[1])
    sys.exit()
OUT.mkdir(exist_ok=True)
inspect_logs()
content = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
for kind, settings in {
    "spans": {},
    "events": {content: "true"},
    "openinference": {},
}.items():
    subprocess.run([sys.executable, __file__, kind], check=True, env={**os.environ, **settings})
trajectories()
names = ["inspect_ai", "openai", "opentelemetry-sdk", "opentelemetry-instrumentation-openai-v2", "opentelemetry-exporter-otlp-json-file",
         "openinference-instrumentation-openai", "openevals"]
(OUT / "versions.json").write_text(json.dumps({name: importlib.metadata.version(name) for name in names}, indent=2) + "\n")
