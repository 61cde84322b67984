/** The SHA-256 of a text, in hex digits. Node's module is loaded at the first one: that takes some milliseconds. */
export const sha256 = (text: string): string => process.getBuiltinModule('node:crypto').hash('sha256', text)
