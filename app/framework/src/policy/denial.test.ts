import { pino } from 'pino'
import { expect, it } from 'vitest'
import { denialLog } from './denial.ts'

const EVENT = { actor: 1, action: 'show', resource: 'Note', id: 7, reason: null, request_id: 'r', ms: 1 }

function logged(cause: string, error?: Error): { level: number; msg: string } {
  const lines: string[] = []
  const report = denialLog(pino({}, { write: (line: string) => lines.push(line) }))
  report({ ...EVENT, cause, ...(error && { error }) })
  return JSON.parse(lines[0] ?? '') as { level: number; msg: string }
}

it.each([
  ['error', 'a policy rule threw'],
  ['invalid_result', 'a policy rule returned neither a boolean nor deny()'],
  ['no_action', 'the policy has no rule for the action'],
  ['no_policy', 'the resource has no policy'],
  ['timeout', 'a policy rule did not answer in time'],
])('denialLog logs %s as an error', (cause, msg) => {
  expect(logged(cause, cause === 'error' ? new Error('x') : undefined)).toMatchObject({
    level: 50,
    msg,
    cause,
  })
})

it.each(['denied', 'guest', 'missing_role', 'aborted'])('denialLog logs %s as info', (cause) => {
  expect(logged(cause)).toMatchObject({ level: 30, msg: 'denied', cause })
})
