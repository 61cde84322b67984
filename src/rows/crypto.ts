/** node:crypto, loaded on first use: that takes milliseconds, and asking for it again some microseconds. */

let loaded: typeof import('node:crypto') | undefined

export const crypto = (): typeof import('node:crypto') => (loaded ??= process.getBuiltinModule('node:crypto'))

/** The SHA-256 of a text or of bytes, in hex digits. */
export const sha256 = (data: string | Uint8Array): string => crypto().hash('sha256', data)
