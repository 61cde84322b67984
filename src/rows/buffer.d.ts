export {}

/** Buffer's direct decoders and encoders: faster than toString and write, but missing from @types/node. */
declare global {
  interface Buffer {
    latin1Slice(start: number, end: number): string
    utf8Slice(start: number, end: number): string
    utf8Write(text: string, offset: number): number
  }
}
