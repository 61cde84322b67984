"""
Reads requests, a JSON line {"api", "body"} each, and checks them against what the providers' own Python packages hold of
their APIs: OpenAI's types, which are made from its published schema, and AWS's service model of Bedrock's Converse.
Prints a line for each that is wrong, and how many were read.
"""
import json
import sys

import botocore.session
from botocore.validate import ParamValidator
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming as Chat
from openai.types.completion_create_params import CompletionCreateParamsNonStreaming as Completions
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming as Responses
from pydantic import TypeAdapter, ValidationError

TYPES = {"chat": Chat, "completions": Completions, "responses": Responses}
ADAPTERS = {name: TypeAdapter(kind) for name, kind in TYPES.items()}
SESSION = botocore.session.get_session()
AWS = {
    "bedrock": ("bedrock-runtime", "Converse"),
    "bedrock job": ("bedrock", "CreateModelInvocationJob"),
}
SHAPES = {api: SESSION.get_service_model(service).operation_model(name).input_shape for api, (service, name) in AWS.items()}


def wrong(api, body):
    if api in SHAPES:
        report = ParamValidator().validate({"modelId": "m", **body}, SHAPES[api])
        return report.generate_report() if report.has_errors() else None
    unknown = sorted(set(body) - set(TYPES[api].__annotations__))
    if unknown:
        return f"unknown: {unknown}"
    try:
        ADAPTERS[api].validate_python(body)
    except ValidationError as error:
        return str(error)
    return None


count = bad = 0
for line in sys.stdin:
    request = json.loads(line)
    count += 1
    problem = wrong(request["api"], request["body"])
    if problem:
        bad += 1
        print(f"{request['api']}: {problem}: {json.dumps(request['body'])[:300]}")
print(f"{count} requests, {bad} wrong")
