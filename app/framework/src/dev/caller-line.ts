import { linesOf } from '../resource/declared-at.ts'

/** The most frames that are read. Those of the framework and of Kysely are above those of the application. */
const FRAMES = 60

/** Returns the innermost line of the application that led to the running code, `app/posts/post.controller.ts:12`, or null. */
export function callerLine(): string | null {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = FRAMES
  const { stack } = new Error()
  Error.stackTraceLimit = stackTraceLimit
  return linesOf(stack).find((line) => OF_APPLICATION.test(line)) ?? null
}

export const OF_APPLICATION = /^app\/(?!framework\/)/
