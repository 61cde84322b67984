"""Makes a bucket in moto, and a user who may do everything, and prints his key and secret as JSON. From then on moto checks signatures."""
import json
import sys

import boto3

iam = boto3.client(
    "iam", endpoint_url=sys.argv[1], region_name="us-east-1", aws_access_key_id="none", aws_secret_access_key="none"
)
iam.create_user(UserName="jb")
boto3.client(
    "s3", endpoint_url=sys.argv[1], region_name="us-east-1", aws_access_key_id="none", aws_secret_access_key="none"
).create_bucket(Bucket="judges.eu")
key = iam.create_access_key(UserName="jb")["AccessKey"]
allow = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
iam.put_user_policy(UserName="jb", PolicyName="all", PolicyDocument=json.dumps(allow))
print(json.dumps({"key": key["AccessKeyId"], "secret": key["SecretAccessKey"]}))
