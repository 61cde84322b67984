/** URLs of requests, and of an API's other resources: a user's base, and below it what a provider or a row names. */
import { RowFailure } from '../rows/record.ts'

/** The end of a base URL with a version. */
const VERSION = /\/v\d+(?:beta|alpha)?$/

/** A text as one segment of a path. @throws RowFailure bad_request for one that would be a step to another folder */
export function segment(text: string): string {
  if (/^\.{0,2}$|[\ud800-\udfff]/u.test(text)) throw badPart(text)
  return encodeURIComponent(text)
}

const badPart = (text: string) =>
  new RowFailure('bad_request', `${JSON.stringify(text)} cannot be a part of the request's URL`)

/** The URL at another path, which must stay as it is written. @throws RowFailure bad_request if it leads elsewhere */
function atPath(base: URL, path: string): URL {
  const url = new URL(base)
  url.pathname = path
  if (url.pathname !== path) throw badPart(path)
  return url
}

/** The base URL with its path, without trailing slashes, replaced by `change(path)`. @throws as atPath */
export const mapPath = (base: URL, change: (path: string) => string): URL =>
  atPath(base, change(base.pathname.replace(/\/+$/, '')))

/**
 * The URL with the path added, unless it ends with it already.
 * @param version inserted before the path after a bare host, or (`always`) after any base without a version
 */
export const withPath = (base: URL, path: string, version = '/v1', always = false): URL =>
  mapPath(base, (given) => {
    const missing = given === '' || (always && !VERSION.test(given))
    return given.endsWith(path) ? given : `${given}${missing ? version : ''}${path}`
  })

/** The URL of single requests with its own path `own` replaced; keeps the query. */
export const siblingUrl = (url: URL, path: string, own: RegExp | string): URL =>
  atPath(url, url.pathname.replace(own, path))

/** The list of models as in OpenAI's API: `/models` beside the path of requests. */
export const modelList = (path: string) => ({
  url: (url: URL): URL => siblingUrl(url, '/models', path),
  read: ({ data }: Record<string, unknown>): string[] =>
    Array.isArray(data) ? data.flatMap((one) => (typeof one?.id === 'string' ? [one.id] : [])) : [],
})
