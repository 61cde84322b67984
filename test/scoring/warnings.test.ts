/** Alarms of reports: each with figures that ring it, and a near miss that does not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ceiling,
  failuresByGroup,
  fewClusters,
  fewDisagreements,
  fewItems,
  fewLabels,
  lackingHarder,
  longerBias,
  oneClass,
  oneOrder,
  ownModel,
  repeatedPrompts,
  severalVersions,
  slotBias,
  type Warning,
  worseThanChance,
  worseThanCoin,
} from '../../src/scoring/warnings.ts'

const labelled = { both: 0, judge: 0, people: 0, neither: 0 }
const math = (failed: number) => [
  { where: 'source is math', items: 40, failed },
  { where: 'source is code', items: 310, failed: 8 },
]

const ALARMS: [code: string, rings: Warning | undefined, near: Warning | undefined, sentence: RegExp][] = [
  ['few_items', fewItems(29), fewItems(30), /^29 items: below 30/],
  ['few_items', fewItems(5, 'labelled '), fewItems(30, 'labelled '), /^5 labelled items: below 30/],
  [
    'repeated_prompts',
    repeatedPrompts(3, 40, false),
    repeatedPrompts(3, 40, true),
    /^3 of 40 items ask what/,
  ],
  [
    'few_clusters',
    fewClusters({ clusters: 40, effective_clusters: 14.9 }),
    fewClusters({ clusters: 40, effective_clusters: 15 }),
    /^40 clusters of unequal size come to 14\.9 of equal size: below 15/,
  ],
  ['few_clusters', fewClusters({ clusters: 14 }), fewClusters({ clusters: 15 }), /^14 clusters: below 15/],
  ['ceiling', ceiling(48, 48), ceiling(47, 48), /^all 48 labelled items are right/],
  [
    'one_class',
    oneClass({ 'A>B': 8, 'B>A': 0 }, 'people'),
    oneClass({ 'A>B': 7, 'B>A': 1 }, 'people'),
    /^people said A>B of all 8 items/,
  ],
  [
    'one_class',
    oneClass({ 'A=B': 8 }, 'the judge'),
    oneClass({ 'A=B': 7 }, 'the judge'),
    /^the verdict is A=B on all 8 items: it tells none of them apart$/,
  ],
  // Of 40 verdicts that are right by chance, 12 or fewer are in 0.8 % of cases.
  ['worse_than_chance', worseThanCoin(11, 29), worseThanCoin(12, 28), /: 11 verdicts are as the label/],
  ['worse_than_chance', worseThanChance(-0.3, [-0.5, -0.1]), worseThanChance(-0.3, [-0.6, 0]), /κ is -0\.30/],
  ['one_order', oneOrder(['AB'], 40), oneOrder(['AB', 'BA'], 40), /in one order/],
  ['slot', slotBias(30, 40), slotBias(27, 40), /the first slot in 30 of 40 \(75 %\)/],
  ['slot', slotBias(10, 40), slotBias(13, 40), /the second slot in 30 of 40/],
  [
    'longer_answer',
    longerBias({ longer: 30, decisive: 40, labelled }),
    longerBias({ longer: 27, decisive: 40, labelled }),
    /^the judge chose the longer answer in 30 of 40 \(75 %\) decisive items/,
  ],
  // That people choose the longer answer as often is no bias.
  [
    'longer_answer',
    longerBias({ longer: 36, decisive: 40, labelled: { both: 20, judge: 16, people: 2, neither: 2 } }),
    longerBias({ longer: 36, decisive: 40, labelled: { both: 34, judge: 2, people: 2, neither: 2 } }),
    /in 36 of 40 \(90 %\) labelled items, people in 22 of 40 \(55 %\)/,
  ],
  [
    'failures_by_group',
    failuresByGroup(math(12)),
    failuresByGroup(math(4)),
    /12 of 40 \(30 %\) items failed where source is math, 8 of 310 \(3 %\) elsewhere/,
  ],
  [
    'failures_harder',
    lackingHarder('failed', 'new', 'old', 0.001, ['40 %', '80 %']),
    lackingHarder('failed', 'new', 'old', 0.02, ['60 %', '80 %']),
    /failed in new .*: old has 40 % on them and 80 % on the rest/,
  ],
  [
    'own_model',
    ownModel('gpt-4o', ['gpt-4o', 'x']),
    ownModel('gpt-4o', ['claude-3', 'x']),
    /is one of the models/,
  ],
  ['own_model', ownModel('openai/gpt-4o', ['gpt-3.5-turbo']), ownModel('o1-mini', ['o3']), /of one family/],
  [
    'judge_versions',
    severalVersions('versions of the judge', ['a', 'b']),
    severalVersions('versions of the judge', ['a']),
    /2 versions of the judge: a, b/,
  ],
  [
    'served_models',
    severalVersions('models', ['m-1', 'm-2']),
    severalVersions('models', ['m-1']),
    /2 models that the server named/,
  ],
  ['few_labels', fewLabels(29), fewLabels(30), /29 labelled items: below 30/],
  [
    'few_disagreements',
    fewDisagreements(14, 9),
    fewDisagreements(14, 10),
    /above people on 14 labelled items and below on 9/,
  ],
]

test('each alarm rings for its input, and not for a near miss', () => {
  for (const [code, rings, near, sentence] of ALARMS) {
    assert.equal(rings?.code, code, code)
    assert.match(rings!.sentence, sentence)
    assert.ok(rings!.do.length > 0)
    assert.equal(near, undefined, code)
  }
})

test('a report without items rings no alarm', () => {
  assert.deepEqual(
    [
      fewItems(0),
      fewClusters({}),
      ceiling(0, 0),
      oneClass({}, 'people'),
      worseThanCoin(0, 0),
      worseThanChance(null, null),
      oneOrder([], 0),
      slotBias(0, 0),
      longerBias({ longer: 0, decisive: 0, labelled }),
      failuresByGroup([]),
      ownModel(undefined, ['gpt-4o']),
    ].filter(Boolean),
    [],
  )
})
