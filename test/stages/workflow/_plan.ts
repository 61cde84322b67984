/** Plans of a workflow's text. */
import { join } from 'node:path'
import { readGiven } from '../../../src/stages/workflow/given.ts'
import { loadWorkflow, type Workflow } from '../../../src/stages/workflow/load.ts'
import type { PlanOptions } from '../../../src/stages/workflow/options.ts'
import { plansOf, type WorkflowPlan } from '../../../src/stages/workflow/plan.ts'
import { lastingFolder } from '../../helpers/folder.ts'

/** A judge file that takes any setting, for its template looks at the whole item. */
export const ANY = join(
  lastingFolder({
    'any.yaml':
      "about: any\nkind: grade\nfields: {}\nmessages: [{ role: user, content: '{{ item.text }}' }]\nverdict: { rule: number, range: [0, 3] }\n",
  }),
  'any.yaml',
)

export async function load(yaml: string): Promise<Workflow> {
  return loadWorkflow(join(lastingFolder({ 'workflow.yml': yaml }), 'workflow.yml'))
}

type Options = Partial<PlanOptions> & { set?: string[] }

/** @param options over: no file but the workflow, current names and defaults; `set` are texts of --set */
export async function plans(yaml: string | undefined, options: Options = {}): Promise<WorkflowPlan[]> {
  const workflow = yaml === undefined ? await loadWorkflow(undefined) : await load(yaml)
  return plansOf(workflow, {
    variant: [],
    allVariants: false,
    sweep: [],
    given: readGiven(options.set ?? []),
    seed: false,
    outDir: '.',
    prefix: '',
    ...options,
  })
}

export async function plan(yaml: string | undefined, options: Options = {}): Promise<WorkflowPlan> {
  const [one] = await plans(yaml, options)
  return one!
}

/** A phase's settings as an object. */
export const judged = ({ given }: WorkflowPlan, phase: 'nugget' | 'qrels' | 'judge' = 'judge') =>
  Object.fromEntries(given[phase])

/** What a plan remarks on. */
export async function remarks(yaml: string, options: Parameters<typeof plans>[1] = {}): Promise<string> {
  const workflow = await load(yaml)
  const { set = [], ...more } = options
  const given = readGiven(set)
  const fixed = { variant: [], allVariants: false, sweep: [], seed: false, outDir: '.', prefix: '' }
  await plansOf(workflow, { ...fixed, given, ...more })
  return workflow.notes.join('\n')
}

/** The steps of a plan. */
export const made = ({ flags }: Awaited<ReturnType<typeof plan>>) =>
  [flags.create_nuggets && 'nuggets', flags.create_qrels && 'qrels', flags.judge && 'judge']
    .filter(Boolean)
    .join(' ')
