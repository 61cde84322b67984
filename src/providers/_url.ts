/** URLs of requests, and of an API's other resources. */

/** The end of a base URL with a version. */
const VERSION = /\/v\d+(?:beta|alpha)?$/

/** The base URL with its path, without trailing slashes, replaced by `change(path)`. */
export function mapPath(base: URL, change: (path: string) => string): URL {
  const url = new URL(base)
  url.pathname = change(url.pathname.replace(/\/+$/, ''))
  return url
}

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
export function siblingUrl(url: URL, path: string, own: RegExp | string): URL {
  const sibling = new URL(url)
  sibling.pathname = url.pathname.replace(own, path)
  return sibling
}

/** The list of models as in OpenAI's API: `/models` beside the path of requests. */
export const modelList = (path: string) => ({
  url: (url: URL): URL => siblingUrl(url, '/models', path),
  read: ({ data }: Record<string, unknown>): string[] =>
    Array.isArray(data) ? data.flatMap((one) => (typeof one?.id === 'string' ? [one.id] : [])) : [],
})
