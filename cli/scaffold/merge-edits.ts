import { filesOf } from './code/files.ts'
import type { Model } from './model.ts'
import type { Step } from './step.ts'
import { isUntouched, type Scaffold } from './project/record.ts'
import { sameText } from '../project/file-text.ts'
import { mergeOf } from '../project/three-way.ts'

/** The previous version of the resource. Its generated files are the base of the merge. */
export interface PreviousVersion {
  readonly was: Model
  readonly before: Scaffold
  /** The name of the migration that created its table. */
  readonly migration: string
}

/** Merges the new text into edited files. If a merge conflicts, the step stays `keep`. */
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
  const { path, before: edited, generated } = step
  if (base === undefined || edited === null) return step
  if (sameText(base, generated)) return { ...step, verb: 'leave' }
  // The templates may have changed since. Merges only if the base is the text that was edited.
  const isTrue = isUntouched(record, path, base)
  const after = isTrue ? mergeOf({ base, edited, incoming: generated }) : null
  if (after === null) return { ...step, base }
  return { ...step, verb: after === edited ? 'leave' : 'merge', after }
}
