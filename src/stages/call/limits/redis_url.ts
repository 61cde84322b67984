/** Parses `--limits redis://HOST/NAME`. */
import type { RedisOptions } from 'ioredis'
import { usageError } from '../../../rows/record.ts'

export interface RedisAddress {
  name: string
  /** For messages: host and port. */
  host: string
  options: RedisOptions
}

/**
 * `redis://[USER@]HOST[:PORT]/[DB/]NAME`, `rediss` for TLS. The password is taken from REDISCLI_AUTH, as redis-cli does.
 * @throws Fatal usage
 */
export function parseRedisUrl(text: string, env: Record<string, string | undefined>): RedisAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const [, db, name] = /^\/(?:(\d+)\/)?([\w.-]+)$/.exec(url?.pathname ?? '') ?? []
  if (!url || !/^rediss?:$/.test(url.protocol) || url.hostname === '' || name === undefined)
    throw usageError(
      `--limits: expected redis://HOST/NAME (rediss: with TLS), with letters, digits and ._- in the name`,
    )
  if (url.password)
    throw usageError('--limits: a password is taken from REDISCLI_AUTH in the environment, not from the URL')
  const port = Number(url.port || 6379)
  return {
    name,
    host: `${url.hostname}:${port}`,
    options: {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port,
      ...(db !== undefined && { db: Number(db) }),
      ...(url.username && { username: decodeURIComponent(url.username) }),
      ...(env.REDISCLI_AUTH && { password: env.REDISCLI_AUTH }),
      ...(url.protocol === 'rediss:' && { tls: {} }),
    },
  }
}
