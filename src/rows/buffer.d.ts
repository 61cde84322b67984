import type { Latin1 } from './bytes.ts'

/** Buffer's direct decoders and encoders: faster than toString and write, but missing from @types/node. */
declare global {
  interface Buffer {
    latin1Slice(start: number, end: number): Latin1
    utf8Slice(start: number, end: number): string
    utf8Write(text: string, offset: number): number
    latin1Write(text: Latin1, offset: number): number
  }
}
