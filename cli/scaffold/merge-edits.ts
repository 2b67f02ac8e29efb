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
  return steps.map((step) => reconcile(step, bases.get(step.path), made.before))
}

function reconcile(step: Step, base: string | undefined, record: Scaffold): Step {
  const { path, before: edited, generated } = step
  if (step.verb !== 'keep' || base === undefined || edited === null) return step
  if (sameText(base, generated)) return { ...step, verb: 'leave' }
  // The templates may have changed since. Merges only if the base is the text that was edited.
  if (!isUntouched(record, path, base)) return { ...step, base }
  const texts = { base, edited, incoming: generated }
  const after = mergeOf(texts)
  return after === null
    ? { ...step, base, conflict: texts }
    : { ...step, verb: after === edited ? 'leave' : 'merge', after }
}

/** Makes the changes of a step that don't conflict, because the files of a resource need each other. */
export function withLinesKept(step: Step): Step {
  // A part of a rule could grant more than the whole one.
  if (step.conflict === undefined || step.path.endsWith('.policy.ts')) return step
  const [kept, wanted] = [mergeOf(step.conflict, '--ours'), mergeOf(step.conflict, '--theirs')]
  return kept === null || wanted === null ? step : { ...step, after: kept, base: kept, wanted }
}
