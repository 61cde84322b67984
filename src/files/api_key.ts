/** Recognises API keys in arguments and URLs, so that no message repeats them. */

/** Keys of common providers, by their prefixes. No model, judge, value or file has such a name. */
const KEY = /^(?:(?:sk|pk|rk)[-_][\w-]{16,}|(?:gsk_|hf_|xai-|nvapi-|pplx-|ghp_)\w{16,}|AIza[\w-]{16,})$/

export const looksLikeKey = (word: string) => KEY.test(word)

/** Advice for messages about a key in the wrong place. */
export const KEY_ADVICE = 'keys are read from the environment only (OPENAI_API_KEY)'

/** The first characters of a key, for messages. */
export const maskedKey = (word: string) => `${word.slice(0, 3)}…`

/** The text with the keys among its words masked. */
export const withoutKeys = (text: string) =>
  text.replace(/[\w-]+/g, (word) => (looksLikeKey(word) ? maskedKey(word) : word))

/** Names of a URL's parameters that hold keys. */
export const KEYLIKE = /key|token|auth|secret|sig|pass|cred/i

/** Whether a URL has a user, a password, or a key in its path or query. */
export function hasSecret(url: string): boolean {
  const [, before, query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(url)!
  return (
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/]*@/i.test(before!) ||
    before!.split('/').slice(1).some(looksLikeKey) ||
    query.split('&').some((one) => /=./.test(one) && KEYLIKE.test(one.split('=', 1)[0]!))
  )
}

/** Advice for messages about such a URL. */
export const URL_ADVICE =
  'it has a password or a key in it, which others could read there: give the whole URL in the environment (LLM_JUDGE_API_BASE)'
