/** The kinds of planted faults, in the order in which copies are made; the last one is no fault. */
export const FAULTS = [
  'number',
  'negation',
  'cut',
  'omit',
  'other',
  'call',
  'arguments',
  'result',
  'same',
] as const
export type FaultKind = (typeof FAULTS)[number]
