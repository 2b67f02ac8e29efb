import { type Manifest, manifestText, parseManifest } from 'pergola/manifest'
import { mergeManifest } from '../../routes/merge-manifest.ts'
import type { Step } from '../scaffold-plan.ts'
import type { Project } from './project.ts'
import { asIn, sameText, textAt } from './file-text.ts'

const MANIFEST = 'security.manifest.json'

/**
 * Adds to the reviewed manifest what the new files changed; `code` is the manifest of the code before them. `wanted` is
 * that of the code now: where `after` differs from it, something else is still to be reviewed.
 */
export async function manifestStep(project: Project, code: string): Promise<Step> {
  const before = textAt(project.root, MANIFEST)
  const wanted = await project.manifest()
  const reviewed = before === null ? null : readManifest(before)
  // Without a readable manifest nothing was reviewed, and writing one would approve all there is.
  if (before === null || reviewed === null)
    return { path: MANIFEST, verb: 'leave', before, after: before, wanted }
  const change = { before: parseManifest(code), after: parseManifest(wanted) }
  const after = asIn(before, manifestText(mergeManifest(reviewed, change)))
  return { path: MANIFEST, verb: sameText(before, after) ? 'same' : 'change', before, after, wanted }
}

/** The step of a rehearsal, in which no file exists that could change the manifest. */
export function unknownManifest(root: string): Step {
  const text = textAt(root, MANIFEST)
  return { path: MANIFEST, verb: 'change', before: text, after: text, wanted: text ?? '' }
}

/** Whether the manifest lacks changes of the code that this command did not make. */
export const isUnreviewed = (steps: readonly Step[]): boolean =>
  steps.some(({ path, after, wanted }) => path === MANIFEST && !sameText(after, wanted))

function readManifest(text: string): Manifest | null {
  try {
    return parseManifest(text)
  } catch {
    return null
  }
}
