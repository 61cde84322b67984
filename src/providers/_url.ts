/** Base URLs, completed with an API's path. */

/** How the base URL of an API ends where it has a version. */
const VERSION = /\/v\d+(?:beta|alpha)?$/

/**
 * The URL with the path added, unless it ends in it already.
 * @param version is put before the path: after a bare host, or after any base that ends in no version (`always`)
 */
export function withPath(base: URL, path: string, version = '/v1', always = false): URL {
  const url = new URL(base)
  const given = url.pathname.replace(/\/+$/, '')
  const missing = given === '' || (always && !VERSION.test(given))
  url.pathname = given.endsWith(path) ? given : `${given}${missing ? version : ''}${path}`
  return url
}

/** The list of models beside the URL of requests, as OpenAI's API and those like it have it. */
export const modelList = (path: string) => ({
  url: (url: URL): URL => {
    const list = new URL(url)
    list.pathname = list.pathname.replace(path, '/models')
    return list
  },
  read: ({ data }: Record<string, unknown>): string[] =>
    Array.isArray(data) ? data.flatMap((one) => (typeof one?.id === 'string' ? [one.id] : [])) : [],
})
