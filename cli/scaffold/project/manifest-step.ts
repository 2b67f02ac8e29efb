import { type Manifest, manifestText, parseManifest } from 'pergola/manifest'
import { mergeManifest } from '../../commands/routes/merge-manifest.ts'
import type { Step } from '../step.ts'
import type { Project } from './project.ts'
import { asIn, sameText, textAt } from '../../project/file-text.ts'

const MANIFEST = 'security.manifest.json'

/**
 * Adds the changes of the new files to the reviewed manifest. `code` is the manifest of the code without them. The step's
 * `generated` is the manifest of the code with them: if `after` differs from it, other changes still need a review.
 */
export async function manifestStep(project: Project, code: string): Promise<Step> {
  const before = textAt(project.root, MANIFEST)
  const generated = await project.manifest()
  const reviewed = before === null ? null : readManifest(before)
  // Without a readable manifest, no route was reviewed. A new manifest would mark every route as reviewed.
  if (before === null || reviewed === null)
    return { path: MANIFEST, verb: 'leave', before, after: before, generated }
  const change = { before: parseManifest(code), after: parseManifest(generated) }
  const after = asIn(before, manifestText(mergeManifest(reviewed, change)))
  const verb = sameText(before, after) ? 'same' : 'change'
  return { path: MANIFEST, verb, before, after, generated }
}

/** Returns the step of a dry run. The new manifest is unknown, because it is computed from the written files. */
export function unknownManifest(root: string): Step {
  const text = textAt(root, MANIFEST)
  return { path: MANIFEST, verb: 'change', before: text, after: text, generated: text ?? '' }
}

/** Returns whether the code has other changes that the manifest lacks, which this command did not make. */
export const isUnreviewed = (steps: readonly Step[]): boolean =>
  steps.some(({ path, after, generated }) => path === MANIFEST && !sameText(after, generated))

function readManifest(text: string): Manifest | null {
  try {
    return parseManifest(text)
  } catch {
    return null
  }
}
