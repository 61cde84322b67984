/** Words around a verdict which show that it is not the reply's own: it is quoted, an example, or part of an instruction. */

/**
 * Up to the verdict, in the sentence that mentions it: no stop, and no word after which a judge goes on to decide; and
 * perhaps a quotation that goes on.
 */
const WITHIN = String.raw`(?:(?!\b(?:so|therefore|thus|hence|but|which|because|while|whereas|though)\b)(?:[^,;:.!?\n—–→"“]|\\?["“][^"”\n]{1,40}["”]|[,:](?= ?\\?["“'\x60])|\.(?=\w))){0,60}(?:\\?["“][^"”\n]{0,60})?`
/** `Rating: `, `"`, `**` and the like, just before the verdict. */
const HEAD = String.raw`["“'\x60*_\\(<]{0,4}(?:\b(?:rating|score|grade|verdict|result|better)[*_]{0,2}(?:: ?|>))?["“'\x60*_\\]{0,4}$`
/** What one does with a form of words. */
const WRITE = String.raw`(?:write|put|(?:begin|close|end|finish|reply|respond|start)s?(?: [\w ]{1,20})? with)`
const MENTIONS = new RegExp(
  [
    // `Assistant A claims that`, `the task asks for`, `I was told to end with`
    String.raw`\b(?:claims|says|writes|states|asks|wants|requires|demands|insists|instructs|tells|contains|includes|reads|(?:claimed|said|wrote|written|stated|asked|told|instructed)(?<!\b(?:I|as) \w{4,10}))\b${WITHIN}${HEAD}`,
    // `Please write`, `one must end with`, `to give the top mark, I would write`
    String.raw`(?:(?:^|[.!?:\n] {0,2})["“]?|\b(?:to|must|should|would|could|can|one|please|not|never|always|usually) )(?:${WRITE}|print|return|(?<=(?:to|must|should|please) )(?:output|type))s?\b${WITHIN}${HEAD}`,
    // `Other judges gave it`, `the user rated the hotel`, `is usually graded`
    String.raw`\b(?:(?:(?:judge|rater|grader|reviewer|critic|user|reader|colleague|teacher|expert|beginner)s?|people|others)(?: (?!I\b)[\w'’]+){0,4}? (?:gave|give|rate|scor|grad|put|vote|say|said|call)\w{0,2}(?:(?=: ):)?|(?:usually|generally|typically|normally) (?:given|rated|scored|graded|gets?|receives?))(?!\w)${WITHIN}${HEAD}`,
    // `ends in "Score: 8"`, `a line like "[[A]]"`, `for example [[5]]`
    String.raw`\b(?:ends? (?:with|in)|such as|(?:something|line|form|format|label|written(?: down)?)(?: just)? (?:like|as)(?: (?:this|so))?|like so|(?:in|of) the form|for example|for instance|e\.g\.)[,:]? ?${HEAD}`,
  ].join('|'),
  'i',
)

/** Whether the text before a verdict shows that it is mentioned, not given. */
export const isMentioned = (lead: string) => MENTIONS.test(lead)
