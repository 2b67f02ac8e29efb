import { inspect } from 'node:util'
import DataLoader from 'dataloader'
import type { Origin } from '../database/row-origins.ts'
import { completeRow, originOf } from '../database/rows.ts'
import type { PolicyContext, ScopeQuestion } from './authorization-types.ts'
import { memoOf, stateOf } from './request-state.ts'
import { registeredScope } from './scope.ts'
import { type AskedRecord, LARGEST_BATCH, recordsInScope } from './scope-query.ts'

/** Returns the source of a question, for people: `inScope('by', { author: 7 })`. */
export const questionText = ({ variant }: ScopeQuestion): string =>
  `inScope(${variant.map((value) => inspect(value, { depth: null, breakLength: Infinity, sorted: true })).join(', ')})`

type Memo = ReturnType<typeof memoOf>
type Answer = boolean | Promise<boolean>

/** The answers about a row. Many rows of a list share one map, so it is replaced and never changed. */
export type RowAnswers = ReadonlyMap<ScopeQuestion, Answer>

/** By the origin, which copies of a row share. The keys are weak: a task may decide about millions of rows. */
type Answers = WeakMap<Origin, RowAnswers>

const ANSWERS = Object.freeze({})

/** Returns the answers that are valid until the next write of this transaction. */
export function answersIn({ lookups }: Memo): Answers {
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
    isScope: true,
  })
}
