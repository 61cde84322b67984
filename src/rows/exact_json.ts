/** Integers beyond 2^53, which JSON.parse rounds: two ids that differ would become one. */

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g

/** JSON text with such integers as strings of digits; strings and other numbers stay. */
export const withExactIntegers = (json: string): string =>
  /\d{16}/.test(json)
    ? json.replace(TOKEN, (token) =>
        /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
      )
    : json
