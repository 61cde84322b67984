/** EvalAssist's clean-up and closest option, against what upstream gave: every row of the golden files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadJudge } from '../../src/judges/_load.ts'
import { closest, ratioTo } from '../../src/python/difflib.ts'
import { readerOf } from '../../src/verdicts/_read.ts'
import { sanitize } from '../../src/verdicts/originals/_sanitize.ts'
import { golden } from '../criteria/golden.ts'

test('the clean-up gives what upstream gives', () => {
  for (const { input, output, error } of golden<{ input: string; output: string; error: string | null }>(
    'sanitize',
  )) {
    if (error) assert.throws(() => sanitize(input), input)
    else assert.equal(sanitize(input), output, JSON.stringify(input))
  }
})

test('an empty reply crashes upstream: here it is an error', () => {
  assert.throws(() => sanitize(''))
  assert.throws(() => sanitize(' \n\t'))
})

test('the clean-up has Python’s white space, and its numbers', async () => {
  // What evalassist 1.0.5 gives.
  assert.equal(sanitize('{"a"\x85:"b\nc"}'), '{"a"\x85:"b\\nc"}')
  assert.equal(sanitize('{"a"\ufeff:"b\nc"}'), '{"a"\ufeff:"b\nc"}')
  assert.equal(sanitize('1Infinity'), '1')
})

test('half a surrogate pair is refused also in a member whose key occurs again', async () => {
  const read = await readerOf(await loadJudge('direct'), { compat: 'evalassist', raise: true })
  const said = (text: string) =>
    read(`{"explanation": "${text}", "selected_option": "Yes", "explanation": ""}`, { item: () => ({}) })
      .option
  assert.throws(() => said('\\ud83d'), /not JSON/)
  assert.equal(said('\\ud83d\\ude00 \\\\ud83d'), 'Yes')
})

test('the closest option is difflib’s', () => {
  for (const { text, options, expected } of golden<{ text: string; options: string[]; expected: string }>(
    'closest-match',
  ))
    assert.equal(closest(text, options)!.option, expected, JSON.stringify(text))
})

test('an option may have any signs, alone on the last line', async () => {
  const read = await readerOf(await loadJudge('unitxt_select'))
  for (const sign of '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~') {
    const options = [`non${sign}toxic`, 'quite different']
    const said = read(`So it is:\n\n**${options[0]!.toUpperCase()}**`, {
      item: () => ({}),
      trial: { n: 0, of: 1, options },
    })
    assert.equal(said.option, options[0])
  }
})

test('ratios are Python’s to the last bit', () => {
  // Python 3.11: SequenceMatcher(None, option, text).ratio()
  for (const [option, text, expected] of RATIOS)
    assert.equal(ratioTo(text)(option), expected, `${option} ~ ${text}`)
})

const RATIOS: [option: string, text: string, ratio: number][] = [
  ['Excellent', 'excellent, I think', 0.5925925925925926],
  ['Yes', '', 0.0],
  ['', '', 1.0],
  ['abxcd', 'abcd', 0.8888888888888888],
  ['Response 1', 'Response B', 0.9],
  ['naïve 👍', 'naive 👍', 0.8571428571428571],
  ['Could be Improved', 'It could be improved a lot', 0.6976744186046512],
  [
    'Bad',
    'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbThe answer is Bad. a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a ',
    0.022058823529411766,
  ],
  [
    'Acceptable',
    'Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable Acceptable ',
    0.058823529411764705,
  ],
  ['private Thread currentThread', 'private volatile Thread currentThread', 0.8615384615384616],
  [
    '  bc d a a',
    'c bbd  ddbbb daab acacd ddd dbcaabdbcdcd d c  d bcac bc   ab ccaaddacadbacddaa  ad c c bacaaa  abdc cbacccbddd d  a  cdbcdc c cad cad  bacdcc cda aaccdc  cbcbcc ccdaa bc bcbcbdaa ccbdbacb dcbaa bc bc',
    0.09569377990430622,
  ],
  [
    'a c bdc cdcdc',
    ' dadbbad  d bad c cba cabaa bd aadab cba  da acbc dacbba abbcbad dacbc   dadcaabaaaadaa  dcbcacdd cccbcdab ada bacd  da dacdcdddabb c adbdbacc cada dac  a adbbda a adbacaaadc caa   ba a a c babbbd dc',
    0.0660377358490566,
  ],
  [
    ' dc dad bdbd  ',
    ' dbdbbadd d bbcbb  cb cd   cbcacddbb cbcdbdd bd  adadadbbabcbbcbb acbacbdaaaaccacd caaccdddab ddb cacadad ca ccdccac   ad cac bbbcdaa bc d cbddcbaab   dcaccdabad cb ccdd acdabc aa abb ddb  bdb  b bbcccadddc  cd cda baabdb dbb ba da cbbda aac b ad accccba aacba',
    0.014598540145985401,
  ],
  [
    'bdbdcaadabbddda dbdcaddddbdacc',
    'd c dbabccbd bbbab d baba bddbaaddcdaabdaddabbaddbbc aca accdcdb cacccaada  aaaaab adab cbdcdcadc dacbda d c dbd cbcddbddccb  ddabbadaacb a addccaabda',
    0.3,
  ],
  [' cadabbabb aa', 'cbb  d  c bdb aaa aa', 0.42424242424242425],
  [
    'caaddb ad',
    'cd dac ddba adcaccbda cda  bbcacbddacbcbbb d dcb dddd acabaabc  adabbcddacdbcbadcddabbdcdcbdcdd  bcccadcccb aab b abaabdcc adbbacdca  adccbddccaadab bbd c bcabaadadd   dc bcbab adcddccdc b cb addbd  cac   adbccadaca ddbccbddcacbacc d cabdcdadbba aaacadcddcc  a',
    0.007434944237918215,
  ],
]
