/** Rules of phases that a Python class does. */
import { pythonJson } from '../../python/json.ts'
import type { Phase } from './load.ts'
import type { Plan } from './plan.ts'
import { folders, quoted } from './quoting.ts'
import type { Inputs, Rule } from './rule.ts'

/** A phase's output by its class, in the one Python process of the run. */
export function pythonRule(plan: Plan, inputs: Inputs, phase: Phase, model: string | undefined): Rule {
  const { files, flags, configuration, judges, outDir, bases } = plan
  const target = { nugget: files.nuggets, qrels: files.qrels, judge: files.leaderboard }[phase]
  const reads = phase !== 'nugget' || flags.nugget_depends_on_responses
  const usesBank = { nugget: true, qrels: flags.qrels_uses_nuggets, judge: flags.judge_uses_nuggets }[phase]
  const bank = phase === 'nugget' ? plan.startBank : plan.bank
  const qrels = phase === 'judge' && flags.judge_uses_qrels ? plan.qrels : undefined
  const { filebase } = configuration.phases[phase]
  const step = {
    phase,
    class: judges[phase].name,
    ...(judges.nugget.kind === 'python' && { nugget_class: judges.nugget.name }),
    topics: inputs.topics,
    ...(reads && inputs.responses !== undefined && { responses: inputs.responses }),
    ...(inputs.topicFilter.length > 0 && { topic: [...inputs.topicFilter] }),
    ...(inputs.runFilter.length > 0 && { run: [...inputs.runFilter] }),
    ...(inputs.limitTopics !== undefined && { limit_topics: BigInt(inputs.limitTopics) }),
    ...(inputs.limitRuns !== undefined && { limit_runs: BigInt(inputs.limitRuns) }),
    ...(usesBank && bank !== undefined && { nuggets: bank }),
    ...(qrels !== undefined && { qrels }),
    ...(model !== undefined && { model }),
    settings: {
      ...configuration.phases[phase],
      // As AutoJudge's runner gives it: the name alone replaced, but for the judge's, which is the path of its files.
      ...(typeof filebase === 'string' && { filebase: filebase.replaceAll('{_name}', configuration.name) }),
      ...(phase === 'judge' && { filebase: outDir === '.' ? bases.judge : `${outDir}/${bases.judge}` }),
    },
    outdir: outDir,
    ...(phase === 'judge' && {
      format: inputs.leaderboardFormat === 'trec' ? 'ir_measures' : inputs.leaderboardFormat,
    }),
    ...(phase === 'judge' && flags.augment_report && { reports_to: files.responses }),
    to: target,
  }
  const options = ['--progress', 'never', ...inputs.callOptions].join(' ')
  return {
    target,
    needs: [
      inputs.topics,
      ...(reads ? inputs.responseFiles : []),
      ...(usesBank && bank !== undefined ? [bank] : []),
      ...(qrels === undefined ? [] : [qrels]),
    ],
    orderOnly: [files.config],
    recipe: [
      ...folders(target),
      `jb-workflow python ${quoted(pythonJson(step, { unicode: true }))} --python ${quoted(inputs.python)} --call "$$(printf '%q ' ${options} $(CALL))"`,
    ],
    forced:
      phase === 'qrels' ? flags.force_recreate_qrels : phase === 'nugget' && flags.force_recreate_nuggets,
  }
}
