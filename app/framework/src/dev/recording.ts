import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import type { Guard } from '../http/routes/route-types.ts'
import { guardInWords } from '../manifest/guard-words.ts'
import type { Decision } from '../policy/authorization-types.ts'
import { callerLine } from './caller-line.ts'
import type { LogLine, RequestRecord, Step } from './request-record.ts'

/** A request that is being answered. */
export class Recording {
  readonly record: RequestRecord
  readonly #started = performance.now()

  constructor(record: RequestRecord) {
    this.record = record
  }

  /** Returns the milliseconds since the start. */
  now(): number {
    return performance.now() - this.#started
  }

  /** Adds a step, unless there are too many of them. */
  add<Added>(steps: Added[], step: Added): Added {
    if (steps.length < MOST_STEPS) steps.push(step)
    return step
  }

  /** Returns the beginning of a step. */
  begin(): Step {
    return { at: this.now(), ms: null }
  }
}

/** The most steps of a kind that the record of a request has. */
const MOST_STEPS = 500

/** The request that the running code belongs to. */
export const recordings = new AsyncLocalStorage<Recording>()

let isObserving = false

/** Subscribes to the channels of the framework, and to `pergola:log`, in which an application publishes its log as JSON. */
export function observeOnce(): void {
  if (isObserving) return
  isObserving = true
  observe<{ guard: Guard }>('pergola:guard', (recording, { guard }) =>
    recording.add(recording.record.guards, { ...recording.begin(), guard: guardInWords(guard) }),
  )
  observe<{ action: string; resource: string; result?: Decision }>(
    'pergola:decision',
    (recording, { action, resource }) =>
      recording.add(recording.record.decisions, { ...recording.begin(), action, resource }),
    ({ result }) => result && answerOf(result),
  )
  observe<{ text: string; result?: { rows?: readonly unknown[] } }>(
    'pergola:statement',
    (recording, { text }) =>
      recording.add(recording.record.statements, { ...recording.begin(), text, caller: callerLine() }),
    ({ result }) => result?.rows && { rows: result.rows.length },
  )
  observe<{ view: string }>('pergola:view', (recording, { view }) =>
    recording.add(recording.record.views, { ...recording.begin(), view }),
  )
  channel('pergola:enqueue').subscribe((message) => {
    const recording = recordings.getStore()
    recording?.add(recording.record.jobs, { at: recording.now(), ...(message as { job: string }) })
  })
  channel('pergola:log').subscribe((line) => {
    const recording = recordings.getStore()
    recording?.add(recording.record.log, { at: recording.now(), ...logLine(String(line)) })
  })
}

/** Records the operations of a channel: `begin` adds a step, `end` returns its result. */
function observe<Message extends object>(
  name: string,
  begin: (recording: Recording, message: Message) => Step,
  end: (message: Message) => object | undefined = () => undefined,
): void {
  const { start, end: returned, asyncEnd } = tracingChannel(name)
  const open = new WeakMap<object, { recording: Recording; step: Step }>()
  start.subscribe((message) => {
    const recording = recordings.getStore()
    if (recording !== undefined)
      open.set(message as object, { recording, step: begin(recording, message as Message) })
  })
  const finish = (message: unknown) => {
    const { recording, step } = open.get(message as object) ?? {}
    if (recording === undefined || step === undefined) return
    const { error } = message as { error?: unknown }
    step.ms = recording.now() - step.at
    Object.assign(step, end(message as Message), error instanceof Error && { error: error.message })
  }
  // A promise returns first, and is settled later.
  returned.subscribe(finish)
  asyncEnd.subscribe(finish)
}

function answerOf({ allowed, cause, denial, error }: Decision) {
  return {
    allowed,
    cause,
    ...(denial !== undefined && { reason: denial.reason }),
    ...(error instanceof Error && { error: error.message }),
  }
}

const LEVELS: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

const OF_EACH_LINE = new Set(['time', 'pid', 'hostname', 'req'])

/** Reads a line of the log: its level, its message, and its other fields as JSON. */
function logLine(line: string): Omit<LogLine, 'at'> {
  const { level, msg = '', ...fields } = JSON.parse(line) as { level: number; msg?: string }
  const own = Object.entries(fields).filter(([name]) => !OF_EACH_LINE.has(name))
  const more = own.length > 0 ? ` ${JSON.stringify(Object.fromEntries(own))}` : ''
  return { level: LEVELS[level] ?? '', text: `${msg}${more}` }
}
