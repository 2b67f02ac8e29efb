import type { ColumnType, Generated } from 'kysely'
import type { Logger } from 'pino'
import { policyContext } from '../../policy/policy-context.ts'
import { inOwnUnit, currentCause, executor } from '../../database/executor.ts'
import type { Cause } from '../../database/unit.ts'
import { afterCommit } from '../../database/transaction.ts'

type Fixed<Value> = ColumnType<Value, Value, never>

declare module 'pergola' {
  interface Tables {
    /** The security events. Rows are inserted by `recordEvent`, and never updated. */
    security_events: {
      id: Generated<number>
      kind: Fixed<string>
      /** The signed-in user. Null for a guest, for a task and for the console. */
      actor_id: Fixed<number | null>
      /** The account that the event is about. Kept when the account is deleted. */
      target_id: Fixed<number | null>
      /** The name of the task, or `console`. Null for requests. */
      system: Fixed<string | null>
      /** The granted role, or the limited action. */
      detail: Fixed<string | null>
      /** The network address of the client. */
      address: Fixed<string | null>
      /** The User-Agent header, truncated to 200 characters. */
      user_agent: Fixed<string | null>
      request_id: Fixed<string | null>
      created_at: ColumnType<string, never, never>
    }
  }
}

/**
 * The kinds of security events. The application adds each one by name, so that a misspelt kind doesn't compile:
 * `declare module 'pergola' { interface EventKinds { 'sign-in': true } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface EventKinds {}

/** The name of a kind of security event, one of `EventKinds`. */
export type EventKind = keyof EventKinds & string

/** The parts of a security event that the request doesn't contain. Never pass a secret or the text of a user. */
export interface EventDetails {
  /** The id of the account that the event is about. Null without an account. */
  readonly target: number | null
  /** The id of the user who caused the event; defaults to the signed-in user of the request. */
  readonly actor?: number | null
  /** A word about the event, such as the name of a role. */
  readonly detail?: string
}

/**
 * Inserts a row into `security_events`, and writes a log line after the commit. Call it in the transaction of the
 * change, so that Postgres stores both or neither. Throws if the row can't be stored.
 *
 * ```ts
 * await inTransaction(async () => {
 *   await users.update(user, { disabled_at }, { set: ['disabled_at'] })
 *   await recordEvent('account-disabled', { target: user.id })
 * })
 * ```
 */
export async function recordEvent(kind: EventKind, details: EventDetails): Promise<void> {
  const cause = currentCause()
  const event = { kind, ...(await rowOf(details, cause)) }
  await executor().insertInto('security_events').values(event).execute()
  await afterCommit(() => {
    const { user_agent: _, ...fields } = event
    logOf(cause)?.info({ event: 'security', ...fields }, kind)
  })
}

/**
 * Records a rejected attempt, such as a failed sign-in, which changes nothing else. If that fails, writes an error to
 * the log and returns, so that the response is the same. Call it outside of a transaction.
 *
 * ```ts
 * await recordRejection('sign-in-failed', async () => ({ target: await accountId(email) }))
 * ```
 */
export async function recordRejection(kind: EventKind, details: () => Promise<EventDetails>): Promise<void> {
  try {
    const rejected = await details()
    await inOwnUnit(() => recordEvent(kind, rejected))
  } catch (error) {
    logOf(currentCause())?.error({ err: error }, `The security event ${kind as string} was not recorded.`)
  }
}

async function rowOf({ target, actor, detail }: EventDetails, { request, system }: Cause) {
  return {
    actor_id: actor === undefined ? await callerOf(request) : actor,
    target_id: target,
    system: system ?? null,
    detail: detail ?? null,
    address: request?.ip ?? null,
    user_agent: request?.get('user-agent')?.slice(0, 200) ?? null,
    request_id: request?.id ?? null,
  }
}

const callerOf = async (request: Cause['request']): Promise<number | null> =>
  request === undefined ? null : (await policyContext(request)).userId

/** Returns the logger of the request, which `requestLog` sets, or that of the task. */
const logOf = ({ request, log }: Cause): Cause['log'] =>
  request === undefined ? log : (request as { log?: Logger }).log
