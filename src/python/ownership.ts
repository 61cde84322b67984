/*
 * A template may change what it is given: `items.append(x)`. A caller's own data must not change, yet
 * copying every context up front would be a waste. So a render begins on the data as it is; the first
 * change stops it, and it begins again on a copy.
 */
let owned = false

/** Thrown by the first change to data that isn't the template's own. */
class NeedsCopy extends Error {}

/** To be called before anything is changed. */
export const beforeChange = (): void => {
  if (!owned) throw new NeedsCopy('the template changes its data')
}

/** A runner of renders on data: again with a copy where the template changes it. `run` gets which it is. */
export const onOwnData = (): ((run: (changes: boolean) => string) => string) => {
  let changes = false
  return (run) => {
    for (;;)
      try {
        owned = changes
        return run(changes)
      } catch (error) {
        if (!(error instanceof NeedsCopy)) throw error
        changes = true
      }
  }
}
