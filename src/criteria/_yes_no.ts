/** Words that mean yes or no, and so 1 or 0, wherever a judge or a person says them. */

const PAIRS = [
  ['pass', 'fail'],
  ['yes', 'no'],
  ['true', 'false'],
  ['correct', 'incorrect'],
  ['1', '0'],
] as const

const NUMBERS: ReadonlyMap<string, 0 | 1> = new Map(
  PAIRS.flatMap(([yes, no]) => [[yes, 1] as const, [no, 0] as const]),
)

/** 1 for PASS, yes, true, correct and 1, in capital or small letters; 0 for their opposites; undefined for other words. */
export const yesNo = (word: string): 0 | 1 | undefined => NUMBERS.get(word.trim().toLowerCase())

/** Whether each of the words is yes or no: a third one (unknown, partly) has no number between them. */
export const areYesNo = (words: readonly string[]): boolean =>
  words.every((word) => yesNo(word) !== undefined)

/** The words of a pair as this one of them is written: `Pass` has `Pass` and `Fail`. Undefined for other words. */
export function pairOf(word: string): string[] | undefined {
  const plain = word.trim().toLowerCase()
  const pair = PAIRS.find((words) => (words as readonly string[]).includes(plain))
  return pair?.map((one) => (one === plain ? word : inCaseOf(word.trim(), one)))
}

function inCaseOf(model: string, word: string): string {
  if (model === model.toUpperCase()) return word.toUpperCase()
  return model[0] === model[0]!.toUpperCase() ? word[0]!.toUpperCase() + word.slice(1) : word
}

/** What to do about verdicts in other words, of which no mean can be taken. */
export const HOW_TO_NUMBER =
  'Give each word its number: in the judge file (verdict.labels of rule label, verdict.options of rule json: { good: 1, bad: 0 }) or in the criterion (options: { good: 1, bad: 0 }); a judge’s PASS and FAIL, yes and no, true and false, correct and incorrect need none'
