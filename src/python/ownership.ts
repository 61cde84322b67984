/*
 * A template may change what it is given: `items.append(x)`. A caller's own data must not change, yet
 * copying every context up front would be a waste. So a render begins on the data as it is; the first
 * change stops it, and it begins again on a copy.
 */
let owned = false

/** Thrown by the first change to data that isn't the template's own. */
export class NeedsCopy extends Error {}

/** Says whether the values of the render now beginning are its own. */
export const setOwned = (value: boolean): void => {
  owned = value
}

/** To be called before anything is changed. */
export const beforeChange = (): void => {
  if (!owned) throw new NeedsCopy('the template changes its data')
}
