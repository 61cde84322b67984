/** Items for judges, made of topics and responses. */
import type { JsonObject } from '../rows/record.ts'
import type { BankFile } from './banks/index.ts'
import type { Response } from './responses.ts'
import type { Topic } from './topics.ts'

/** Data about topics. Without banks or grades, items lack these keys. */
export interface TopicMaterial {
  topics: ReadonlyMap<string, Topic>
  banks?: ReadonlyMap<string, BankFile>
  qrels?: ReadonlyMap<string, JsonObject>
}

/** The item of a run and topic. @param whole the response as in its file, to add to the item */
export function responseItem(
  response: Response,
  material: TopicMaterial,
  whole?: JsonObject,
): Record<string, unknown> {
  const { run, topic, team, text, sentences, references, documents } = response
  return {
    id: joined(run, topic),
    run_id: run,
    topic_id: topic,
    team_id: team,
    ...topicFields(topic, material),
    text,
    sentences,
    references,
    documents,
    ...extras(topic, material),
    ...(whole && { response: whole }),
  }
}

/** The item of a topic with its responses, and its whole bank, so that nuggets can be added to it. */
export function topicItem(id: string, responses: readonly Response[], material: TopicMaterial): object {
  const file = material.banks?.get(id)
  return {
    id,
    topic_id: id,
    ...topicFields(id, material),
    responses: responses.map(({ run, text }) => ({ run_id: run, text })),
    nuggets: [],
    ...extras(id, material),
    ...(file && { bank: file.format.write(file.bank) }),
  }
}

/** The item of a topic and two runs, for pairwise judges. */
export function pairItem(id: string, a: Response, b: Response, material: TopicMaterial): object {
  const fields = topicFields(id, material)
  return {
    id: joined(id, a.run, b.run),
    topic_id: id,
    run_a: a.run,
    run_b: b.run,
    ...fields,
    question: [fields.title, fields.problem_statement, fields.background].filter(Boolean).join('\n'),
    response_A: a.text,
    response_B: b.text,
    ...extras(id, material),
  }
}

/** Nuggets and grades of a topic, if there are files of them. */
function extras(topic: string, { banks, qrels }: TopicMaterial): JsonObject {
  return {
    ...(banks && { nuggets: (banks.get(topic)?.bank.nuggets ?? []) as JsonObject[] }),
    ...(qrels && { qrels: qrels.get(topic) ?? {} }),
  }
}

/** A topic's fields; the three that prompts use are empty if the file lacks them. */
function topicFields(id: string, { topics }: TopicMaterial): JsonObject {
  const { request_id: _id, title, problem_statement, background, ...fields } = topics.get(id)!.fields
  return {
    title: title!,
    problem_statement: problem_statement ?? '',
    background: background ?? '',
    ...fields,
  }
}

/** Joins ids with slashes; slashes in an id become %2F. */
const joined = (...parts: string[]) =>
  parts.map((part) => part.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/')
