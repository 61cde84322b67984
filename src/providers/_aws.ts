/** Signs requests to AWS with the environment's keys (Signature Version 4, by aws4fetch, which is loaded on first use). */
import { RowFailure } from '../rows/record.ts'
import type { Env } from './_access.ts'

interface Signed {
  method: string
  url: URL
  /** Covered by the signature; absent for requests to S3. */
  body?: Buffer | undefined
  service: 'bedrock' | 's3'
}

/** Returns the headers that sign a request. */
type Signer = (request: Signed) => Promise<Record<string, string>>

/**
 * @param host may contain the region
 * @param hide masks a secret in all output
 * @throws RowFailure auth if a key is missing
 */
export function awsSigner(env: Env, host: string, hide: (secret: string) => void): Signer {
  const [accessKeyId, secretAccessKey] = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map((name) =>
    env[name]?.trim(),
  )
  if (!accessKeyId) throw new RowFailure('auth', 'AWS_ACCESS_KEY_ID is not set', { status: 401 })
  if (!secretAccessKey)
    throw new RowFailure('auth', 'AWS_ACCESS_KEY_ID is set, AWS_SECRET_ACCESS_KEY is not', { status: 401 })
  const sessionToken = env.AWS_SESSION_TOKEN?.trim() || undefined
  hide(secretAccessKey)
  if (sessionToken) hide(sessionToken)
  const region =
    /^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(host)?.[1] ??
    env.AWS_REGION ??
    env.AWS_DEFAULT_REGION ??
    'us-east-1'
  return async ({ method, url, body, service }) => {
    const { AwsV4Signer } = await import('aws4fetch')
    const keys = { accessKeyId, secretAccessKey, sessionToken, service, region }
    const content = body && { headers: { 'content-type': 'application/json' }, body: new Uint8Array(body) }
    const { headers } = await new AwsV4Signer({ ...keys, method, url: url.href, ...content }).sign()
    return Object.fromEntries([...headers].filter(([name]) => name !== 'host' && name !== 'content-type'))
  }
}
