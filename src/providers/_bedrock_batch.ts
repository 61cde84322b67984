/**
 * Bedrock's batch inference: files are exchanged through S3, jobs are created in Bedrock's control plane
 * (CreateModelInvocationJob, GetModelInvocationJob: API reference, 2026). The variables for bucket and role are LiteLLM's.
 */
import { configError, isObject, type JsonObject } from '../rows/record.ts'
import type { Env } from './_access.ts'
import { awsSigner } from './_aws.ts'
import { type Batch, type BatchPlace, idIn, requestLine, unanswered } from './_batch.ts'
import { mapPath, segment } from './_url.ts'

/** Records in Converse's format (modelInvocationType); at most 50,000 records or 1 GB a file. */
export const bedrockBatch: Batch = {
  requests: 50_000,
  bytes: 1_000_000_000,
  id: 'recordId',
  line: (id, body) => requestLine({ recordId: id }, 'modelInput', body),
  result({ modelOutput, error }) {
    if (!isObject(modelOutput))
      throw unanswered(isObject(error) ? (error.errorMessage ?? error.errorCode) : error)
    return { status: 200, body: modelOutput }
  },
  sign: ({ method, url, body }, { env, url: runtime, hide }) => {
    const sign = awsSigner(env, runtime.hostname, hide)
    return url.pathname.startsWith(JOBS)
      ? sign({ method, url, body: Buffer.isBuffer(body) ? body : undefined, service: 'bedrock' })
      : sign({ method, url, service: 's3' })
  },
  jobs: {
    async upload(file, place) {
      const key = `in/${process.getBuiltinModule('node:crypto').randomUUID()}/${file.name}`
      roleOf(place.env)
      const headers = { 'content-type': 'application/jsonl' }
      await place.send({ method: 'PUT', url: objectUrl(place, key), headers, body: file })
      return key
    },

    async start(key, _file, place) {
      const location = (path: string) => `s3://${bucketOf(place.env)}/${FOLDER}/${path}`
      const body = {
        // Names of jobs must be unique.
        jobName: `jb-${key.split('/')[1]}`,
        roleArn: roleOf(place.env),
        modelId: place.model,
        modelInvocationType: 'Converse',
        inputDataConfig: { s3InputDataConfig: { s3Uri: location(key), s3InputFormat: 'JSONL' } },
        outputDataConfig: { s3OutputDataConfig: { s3Uri: location('out/') } },
      }
      const url = controlUrl(place, JOBS)
      const { jobArn } = await place.send({ method: 'POST', url, body: Buffer.from(JSON.stringify(body)) })
      return idIn({ jobArn: String(jobArn).split('/').at(-1)! }, 'jobArn')
    },

    async state(id, file, place) {
      const job = await place.send({ method: 'GET', url: controlUrl(place, `${JOBS}/${id}`) })
      const status = String(job.status)
      const ended = ENDED.has(status)
      return {
        phase: ended ? 'ended' : status === 'Failed' ? 'failed' : 'waiting',
        status: status.toLowerCase(),
        ...countsOf(job),
        ...(typeof job.message === 'string' && { message: job.message }),
        results: ended ? [objectUrl(place, `out/${id}/${file.name}.out`)] : [],
      }
    },
  },
}

const JOBS = '/model-invocation-job'
/** The folder in the bucket for jb's files. */
const FOLDER = 'jb'
/** States in which at least some records have results. */
const ENDED = new Set(['Completed', 'PartiallyCompleted', 'Stopped', 'Expired'])

const countsOf = ({ successRecordCount: completed, errorRecordCount: failed }: JsonObject) => ({
  ...(typeof completed === 'number' && { completed }),
  ...(typeof failed === 'number' && { failed }),
})

const bucketOf = (env: Env) => variable(env, 'AWS_S3_BUCKET_NAME', 'the bucket for its files')
const roleOf = (env: Env) => variable(env, 'AWS_BATCH_ROLE_ARN', 'the role that reads and writes them')

function variable(env: Env, name: string, what: string): string {
  const value = env[name]?.trim()
  if (value) return value
  throw configError(`Bedrock's batches need ${name} in the environment: ${what}`)
}

/** The bucket is in the path, not in the host name, where TLS refuses buckets with a dot. */
const objectUrl = (place: BatchPlace, key: string) =>
  serviceUrl(
    place,
    's3',
    'AWS_ENDPOINT_URL_S3',
    `/${[bucketOf(place.env), FOLDER, ...key.split('/')].map(segment).join('/')}`,
  )

const controlUrl = (place: BatchPlace, path: string) =>
  serviceUrl(place, 'bedrock', 'AWS_ENDPOINT_URL_BEDROCK', path)

/** The URL of another AWS service in the same region. @throws Fatal (configuration) if the endpoint is not AWS */
function serviceUrl({ url, env }: BatchPlace, service: string, name: string, path: string): URL {
  const given = env[name]?.trim()
  if (!given && !/^bedrock-runtime[.-]/.test(url.hostname))
    throw configError(`requests go to ${url.hostname}, which is not AWS: set ${name} for its batches`)
  const other = new URL(given || url.origin.replace('bedrock-runtime', service))
  return mapPath(other, (before) => before + path)
}
