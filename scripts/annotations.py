"""fixtures/annotations: labels of people and judges as MLflow, Phoenix, DeepEval and Langfuse's client write them.

Run by `make annotations`. Phoenix is started on a port of its own and ended; nothing leaves this machine.
"""
import datetime
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from importlib.metadata import version

OUT = pathlib.Path(__file__).parents[1] / "fixtures/annotations"
ASKED = [("Was order 7 sent?", "It was sent on Monday.", True), ("And order 8?", "Perhaps.", False)]
os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="YES", MLFLOW_DISABLE_TELEMETRY="true")


def write(name, text):
    (OUT / name).write_text(text.rstrip("\n") + "\n")


def mlflow_traces():
    import mlflow
    from mlflow.entities import AssessmentSource

    mlflow.set_tracking_uri("sqlite:///traces.db")
    mlflow.set_experiment("shop")
    person = lambda name: AssessmentSource(source_type="HUMAN", source_id=name)
    judge = AssessmentSource(source_type="LLM_JUDGE", source_id="gpt-6-luna")

    @mlflow.trace(span_type="CHAIN")
    def shop(question, answer):
        with mlflow.start_span(name="chat", span_type="CHAT_MODEL") as span:
            span.set_inputs({"model": "gpt-6-luna", "messages": [{"role": "user", "content": question}]})
            span.set_outputs({"choices": [{"message": {"role": "assistant", "content": answer}}]})
        return answer

    @mlflow.trace
    def broken(question):
        raise ValueError("no stock list")

    for question, answer, good in ASKED:
        shop(question, answer)
        mlflow.flush_trace_async_logging()
        of = {"trace_id": mlflow.get_last_active_trace_id()}
        mlflow.log_feedback(**of, name="thumbs", value=good, rationale="clear" if good else None, source=person("ann"))
        mlflow.log_feedback(**of, name="correct", value="yes", source=judge)
    mlflow.log_feedback(**of, name="thumbs", value=True, source=person("ben"))
    first = mlflow.log_feedback(**of, name="tone", value=3, source=person("ann"))
    mlflow.override_feedback(**of, assessment_id=first.assessment_id, value=4, source=person("ann"))
    mlflow.log_feedback(**of, name="safe", error=ValueError("cut short"), source=judge)
    mlflow.log_expectation(**of, name="facts", value=["order 8", "not sent"], source=person("ann"))
    try:
        broken("And order 9?")
    except ValueError:
        pass
    mlflow.flush_trace_async_logging()
    traces = mlflow.search_traces(return_type="list", order_by=["timestamp_ms ASC"])
    for trace in traces:
        for key in [key for key in trace.info.trace_metadata if key.startswith(("mlflow.source", "mlflow.user"))]:
            del trace.info.trace_metadata[key]
        trace.info.tags.pop("mlflow.artifactLocation", None)

    def clean(spans):
        for event in (event for span in spans for event in span["events"]):
            event["attributes"].pop("exception.stacktrace", None)

    dicts = [trace.to_dict() for trace in traces]
    rows = [trace.to_pandas_dataframe_row() for trace in traces]
    for one, row in zip(dicts, rows):
        clean(one["data"]["spans"])
        clean(row["spans"])
        row["trace"] = json.dumps(one)
    write("mlflow.json", json.dumps({"traces": dicts}, indent=1))
    import pandas

    frame = pandas.DataFrame(rows)
    write("mlflow-frame.jsonl", frame.to_json(orient="records", lines=True))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def phoenix_spans():
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    settings = {"WORKING_DIR": os.getcwd(), "PORT": port, "GRPC_PORT": free_port(), "HOST": "127.0.0.1", "TELEMETRY_ENABLED": "false"}
    env = {**os.environ, **{f"PHOENIX_{key}": str(value) for key, value in settings.items()}}
    program = pathlib.Path(sys.executable).with_name("phoenix")
    server = subprocess.Popen([program, "serve"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                urllib.request.urlopen(f"{base}/healthz")
                break
            except OSError:
                time.sleep(1)
        from phoenix.client import Client
        from phoenix.otel import register

        provider = register(project_name="shop", endpoint=f"{base}/v1/traces", protocol="http/protobuf", batch=False, set_global_tracer_provider=False, verbose=False)
        tracer = provider.get_tracer("shop")
        roots, calls = [], []
        for question, answer, _ in ASKED:
            with tracer.start_as_current_span("shop") as root:
                roots.append(root.get_span_context())
                root.set_attributes({"openinference.span.kind": "CHAIN", "input.value": question, "output.value": answer})
                with tracer.start_as_current_span("chat") as call:
                    calls.append(call.get_span_context())
                    call.set_attributes({"openinference.span.kind": "LLM", "llm.model_name": "gpt-6-luna"})
                    for at, role, text in [("llm.input_messages", "user", question), ("llm.output_messages", "assistant", answer)]:
                        call.set_attributes({f"{at}.0.message.role": role, f"{at}.0.message.content": text})
        client = Client(base_url=base)
        time.sleep(3)
        span = lambda context: format(context.span_id, "016x")
        for context, (_, _, good) in zip(roots, ASKED):
            said = {"label": "up" if good else "down", "score": int(good), "identifier": "ann"}
            client.spans.add_span_annotation(span_id=span(context), annotation_name="thumbs", annotator_kind="HUMAN", sync=True, **said)
        client.spans.add_span_annotation(span_id=span(calls[1]), annotation_name="correct", annotator_kind="LLM", score=0.5, explanation="in part", sync=True)
        client.traces.add_trace_annotation(trace_id=format(roots[1].trace_id, "032x"), annotation_name="topic", annotator_kind="HUMAN", label="delivery", sync=True)
        got = lambda path: urllib.request.urlopen(f"{base}/v1/projects/shop/{path}").read().decode()
        write("phoenix-spans.json", json.dumps(json.loads(got("spans")), indent=1))
        named = "&".join(f"span_ids={span(context)}" for context in roots + calls)
        write("phoenix-annotations.json", got(f"span_annotations?{named}"))
        write("phoenix-trace-annotations.json", got(f"trace_annotations?trace_ids={format(roots[1].trace_id, '032x')}"))
        spans = client.spans.get_spans_dataframe(project_identifier="shop")
        write("phoenix-frame.jsonl", spans.to_json(orient="records", lines=True))
        frame = client.spans.get_span_annotations_dataframe(spans_dataframe=spans, project_identifier="shop")
        write("phoenix-frame-annotations.csv", frame.to_csv())
    finally:
        server.terminate()
        server.wait()


def deepeval_run():
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, DisplayConfig
    from deepeval.metrics import BaseConversationalMetric, BaseMetric
    from deepeval.test_case import ConversationalTestCase, LLMTestCase, ToolCall, Turn

    def metric(base):
        class Short(base):
            threshold, evaluation_model = 0.5, "gpt-6-luna"
            __name__ = "Short"

            def measure(self, case, *args, **kwargs):
                text = case.actual_output if base is BaseMetric else case.turns[-1].content
                self.score = 1.0 if len(text) < 10 else 0.2
                self.reason, self.success = f"{len(text)} characters", self.score >= self.threshold
                return self.score

            async def a_measure(self, case, *args, **kwargs):
                return self.measure(case)

            def is_successful(self):
                return self.success

        return Short()

    tool = lambda name: ToolCall(name=name, input_parameters={"order": 7}, output="sent")
    given = dict(input=ASKED[0][0], actual_output=ASKED[0][1], expected_output="Yes.", retrieval_context=["order 7: sent"])
    cases = [
        LLMTestCase(name="seven", tools_called=[tool("find")], expected_tools=[tool("find")], **given),
        LLMTestCase(input=ASKED[1][0], actual_output=ASKED[1][1]),
    ]
    quiet = dict(async_config=AsyncConfig(run_async=False), display_config=DisplayConfig(show_indicator=False, print_results=False))
    evaluate(test_cases=cases, metrics=[metric(BaseMetric)], **quiet)
    write("deepeval.json", pathlib.Path(".deepeval/.latest_test_run.json").read_text())
    turns = [Turn(role="user", content=ASKED[0][0]), Turn(role="assistant", content=ASKED[0][1], tools_called=[tool("find")])]
    evaluate(test_cases=[ConversationalTestCase(turns=turns, scenario="a customer")], metrics=[metric(BaseConversationalMetric)], **quiet)
    write("deepeval-turns.json", pathlib.Path(".deepeval/.latest_test_run.json").read_text())


def langfuse_scores():
    """The client's types, which are generated from the server's API: a page of scores in version 3, without a server."""
    from langfuse.api import scores
    from langfuse.api.core.pydantic_utilities import parse_obj_as

    at = datetime.datetime(2026, 11, 1, tzinfo=datetime.timezone.utc)
    common = {"projectId": "p", "timestamp": at, "createdAt": at, "updatedAt": at, "environment": "default"}
    of = lambda trace, **more: {"kind": "trace", "id": trace, **more}
    ann = {"source": "ANNOTATION", "authorUserId": "ann"}
    rows = [
        {"id": "s1", "name": "thumbs", "dataType": "BOOLEAN", "value": True, "comment": "clear", "subject": of("t1"), **ann},
        {"id": "s2", "name": "thumbs", "dataType": "BOOLEAN", "value": False, "subject": of("t2"), **ann},
        {"id": "s3", "name": "correct", "dataType": "NUMERIC", "value": 0.5, "source": "EVAL", "subject": {"kind": "observation", "id": "o2", "traceId": "t2"}},
        {"id": "s4", "name": "liked", "dataType": "CATEGORICAL", "value": "yes", "source": "API", "subject": of("t2")},
        {"id": "s5", "name": "calm", "dataType": "NUMERIC", "value": 4, "subject": {"kind": "session", "id": "c1"}, **ann},
    ]
    page = parse_obj_as(scores.GetScoresV3Response, {"data": [{**common, **row} for row in rows], "meta": {"limit": 50}})
    write("langfuse-scores-v3.json", json.dumps(json.loads(page.json()), indent=1))


OUT.mkdir(parents=True, exist_ok=True)
os.chdir(tempfile.mkdtemp())
for make in (mlflow_traces, phoenix_spans, deepeval_run, langfuse_scores):
    make()
names = ["mlflow-skinny", "arize-phoenix", "arize-phoenix-client", "deepeval", "langfuse"]
write("versions.json", json.dumps({name: version(name) for name in names}, indent=2))
