/** Fills in the settings of --compat, and refuses options that do not go together. */
import { ignoredOptions, type OptionOrName } from '../../options/ignored.ts'
import { usageError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import type { RankOptions } from './options.ts'

/** Options whose default depends on --compat. */
const DEFAULTS = { strong: 1, cluster: 'item', bootstrap: 0, ci: 0.95 } as const

type Chosen = { [key in keyof typeof DEFAULTS]: NonNullable<RankOptions[key]> }

interface Settings {
  /** If a game fails, the item's others are left out, too. */
  whole: boolean
  /** How --control makes features of the answers' lengths and markdown. */
  features: 'counts' | 'densities'
  /** --models: the fields with the names of the two models. */
  a: string | undefined
  b: string | undefined
  /** --control length_controlled_v1=FILE: the file. */
  difficulty: string | undefined
}

/** An original's settings, and in words how they differ from jb's own: those of an option under its name. */
interface Original extends Partial<Pick<Settings, 'whole' | 'features'>> {
  options: Partial<RankOptions>
  oddities: { [key in keyof Chosen | 'always']?: string }
}

/** Rounds of an original's bootstrap; with its own 100, bounds vary by half a point between runs. */
const ROUNDS = 1000

const ARENA_HARD = {
  strong: 'a strong verdict is 3 votes',
  cluster: 'votes are resampled one by one (items would give wider intervals)',
}

const ORIGINALS: Record<Exclude<RankOptions['compat'], 'none' | undefined>, Original> = {
  'arena-hard': {
    options: { strong: 3, cluster: 'none', bootstrap: ROUNDS },
    whole: false,
    oddities: { ...ARENA_HARD, always: 'of a failed game the other still counts' },
  },
  'arena-hard-v2': {
    options: { strong: 3, cluster: 'none', bootstrap: ROUNDS, ci: 0.9 },
    features: 'densities',
    oddities: {
      ...ARENA_HARD,
      ci: 'intervals of 90 %',
      always: 'if a game fails the other is left out, too',
    },
  },
  'chatbot-arena': {
    options: { method: 'bt', cluster: 'none', bootstrap: ROUNDS },
    whole: false,
    oddities: {
      cluster: 'battles are resampled one by one',
      always: 'mixtral-8x7b-instruct-v0.1, if present, is rated 1114, and --control has a penalty of ½',
    },
  },
  alpaca_eval: {
    options: { method: 'mean' },
    oddities: {
      always:
        'difficulties are joined by row number, and the standard error of the length-controlled win rate is the spread over instructions',
    },
  },
}

/** The options, with --compat's settings in place of defaults. */
export type ResolvedOptions = Omit<RankOptions, keyof Chosen> & Chosen & Settings

/** @throws Fatal (usage) for options that do not go together */
export function resolveOptions(given: RankOptions, context: Context): ResolvedOptions {
  const compat = given.compat === 'none' ? undefined : given.compat
  const original = compat && ORIGINALS[compat]
  const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const options: ResolvedOptions = {
    ...given,
    ...DEFAULTS,
    ...original?.options,
    ...named,
    compat,
    whole: original?.whole ?? true,
    features: original?.features ?? 'counts',
    ...modelFields(given.models),
    ...controls(given.control),
  }
  if (original) {
    const odd = Object.entries(original.oddities).filter(([name]) => !(name in named))
    context.note(`--compat ${compat}: ${odd.map(([, words]) => words).join(', ')}`)
  }
  checkTogether(options)
  checkUsed(given, context)
  return options
}

export interface WantedTop {
  top: number
  margin: number
}

/** `3` or `3,0` of --top. @throws Fatal (usage) */
export function topOf(given: string | undefined): WantedTop | undefined {
  if (given === undefined) return undefined
  const [, top, margin = '0.05'] = /^(\d+)(?:,(0?\.?\d+))?$/.exec(given) ?? []
  if (!(Number(top) >= 1 && Number(margin) < 0.5))
    throw usageError(
      `--top ${given}: expected K or K,D: how many models, and a margin of win rate from 0 to below 0.5`,
    )
  return { top: Number(top), margin: Number(margin) }
}

/** @throws Fatal (usage) unless it names two fields */
function modelFields(models: string | undefined): Pick<Settings, 'a' | 'b'> {
  const [a, b, ...more] = models?.split(',') ?? []
  if (models !== undefined && (!a || !b || more.length > 0))
    throw usageError(`--models ${models}: expected the fields of two models, such as model_a,model_b`)
  return { a, b }
}

/** alpaca_eval's length control, as --control names it. */
const LENGTH_CONTROL = 'length_controlled_v1'

/** --control, with the file of the length control apart. */
function controls(control: readonly string[]): Pick<RankOptions, 'control'> & Pick<Settings, 'difficulty'> {
  const file = (what: string) =>
    what.startsWith(`${LENGTH_CONTROL}=`) ? what.slice(LENGTH_CONTROL.length + 1) : undefined
  return {
    control: control.map((what) => (file(what) === undefined ? what : LENGTH_CONTROL)),
    difficulty: control.map(file).find((path) => path),
  }
}

/** Whether the options ask for alpaca_eval's length control. */
export const controlsLength = ({ control }: Pick<RankOptions, 'control'>): boolean =>
  control.includes(LENGTH_CONTROL)

/** Options that say how battles are counted. */
const OF_BATTLES = ['models', 'id', 'by', 'strong', 'cluster']

/** Options that a statement about the best models has no place for. */
const NOT_OF_TOP = ['control', 'by', 'show', 'as', 'compat', 'baseline', 'partial', 'merge'] as const

/** What does not go with --top and --next. */
function chosenRefusals(options: ResolvedOptions): [refused: unknown, message: string][] {
  const { top, next, answers } = options
  topOf(top)
  const name = next !== undefined ? '--next' : '--top'
  const isChosen = top !== undefined || next !== undefined
  const isOther = (value: unknown) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
  const others = [
    ...NOT_OF_TOP.filter((option) => isOther(options[option])),
    ...(options.method === 'mean' ? ['method mean'] : []),
    ...(options.bootstrap > 0 ? ['bootstrap'] : []),
    ...(options.cluster !== 'item' ? ['cluster'] : []),
    ...(options.ridge > 0 ? ['ridge'] : []),
    ...(options.strong > 1 ? ['strong'] : []),
  ]
  return [
    [next !== undefined && answers.length === 0, '--next chooses from the models’ answers: --answers FILE'],
    [answers.length > 0 && next === undefined, '--answers goes with --next'],
    [isChosen && others.length > 0, `${name} does not go with --${others[0]}: it has its own ratings`],
  ]
}

/** Reports options without effect. */
function checkUsed(given: RankOptions, context: Context): void {
  const { method, show, merge, as } = given
  const unused: [isUnused: boolean, options: OptionOrName[], why: string][] = [
    [method === 'mean', [{ name: 'ridge', default: 0 }], 'it goes with --method bt'],
    [show !== undefined, ['as'], `--show ${show} is no leaderboard`],
    [as !== undefined, ['format'], `--as ${as} has a format of its own`],
    [merge, OF_BATTLES, '--merge adds up what is counted already: give it to --partial'],
  ]
  for (const [isUnused, options, why] of unused) if (isUnused) ignoredOptions(options, given, why, context)
}

/** @throws Fatal (usage) for options that do not go together */
function checkTogether(options: ResolvedOptions): void {
  const { partial, merge, control, method, show, difficulty, as } = options
  const isControlled = control.length > 0
  const sums = partial ? '--partial' : merge && '--merge'
  const ofRows = as === 'alpaca_eval'
  const ofLength = controlsLength(options)
  const refusals: [refused: unknown, message: string][] = [
    ...chosenRefusals(options),
    [sums && isControlled, `${sums}: sums of battles hold no features for --control`],
    [sums && ofRows, `${sums}: sums of battles hold no single rows for --as ${as}`],
    [show === 'controls' && !isControlled, '--show controls goes with --control'],
    [ofLength && control.length > 1, `--control ${LENGTH_CONTROL} goes alone`],
    [
      ofLength && difficulty === undefined,
      `--control ${LENGTH_CONTROL} needs alpaca_eval’s df_gamed.csv (data set tatsu-lab/alpaca_eval on Hugging Face): --control ${LENGTH_CONTROL}=FILE`,
    ],
    [
      isControlled && method === 'mean' && !ofLength,
      `--control ${control[0]} does not go with --method ${method}: it is a Bradley–Terry model (--method bt)`,
    ],
  ]
  for (const [refused, message] of refusals) if (refused) throw usageError(message)
}
