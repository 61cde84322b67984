/** What requests are authorized with: the environment, a key, or a provider's own exchange for one. */
import type { RowFailure } from '../rows/record.ts'

export type Env = Record<string, string | undefined>

/** What a provider is given to authorize its requests with. */
export interface Access {
  env: Env
  key: string | undefined
  /** Where requests go. */
  url: URL
  /** Keeps a secret out of everything that is written. */
  hide(secret: string): void
  /** Sends an auxiliary request, such as one for a token. @returns a failure if there is no answer */
  post(
    url: URL,
    headers: Record<string, string>,
    body: Buffer,
  ): Promise<{ status: number; body: Buffer } | RowFailure>
}

/** The headers of one request, beside those that are the same for all. @throws RowFailure */
export type Authorize = (body: Buffer) => Promise<Record<string, string>>
