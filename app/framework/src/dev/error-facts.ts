import { DatabaseError } from 'pg'
import { linesOf } from '../resource/declared-at.ts'
import { OF_APPLICATION } from './caller-line.ts'
import type { Recording } from './recording.ts'

/** What is known about an error and its request. */
export interface ErrorFacts {
  readonly message: string
  /** The line of the application that it leads to, `app/posts/post.controller.ts:12`. */
  readonly place: string | null
  /** The lines of the views that were rendered, the included view before the one that includes it. */
  readonly views: readonly string[]
  readonly statement: FailedStatement | null
  /** The guards that were passed, in words. */
  readonly guards: readonly string[]
  readonly url: string
}

interface FailedStatement {
  /** The SQL, with a mark in front of what is wrong. */
  readonly text: string
  /** The remedy of Postgres, such as a column of a similar name. */
  readonly hint: string | null
  readonly caller: string | null
}

/** Returns the facts about the error of a request, which `recording` has if requests are recorded. */
export function errorFacts(error: Error, url: string, recording?: Recording): ErrorFacts {
  const { guards = [], statements = [] } = recording?.record ?? {}
  const views = viewsIn(error)
  const cause = causesOf(error).find((one) => one instanceof DatabaseError) ?? null
  const failed = statements.findLast((statement) => statement.error === cause?.message)
  return {
    message: views.length > 0 ? rootMessage(error) : (cause ?? error).message,
    place: placeOf(error) ?? failed?.caller ?? null,
    views,
    statement:
      cause === null || failed === undefined
        ? null
        : { text: marked(failed.text, cause), hint: cause.hint ?? null, caller: failed.caller },
    guards: guards.filter(({ error }) => error === undefined).map(({ guard }) => guard),
    url,
  }
}

const causesOf = (error: unknown): Error[] =>
  error instanceof Error ? [error, ...causesOf(error.cause)] : []

const placeOf = (error: Error): string | null =>
  causesOf(error)
    .flatMap(({ stack }) => [...linesOf(stack)])
    .find((line) => OF_APPLICATION.test(line)) ?? null

/** Eta begins its messages with a line such as `/app/views/users/index.eta:12`. */
function viewsIn(error: Error): ErrorFacts['views'] {
  const lines = new Map<string, string>()
  for (const { message } of causesOf(error))
    for (const [place, file = ''] of message.matchAll(/^(\/.+\.eta):\d+$/gm)) lines.set(file, place)
  return [...lines.values()].toReversed()
}

/** Returns the last line of the first cause: the error of the view's code, without Eta's excerpt of the view. */
const rootMessage = (error: Error): string => causesOf(error).at(-1)?.message.split('\n').at(-1) ?? ''

/** Postgres counts the characters of the statement from 1. */
function marked(text: string, { position }: DatabaseError): string {
  const at = Number(position) - 1
  return Number.isInteger(at) && at >= 0 ? `${text.slice(0, at)}▸${text.slice(at)}` : text
}
