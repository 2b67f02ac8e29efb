import { filesOf } from './code/files.ts'
import type { Model } from './model.ts'
import type { Step } from './scaffold-plan.ts'
import { isUntouched, type Scaffold } from './project/record.ts'
import { sameText } from './project/file-text.ts'
import { mergeOf } from './project/three-way.ts'

/** What the resource was made with: by this, its files can be made again as they were before anybody edited them. */
export interface PreviousVersion {
  readonly was: Model
  readonly before: Scaffold
  /** The name of the migration that made its table. */
  readonly migration: string
}

/** The steps, of which those that would keep an edited file get what is new into it where that is beyond doubt. */
export async function withEditsMerged(
  steps: readonly Step[],
  made: PreviousVersion,
): Promise<readonly Step[]> {
  if (steps.every(({ verb }) => verb !== 'keep')) return steps
  const bases = new Map((await filesOf(made.was, made)).map(({ path, text }) => [path, text]))
  return steps.map((step) =>
    step.verb === 'keep' ? reconcile(step, bases.get(step.path), made.before) : step,
  )
}

function reconcile(step: Step, base: string | undefined, record: Scaffold): Step {
  const { path, before: edited, wanted } = step
  if (base === undefined || edited === null) return step
  if (sameText(base, wanted)) return { ...step, verb: 'leave' }
  // Templates may have changed since: only what was really there once is what somebody edited.
  const isTrue = isUntouched(record, path, base)
  const after = isTrue ? mergeOf({ base, edited, wanted }) : null
  if (after === null) return { ...step, base }
  return { ...step, verb: after === edited ? 'leave' : 'merge', after }
}
