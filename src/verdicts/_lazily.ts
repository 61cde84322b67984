/** Calls `make` on first use: compiling all patterns takes 3 ms at start, and most replies, which keep to the form, need none. */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
