import { currentUnit } from '../database/executor.ts'
import type { Decision } from './decide.ts'
import type { PolicyContext } from './policy-context.ts'

/** What was found out for one caller: every answer once, until somebody writes. */
interface Memory {
  readonly answers: Map<string, Promise<Decision>>
  /** What each `lookup` found, by its function. */
  readonly lookups: Map<object, unknown>
  /** Broken rules that the log heard of already. */
  readonly reported: Set<string>
  readonly unit: object | undefined
  readonly writes: number | undefined
}

const memories = new WeakMap<PolicyContext, Memory>()

/** A write may change any answer: what was known before it is forgotten. Another identity is another context. */
export function memoryOf(ctx: PolicyContext): Memory {
  const unit = currentUnit()
  const writes = unit?.writes
  const known = memories.get(ctx)
  if (known !== undefined && known.unit === unit && known.writes === writes) return known
  const fresh = { answers: new Map(), lookups: new Map(), reported: new Set<string>(), unit, writes }
  memories.set(ctx, fresh)
  return fresh
}
