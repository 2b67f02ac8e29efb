/** What happened at a time of a request. Times are milliseconds: `at` since its start. `ms` is null until the end. */
export interface Step {
  readonly at: number
  ms: number | null
  /** The message of what it threw. */
  error?: string
}

/** A guard of the route, which refused if it has an error. */
export interface GuardStep extends Step {
  /** What the guard does, in words. */
  readonly guard: string
}

/** A decision of a policy about one record. */
export interface DecisionStep extends Step {
  readonly action: string
  readonly resource: string
  allowed?: boolean
  /** Why: `denied`, `missing`, `error`. */
  cause?: string
  /** The reason of `deny`. */
  reason?: string
}

/** A statement that was sent to the database. */
export interface StatementStep extends Step {
  /** The SQL, without its values. */
  readonly text: string
  /** The line of the application that sent it: `app/posts/post.controller.ts:12`. Null for the framework's own statements. */
  readonly caller: string | null
  rows?: number
}

/** A view or a partial that was rendered, with those that it includes. */
export interface ViewStep extends Step {
  readonly view: string
}

/** A line of the log. `text` is its message, and its fields as JSON. */
export interface LogLine {
  readonly at: number
  readonly level: string
  readonly text: string
}

/** How a request ended. */
export interface Outcome {
  /** Null if the client left before the end of the response. */
  readonly status: number | null
  readonly ms: number
  /** The pattern of its route, `/posts/:id`. Undefined if no route has its path. */
  readonly route?: string
  readonly userId?: number
  readonly error?: string
}

/**
 * One request of this process, with the first 500 of each kind of step. Statements are without their parameters.
 */
export interface RequestRecord {
  readonly id: string
  readonly startedAt: Date
  readonly method: string
  /** The path and the query, without tokens. */
  readonly url: string
  readonly guards: GuardStep[]
  readonly decisions: DecisionStep[]
  readonly statements: StatementStep[]
  readonly views: ViewStep[]
  /** The jobs that were enqueued, by name. Mails are sent by jobs. */
  readonly jobs: { readonly at: number; readonly job: string }[]
  readonly log: LogLine[]
  outcome: Outcome | null
}

/** A statement that a request sent more than twice. */
export interface Repeated {
  readonly text: string
  readonly times: number
  /** The lines that sent it. */
  readonly callers: readonly string[]
}

/** How often a request may send a statement before it is reported. */
const OFTEN = 2

/**
 * Returns the statements that a request sent more than twice: usually one for each row of a list, where one for all rows
 * would do. Neither the begin and the end of transactions count, nor writes of the framework itself, such as its counters.
 */
export function repeatedStatements({ statements }: Pick<RequestRecord, 'statements'>): Repeated[] {
  return [...Map.groupBy(statements, ({ text }) => text)]
    .map(([text, sent]) => ({
      text,
      times: sent.length,
      callers: [...new Set(sent.flatMap(({ caller }) => caller ?? []))],
    }))
    .filter(({ text, times, callers }) => times > OFTEN && (READS.test(text) || callers.length > 0))
    .filter(({ text }) => !OF_TRANSACTIONS.test(text))
}

const READS = /^\s*(?:select|with)\b/i
const OF_TRANSACTIONS = /^\s*(?:begin|start|commit|rollback|savepoint|release|set)\b/i
