/** Names of figures in tables; docs/report.md explains them. */

/** By section; those under the empty name are of any section. Other names are printed with blanks for underscores. */
const WORDS: Record<string, Record<string, string>> = {
  agreement: {
    prevalence: 'shares of people’s labels',
    within_1: 'at most 1 apart',
    mae: 'mean distance',
    bias: 'judge minus people, mean',
  },
  annotators: {
    items: 'items with labels',
    people: 'agreement among people',
    epsilon: 'may be worse by',
    winning_rate: 'share it may replace',
    advantage: 'mean share of items as good',
  },
  position: {
    decisive: 'decisive games',
    first: 'won by the first slot',
    first_share: 'share of the first slot',
    p: 'p of a share of 0.5',
    checked: 'items in both orders',
    inconsistent: 'with two decisions',
    consistency: 'share with one decision',
    same_slot: 'same slot in both orders',
    same_slot_first: 'of these the first',
    same_slot_p: 'p of half of these',
    tie_in_one_order: 'a tie in one order only',
  },
  length: {
    n: 'items',
    decisive_unequal: 'decided, of unequal length',
    longer_won: 'won by the longer answer',
    longer_share: 'share of the longer answer',
    sd: 'sd of A’s length minus B’s',
    slope: 'log odds of A for one sd',
    intercept: 'log odds at equal length',
    se: 'standard errors',
    p: 'p of no effect',
    odds_ratio: 'odds ratio for one sd',
    win_rate_at_equal_length: 'A wins at equal length',
  },
  consistency: { questions: 'asked several times', same: 'all samples the same' },
  majority: { judges: 'other judges', same: 'the same as most of them' },
  transitivity: { triads: 'three models', cyclic: 'that beat each other in turn', zeta: 'Kendall’s zeta' },
  probes: { moved: 'verdict moved', toward_changed: 'to the changed answer' },
  calibration: {
    of: 'probability of',
    n: 'items',
    brier: 'Brier score',
    ece: 'expected calibration error',
    ece_equal_mass: 'the same, bins of equal size',
    mce: 'largest error of a bin',
  },
  corrected: {
    n: 'items with a label',
    N: 'items without',
    judge_only: 'judge, items without',
    judge_all: 'judge, all items',
    human_only: 'people, items with a label',
    estimate: 'people, all items: estimate',
  },
  self_preference: {
    own: 'own model',
    win_rate_judge: 'its win rate by the judge',
    win_rate_people: 'its win rate by people',
    win_rate_judges: 'its win rate by other judges',
  },
  '': {
    po: 'share that agrees',
    kappa: 'Cohen’s kappa',
    scott_pi: 'Scott’s pi',
    fleiss: 'Fleiss’ kappa',
    ac1: 'Gwet’s AC1',
    ac2: 'Gwet’s AC2',
    alpha: 'Krippendorff’s alpha',
    alpha_interval: 'alpha of an interval scale',
    kappa_linear: 'kappa, linear weights',
    kappa_quadratic: 'kappa, quadratic weights',
    pearson: 'Pearson',
    spearman: 'Spearman',
  },
}

/** A figure's name in words. */
export const wordsOf = (name: string, section = ''): string =>
  WORDS[section]?.[name] ?? WORDS['']![name] ?? name.replaceAll('_', ' ')
