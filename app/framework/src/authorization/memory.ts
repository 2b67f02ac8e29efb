import { currentPlace } from '../database/executor.ts'
import type { Decision } from './decide.ts'
import type { PolicyContext } from './policy-context.ts'

/** What was found out for one caller: every answer once, until somebody writes. */
interface Memory {
  readonly answers: Map<string, Promise<Decision>>
  /** What each `lookup` found, by its function. */
  readonly lookups: Map<object, unknown>
  /** Broken rules that the log heard of already. */
  readonly reported: Set<string>
  readonly writes: number | undefined
}

const memories = new WeakMap<PolicyContext, WeakMap<object, Memory>>()

/**
 * A write may change any answer: what was known before it is forgotten. A transaction sees other rows than what runs
 * beside it, so each has a memory of its own. Another identity is another context.
 */
export function memoryOf(ctx: PolicyContext): Memory {
  const place = currentPlace()
  const writes = place?.unit.writes
  const byPlace = memories.get(ctx) ?? new WeakMap<object, Memory>()
  const known = byPlace.get(place ?? ctx)
  if (known !== undefined && known.writes === writes) return known
  const fresh = { answers: new Map(), lookups: new Map(), reported: new Set<string>(), writes }
  memories.set(ctx, byPlace.set(place ?? ctx, fresh))
  return fresh
}
