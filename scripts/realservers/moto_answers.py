"""Does what a batch job of Bedrock would: answers each record of the one file in moto's bucket. Arguments: URL, key, secret, reply."""
import json
import sys

import boto3

url, key, secret, said = sys.argv[1:]
s3 = boto3.client(
    "s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id=key, aws_secret_access_key=secret
)
answer = {
    "output": {"message": {"role": "assistant", "content": [{"text": said}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15},
}
[name] = [entry["Key"] for entry in s3.list_objects_v2(Bucket="judges.eu", Prefix="jb/in/")["Contents"]]
records = s3.get_object(Bucket="judges.eu", Key=name)["Body"].read().decode().splitlines()
lines = [json.dumps({**json.loads(record), "modelOutput": answer}) for record in records]
place = f"jb/out/abcdefghijk1/{name.split('/')[-1]}.out"
s3.put_object(Bucket="judges.eu", Key=place, Body="\n".join(lines))
