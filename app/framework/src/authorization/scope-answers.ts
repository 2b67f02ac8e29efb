import { inspect } from 'node:util'
import DataLoader from 'dataloader'
import type { Request } from 'express'
import { type Expression, expressionBuilder, sql, type SqlBool } from 'kysely'
import { isWrongSql } from '../database/database-failure.ts'
import {
  completeRow,
  type ExtraColumns,
  loadUnchecked,
  type Origin,
  originOf,
  readRow,
} from '../database/rows.ts'
import type { AnyBuilder, Which } from '../database/statements.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { PolicyContext, ScopeQuestion } from './authorization-types.ts'
import { authorizationOf, policyContext } from './policy-context.ts'
import { memoOf, registryOf, stateOf } from './request-state.ts'
import { narrowing, registeredScope } from './scope.ts'
import { type AskedRecord, LARGEST_BATCH, recordsInScope } from './scope-query.ts'

/** Returns the source of a question, for people: `inScope('by', { author: 7 })`. */
export const questionText = ({ variant }: ScopeQuestion): string =>
  `inScope(${variant.map((value) => inspect(value, { depth: null, breakLength: Infinity, sorted: true })).join(', ')})`

type Memo = ReturnType<typeof memoOf>
type Answer = boolean | Promise<boolean>

/** The answers about a row. Many rows of a list share one map, so it is replaced and never changed. */
type RowAnswers = ReadonlyMap<ScopeQuestion, Answer>

/** By the origin, which copies of a row share. The keys are weak: a task may decide about millions of rows. */
type Answers = WeakMap<Origin, RowAnswers>

const ANSWERS = Object.freeze({})

/** Returns the answers that are valid until the next write of this transaction. */
function answersIn({ lookups }: Memo): Answers {
  const found = lookups.get(ANSWERS) as Answers | undefined
  if (found !== undefined) return found
  const answers: Answers = new WeakMap()
  lookups.set(ANSWERS, answers)
  return answers
}

/** The record of a decision. A draft has no stored row, even if it has an id. */
interface DecidedRecord {
  readonly record: object
  readonly isDraft?: boolean
}

/**
 * Returns whether a record is in the scope, and in the variant of the question. Sends no statement if the statement
 * that read the row contained the answer. Otherwise concurrent calls share one statement.
 */
export async function isRecordInScope(
  ctx: PolicyContext,
  question: ScopeQuestion,
  { record, isDraft = false }: DecidedRecord,
): Promise<boolean> {
  const row = completeRow(record)
  const origin = isDraft ? undefined : originOf(question.resource, row)
  const answer = await answerOf(ctx, question, { record: row, origin, isDraft })
  traceAnswer(ctx, question, answer)
  return answer
}

function answerOf(ctx: PolicyContext, question: ScopeQuestion, asked: AskedRecord): Answer {
  const memo = memoOf(ctx)
  if (asked.origin === undefined) return ask(memo, ctx, question, asked)
  const answers = answersIn(memo)
  const known = answers.get(asked.origin)
  const found = known?.get(question)
  if (found !== undefined) return found
  const answer = ask(memo, ctx, question, asked)
  answers.set(asked.origin, new Map([...(known ?? []), [question, answer]]))
  return answer
}

/** A record in a batch. It is removed when the batch is sent, because a loader keeps its last batch. */
interface Waiting {
  asked: AskedRecord | null
}

type Loader = DataLoader<Waiting, boolean>

function ask(memo: Memo, ctx: PolicyContext, question: ScopeQuestion, asked: AskedRecord): Promise<boolean> {
  const loader = (memo.lookups.get(question) as Loader | undefined) ?? batched(ctx, question)
  memo.lookups.set(question, loader)
  return loader.load({ asked })
}

function batched(ctx: PolicyContext, question: ScopeQuestion): Loader {
  const askAll = (batch: readonly Waiting[]) => {
    const asked = batch.flatMap((waiting) => waiting.asked ?? [])
    for (const waiting of batch) waiting.asked = null
    return recordsInScope(ctx, question, asked)
  }
  return new DataLoader(askAll, { maxBatchSize: LARGEST_BATCH, cache: false })
}

function traceAnswer(ctx: PolicyContext, question: ScopeQuestion, value: boolean): void {
  stateOf(ctx).lookupTrace?.push({
    declaredAt: registeredScope(question.resource, ctx)?.declaredAt ?? 'no scope',
    key: questionText(question),
    value,
  })
}

/**
 * Loads a row like `loadUnchecked`. If rules of the policy are `inScope`, the same statement selects the answers of
 * the scope. If its SQL fails, the row is loaded without the answers, and the rules deny with the error.
 */
export function loadAnswered<R extends Resource>(
  req: Request,
  resource: R,
  id: unknown,
  which: Which,
): Promise<RowOf<R> | null> {
  const questions = authorizationOf(req.app).registry.policies.get(resource)?.scopeQuestions
  return questions === undefined
    ? loadUnchecked(resource, id, which)
    : loadWithAnswers(req, { resource, id, which, questions })
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
    return await loadUnchecked(resource, id, which, answerColumns(ctx, { questions, known: [] }))
  } catch (error) {
    if (!isWrongSql(error)) throw error
    // Each rule asks on its own, so that a broken variant denies only its own actions.
    return loadUnchecked(resource, id, which)
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
