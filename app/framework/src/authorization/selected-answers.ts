import type { Request } from 'express'
import { type Expression, expressionBuilder, sql, type SqlBool } from 'kysely'
import { isWrongSql } from '../database/database-failure.ts'
import { type ExtraColumns, loadRow, originOf, readRow } from '../database/rows.ts'
import type { AnyBuilder, Which } from '../database/statements.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import type { PolicyContext, ScopeQuestion } from './authorization-types.ts'
import { authorizationOf, policyContext } from './policy-context.ts'
import { memoOf, registryOf } from './request-state.ts'
import { narrowing, registeredScope } from './scope.ts'
import { answersIn, type RowAnswers } from './scope-answers.ts'
import { standIn } from './stand-in.ts'

/**
 * Loads a row like `loadRow`. If rules of the policy are `inScope`, the same statement selects the answers of
 * the scope. If its SQL fails, the row is loaded without the answers, and the rules deny with the error.
 */
export function loadAnswered<R extends Resource>(
  req: Request,
  resource: R,
  id: unknown,
  which: Which,
): Promise<RowOf<R> | null> {
  const questions = questionsOf(req, resource)
  return questions === undefined
    ? loadRow(resource, id, which)
    : loadWithAnswers(req, { resource, id, which, questions })
}

const questionsOf = ({ app }: Request, resource: Resource): readonly ScopeQuestion[] | undefined =>
  authorizationOf(app).registry.policies.get(resource)?.scopeQuestions

/** Returns whether `loadAnswered` asks the scope, which needs the caller. */
export const asksScope = (req: Request, resource: Resource): boolean =>
  questionsOf(req, resource) !== undefined

/** Returns a row in place of the one that `loadAnswered` didn't find. That statement asked the scope, too. */
export async function missingRow(req: Request, resource: Resource, id: RecordId): Promise<object> {
  const ctx = await policyContext(req)
  const row = standIn(ctx, resource, id)
  const [origin, questions] = [originOf(resource, row), questionsOf(req, resource)]
  if (origin !== undefined && questions !== undefined)
    answersIn(memoOf(ctx)).set(origin, new Map(questions.map((question) => [question, false])))
  return row
}

interface Loading<R extends Resource> {
  resource: R
  id: unknown
  which: Which
  questions: readonly ScopeQuestion[]
}

async function loadWithAnswers<R extends Resource>(
  req: Request,
  { resource, id, which, questions }: Loading<R>,
): Promise<RowOf<R> | null> {
  const ctx = await policyContext(req)
  try {
    return await loadRow(resource, id, which, answerColumns(ctx, { questions, known: [] }))
  } catch (error) {
    if (!isWrongSql(error)) throw error
    // Each rule asks on its own, so that a broken variant denies only its own actions.
    return loadRow(resource, id, which)
  }
}

/**
 * Returns the columns that a list of `visibleTo(ctx)` selects for the rules of the policy. Undefined if no rule is
 * `inScope`. All rows of the list are in the scope and in the variant of the list, which need no column.
 */
export function listAnswers(
  ctx: PolicyContext,
  resource: Resource,
  variant: readonly unknown[],
): ExtraColumns | undefined {
  const questions = registryOf(ctx)?.policies.get(resource)?.scopeQuestions
  if (questions === undefined) return undefined
  // The parameters of a variant may change between this call and the query, so its answer is selected.
  const isKnown = ({ variant: asked }: ScopeQuestion) =>
    asked.length === 0 || (asked.length === 1 && variant.length === 1 && asked[0] === variant[0])
  const known = questions.filter(isKnown)
  return answerColumns(ctx, { questions, known })
}

interface Selected {
  questions: readonly ScopeQuestion[]
  /** The questions whose answer is true for every row of the query. */
  known: readonly ScopeQuestion[]
}

/** The prefix of the columns with answers. */
const ALIAS = '__in_scope'

function answerColumns(ctx: PolicyContext, { questions, known }: Selected): ExtraColumns {
  const columns = questions
    .filter((question) => !known.includes(question))
    .map((question, index) => ({ question, alias: `${ALIAS}${index}` }))
  const alwaysTrue: RowAnswers = new Map(known.map((question) => [question, true]))
  return {
    select: (query) =>
      query.select(
        columns.flatMap(({ question, alias }) => {
          const condition = conditionOf(ctx, question)
          return condition === null ? [] : [sql<boolean | null>`${condition}`.as(alias)]
        }),
      ),
    reader() {
      // Before the statement, so that a write at the same time makes its answers invalid.
      const answers = answersIn(memoOf(ctx))
      return (resource, stored) => {
        const taken = takeAnswers(stored, columns)
        const row = readRow(resource, stored)
        const origin = originOf(resource, row)
        if (origin !== undefined)
          answers.set(origin, taken.length === 0 ? alwaysTrue : new Map([...alwaysTrue, ...taken]))
        return row
      }
    },
  }
}

/** Returns the condition of a question as SQL. Null if the scope throws: its rules then throw the same error. */
function conditionOf(ctx: PolicyContext, question: ScopeQuestion): Expression<SqlBool> | null {
  const { resource, variant } = question
  const is: AnyBuilder = expressionBuilder()
  try {
    const node = narrowing(registeredScope(resource, ctx), { ctx, resource, variant })(is).toOperationNode()
    return { expressionType: undefined, toOperationNode: () => node }
  } catch {
    return null
  }
}

interface AnswerColumn {
  question: ScopeQuestion
  alias: string
}

/** Removes the answers from a row of the driver, and returns them. */
function takeAnswers(stored: Record<string, unknown>, columns: readonly AnswerColumn[]) {
  return columns.flatMap(({ question, alias }) => {
    if (!Object.hasOwn(stored, alias)) return []
    const answer = stored[alias] === true
    delete stored[alias]
    return [[question, answer] as const]
  })
}
