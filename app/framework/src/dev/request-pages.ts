import { sql } from 'kysely'
import { database } from '../database/executor.ts'
import { sqlState } from '../database/sql-states.ts'
import { rulesAsked } from '../manifest/guard-words.ts'
import type { PolicyContext } from '../policy/authorization-types.ts'
import { policiesOf } from '../policy/decisions.ts'
import { editorUrl } from './editor-url.ts'
import { locateFunction } from './locate-function.ts'
import { recordedRequests } from './record-requests.ts'
import { type DecisionStep, type Repeated, repeatedStatements, type RequestRecord } from './request-record.ts'

/** A line of the application, with the address that opens it in the editor. */
export interface Place {
  readonly line: string
  readonly url: string | null
}

/** The data of a page that lists the last 200 requests, the newest first. */
export interface RequestsPage {
  readonly requests: readonly (RequestRecord & { readonly repeated: readonly Repeated[] })[]
}

/** Returns the last 200 requests of this process. */
export function requestsPage(): RequestsPage {
  return {
    requests: recordedRequests().map((record) => ({ ...record, repeated: repeatedStatements(record) })),
  }
}

/** The data of a page that shows what one request did. */
export interface RequestPage {
  readonly request: RequestRecord
  readonly repeated: readonly (Omit<Repeated, 'callers'> & { readonly callers: readonly Place[] })[]
  readonly decisions: readonly ShownDecision[]
  readonly placeOf: (line: string) => Place
  /** Returns whether `planPage` has the plan of a statement. */
  readonly hasPlan: (text: string) => boolean
}

/** A decision, how often it was made, and the lines of the rules that it asked. */
interface ShownDecision extends DecisionStep {
  readonly times: number
  readonly rules: readonly (Place & { readonly rule: string })[]
}

/** Returns null for an unknown id. `ctx` has the policies, whose lines are shown. */
export function requestPage(ctx: PolicyContext, id: string): RequestPage | null {
  const request = recordedRequests().find((record) => record.id === id)
  if (request === undefined) return null
  const repeated = repeatedStatements(request).map((each) => ({
    ...each,
    callers: each.callers.map(placeOf),
  }))
  return { request, repeated, decisions: decisionsOf(ctx, request), placeOf, hasPlan }
}

function decisionsOf(ctx: PolicyContext, { decisions }: RequestRecord): ShownDecision[] {
  return Map.groupBy(decisions, answerOf)
    .values()
    .flatMap(([decision, ...others]) =>
      decision ? [{ ...decision, times: others.length + 1, rules: rulesOf(ctx, decision) }] : [],
    )
    .toArray()
}

const answerOf = ({ action, resource, cause, reason, error }: DecisionStep): string =>
  [action, resource, cause, reason, error].join()

function rulesOf(ctx: PolicyContext, decision: DecisionStep): ShownDecision['rules'] {
  const [, policy] = [...policiesOf(ctx)].find(([{ name }]) => name === decision.resource) ?? []
  if (policy === undefined) return []
  return rulesAsked(policy, decision.action).map(({ key, rule, inScope }) => ({
    rule: inScope ?? key,
    ...placeOf(inScope === null ? locateFunction(rule) : policy.declaredAt),
  }))
}

const placeOf = (line: string): Place => ({ line, url: editorUrl(line) })

/** The data of a page that shows the plan of a statement. */
export interface PlanPage {
  readonly request: RequestRecord
  readonly text: string
  readonly plan: readonly string[]
}

/** Returns the plan of a statement for any values, by its number. Executes nothing. Null for a statement without a plan. */
export async function planPage(id: string, number: number): Promise<PlanPage | null> {
  const request = recordedRequests().find((record) => record.id === id)
  const { text = '' } = request?.statements[number] ?? {}
  if (request === undefined || !hasPlan(text)) return null
  const explain = sql.raw<{ 'QUERY PLAN': string }>(`explain (generic_plan, verbose) ${text}`)
  try {
    const { rows } = await explain.execute(database())
    return { request, text, plan: rows.map((row) => row['QUERY PLAN']) }
  } catch (error) {
    const remedy = sqlState(error) === SYNTAX_ERROR ? ' Plans without values need Postgres 16.' : ''
    return { request, text, plan: [`${(error as Error).message}.${remedy}`] }
  }
}

const SYNTAX_ERROR = '42601'

const hasPlan = (text: string): boolean => /^\s*(?:select|with|insert|update|delete)\b[^;]*$/i.test(text)
