import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endingOf } from '../../src/rows/finish_reason.ts'

test('each API’s name for an end is one of four kinds, and a name that nobody knows is of none', () => {
  const names = {
    whole: [
      'stop',
      'end_turn',
      'eos',
      'eos_token',
      'stop_sequence',
      'STOP',
      'COMPLETE',
      'tool_calls',
      'tool_use',
    ],
    cut: ['length', 'max_tokens', 'MAX_TOKENS', 'model_length', 'max_output_tokens', 'time_limit'],
    refused: ['content_filter', 'refusal', 'SAFETY', 'RECITATION', 'guardrail_intervened'],
    broken: [
      ...['error', 'abort', 'cancelled', 'pause_turn', 'load', 'unload', 'OTHER', 'malformed_function_call'],
      ...['insufficient_system_resource', 'not_finished', 'in_progress'],
    ],
    unknown: ['unknown', 'completed', 'stopped', 'finished', 'eot', 'constructor', 'what?'],
  }
  for (const [ending, reasons] of Object.entries(names))
    for (const reason of reasons) assert.equal(endingOf(reason), ending, reason)
  // Not said.
  for (const nothing of [null, undefined, '']) assert.equal(endingOf(nothing), 'whole')
})
