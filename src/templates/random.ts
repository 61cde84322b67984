/** A number below `limit` that looks random and is the same at every run, seeded by a text (FNV-1a). */
export const pick = (seed: string, limit: number): number => {
  let state = 0x811c9dc5
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193)
  return (state >>> 0) % limit
}
