/** Items of topics and responses: what judges see. */
import type { JsonObject } from '../rows/record.ts'
import type { BankFile } from './banks/index.ts'
import type { Response } from './responses.ts'
import type { Topic } from './topics.ts'

/** What goes with a topic. Without a file of banks or grades the item has no such key. */
export interface TopicMaterial {
  topics: ReadonlyMap<string, Topic>
  banks?: ReadonlyMap<string, BankFile>
  qrels?: ReadonlyMap<string, JsonObject>
}

/** An item of a run and topic; `whole` is the response as its file has it. */
export function responseItem(response: Response, material: TopicMaterial, whole?: JsonObject): object {
  const { run, topic, team, text, sentences, references, documents, metadata } = response
  return {
    id: joined(run, topic),
    run_id: run,
    topic_id: topic,
    team_id: team,
    ...topicFields(topic, material, metadata),
    text,
    sentences,
    references,
    documents,
    ...extras(topic, material),
    ...(whole && { response: whole }),
  }
}

/** An item of a topic with its responses; a bank it has stands there whole, to be added to. */
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

/** An item of a topic and two runs, for pairwise judges. */
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

/** Nuggets and grades of a topic, where files with them were named. */
function extras(topic: string, { banks, qrels }: TopicMaterial): JsonObject {
  return {
    ...(banks && { nuggets: (banks.get(topic)?.bank.nuggets ?? []) as JsonObject[] }),
    ...(qrels && { qrels: qrels.get(topic) ?? {} }),
  }
}

/** What prompts ask for is there for every topic, empty where the file says nothing. */
function topicFields(id: string, { topics }: TopicMaterial, metadata?: JsonObject): JsonObject {
  const { request_id: _id, title, problem_statement, background, ...fields } = topics.get(id)?.fields ?? {}
  return {
    title: title ?? metadata?.narrative ?? '',
    problem_statement: problem_statement ?? '',
    background: background ?? '',
    ...fields,
  }
}

/** One id of several: a slash between, slashes inside written as %2F. */
const joined = (...parts: string[]) =>
  parts.map((part) => part.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/')
