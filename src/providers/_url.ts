/** URLs of requests, and of what an API has beside them. */

/** How the base URL of an API ends where it has a version. */
const VERSION = /\/v\d+(?:beta|alpha)?$/

/** The base URL with another path. `change` gets the present one, without trailing slashes. */
export function mapPath(base: URL, change: (path: string) => string): URL {
  const url = new URL(base)
  url.pathname = change(url.pathname.replace(/\/+$/, ''))
  return url
}

/**
 * The URL with the path added, unless it ends in it already.
 * @param version is put before the path: after a bare host, or after any base that ends in no version (`always`)
 */
export const withPath = (base: URL, path: string, version = '/v1', always = false): URL =>
  mapPath(base, (given) => {
    const missing = given === '' || (always && !VERSION.test(given))
    return given.endsWith(path) ? given : `${given}${missing ? version : ''}${path}`
  })

/** The URL of single requests with another path in the place of their own; the query stays. */
export function siblingUrl(url: URL, path: string, own: RegExp | string): URL {
  const sibling = new URL(url)
  sibling.pathname = url.pathname.replace(own, path)
  return sibling
}

/** The URL of the list of models, next to that of requests, as in OpenAI's API. */
export const modelList = (path: string) => ({
  url: (url: URL): URL => siblingUrl(url, '/models', path),
  read: ({ data }: Record<string, unknown>): string[] =>
    Array.isArray(data) ? data.flatMap((one) => (typeof one?.id === 'string' ? [one.id] : [])) : [],
})
