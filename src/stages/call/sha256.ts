/** The SHA-256 of a text, in hex digits. Loads node:crypto on first use, which takes milliseconds. */
export const sha256 = (text: string): string => process.getBuiltinModule('node:crypto').hash('sha256', text)
