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

/** Merges the new text into edited files. If a merge conflicts, the step stays `keep`, and keeps the edited lines. */
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
  if (after !== null) return { ...step, verb: after === edited ? 'leave' : 'merge', after }
  // The other changes are made, because the files of a resource need each other.
  const [kept, wanted] = [mergeOf(texts, '--ours'), mergeOf(texts, '--theirs')]
  return kept === null || wanted === null ? { ...step, base } : { ...step, after: kept, base: kept, wanted }
}
