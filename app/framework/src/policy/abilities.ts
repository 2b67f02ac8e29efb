import type { Request } from 'express'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { Cause, Decision, PolicyContext } from './authorization-types.ts'
import type { Question } from './decide.ts'
import { blankDraft, decisionOn } from './decisions.ts'
import { reportDenial } from './denial.ts'
import type { Seen } from './field-access.ts'
import type { DraftOf, VerbOf } from './policy.ts'
import { policyContext } from './policy-context.ts'
import { memoOf } from './policy-state.ts'

/** An action on a stored row. */
export type RowAction<R extends Resource> = Exclude<VerbOf<R>, 'create'>

/** Returns whether the caller may perform one of these actions on a row: see `abilities`. */
export type May<R extends Resource, Action extends RowAction<R> = RowAction<R>> = (
  row: RowOf<Seen<R>>,
  action: Action,
) => boolean

/**
 * Decides on each action for each row, and returns a function for the view: `it.may(post, 'update')`. The function
 * returns false for rows that were not passed to `abilities`.
 *
 * Costs no query unless the rules send one. All rules are called at the same time, so that each `lookup` sends one
 * query for the whole page.
 *
 * ```ts
 * const may = await abilities(req, Post, page.content, ['update', 'delete'])
 * await render(res, 'posts/index', { page, may })
 * ```
 */
export async function abilities<R extends Resource, Action extends RowAction<R>>(
  req: Request,
  resource: R,
  rows: readonly RowOf<Seen<R>>[],
  actions: readonly Action[],
): Promise<May<R, Action>> {
  const ctx = await policyContext(req)
  const decided = actions.map(async (action): Promise<[string, Set<object>]> => {
    const answers = await inOrder(rows.map((record) => isAllowed(req, ctx, { action, resource, record })))
    return [action, new Set(rows.filter((_row, index) => answers[index]))]
  })
  const allowed = new Map(await Promise.all(decided))
  return (row, action) => allowed.get(action)?.has(row) ?? false
}

/** Waits only for answers that aren't there yet, since most rules answer at once. */
const inOrder = (answers: readonly (boolean | Promise<boolean>)[]) =>
  answers.every(isThere) ? answers : Promise.all(answers.map(async (answer) => answer))

const isThere = (answer: boolean | Promise<boolean>): answer is boolean => typeof answer === 'boolean'

/**
 * Returns whether the caller may create a record, for the button that opens the form. Decides like
 * `authorize('create', …)`, on a draft that has an owner and these values, such as its parent.
 *
 * ```ts
 * await render(res, 'posts/show', { post, mayComment: await mayCreate(req, Comment, { post_id: post.id }) })
 * ```
 */
export async function mayCreate<R extends Resource>(
  req: Request,
  resource: R,
  values?: DraftOf<R>,
): Promise<boolean> {
  const ctx = await policyContext(req)
  const record = { ...values, ...blankDraft(resource, ctx) }
  return isAllowed(req, ctx, { action: 'create', resource, record })
}

/**
 * Returns whether the policy allows the action, for views and validation. Reports no ordinary denial, but a mistake in
 * the policy, once per request: see `BROKEN`.
 */
export function isAllowed(req: Request, ctx: PolicyContext, question: Question): boolean | Promise<boolean> {
  const started = performance.now()
  const answer = (decision: Decision): boolean => {
    if (BROKEN.has(decision.cause)) reportOnce(req, ctx, { ...question, decision, started })
    return decision.allowed
  }
  const pending = decisionOn(ctx, question)
  return pending instanceof Promise ? pending.then(answer) : answer(pending)
}

/** The causes of a denial that are mistakes in the policy. */
const BROKEN = new Set<Cause>(['error', 'invalid_result', 'no_policy', 'timeout'])

interface BrokenDecision extends Question {
  decision: Decision
  started: number
}

/** Reports each problem once for all rows of a page. */
function reportOnce(req: Request, ctx: PolicyContext, { started, ...facts }: BrokenDecision): void {
  const { reported } = memoOf(ctx)
  const problem = `${facts.action} ${facts.resource.name} ${facts.decision.cause}`
  if (!reported.has(problem)) reportDenial(req, ctx, { ...facts, ms: performance.now() - started })
  reported.add(problem)
}
