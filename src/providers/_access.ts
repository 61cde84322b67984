/** Types for the authorization of requests. */
import type { RowFailure } from '../rows/record.ts'

export type Env = Record<string, string | undefined>

export interface Access {
  env: Env
  key: string | undefined
  /** The URL of requests. */
  url: URL
  /** Masks a secret in all output. */
  hide(secret: string): void
  /** Sends an auxiliary request, such as one for a token. @returns a failure without an answer */
  post(
    url: URL,
    headers: Record<string, string>,
    body: Buffer,
  ): Promise<{ status: number; body: Buffer } | RowFailure>
}

/** Returns the headers of one request, in addition to the shared ones. @throws RowFailure */
export type Authorize = (body: Buffer) => Promise<Record<string, string>>
