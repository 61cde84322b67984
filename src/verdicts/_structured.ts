/** The structured reply of a judge with options: a JSON object with its choice and its reasons. */
import type { JsonObject, Trial } from '../rows/record.ts'

/** Keys of the object. */
export const KEYS_OF_REPLY = {
  explanation: 'explanation',
  option: 'selected_option',
  feedback: 'feedback',
} as const

/** JSON Schema of the reply to a trial: `selected_option` is one of the options shown. */
export function schemaOf(trial: Pick<Trial, 'options'> & { feedback?: unknown }): JsonObject {
  const { explanation, option, feedback } = KEYS_OF_REPLY
  const properties: JsonObject = {
    [explanation]: { type: 'string' },
    [option]: { type: 'string', ...(trial.options && { enum: trial.options }) },
  }
  if (trial.feedback === true) properties[feedback] = { type: 'string' }
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}
