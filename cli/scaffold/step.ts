import { sameText } from '../project/file-text.ts'
import type { ThreeTexts } from '../project/three-way.ts'
import type { Change } from '../project/writing.ts'

/** For an edited file: `merge` adds the new text, `leave` has nothing to add, and `keep` leaves edited lines in a conflict. */
export type Verb = 'create' | 'change' | 'same' | 'merge' | 'leave' | 'keep' | 'remove'

export interface Step extends Change {
  readonly verb: Verb
  /** The text that the file would have without edits. */
  readonly generated: string
  /** For `keep`, the text before the edits. The file lacks the changes from here to `wanted`, or to `generated`. */
  readonly base?: string
  readonly wanted?: string
  /** The texts of a merge that failed. */
  readonly conflict?: ThreeTexts
}

/** Returns the step that writes `after`, or removes the file if `after` is null. */
export function stepTo(path: string, before: string | null, after: string | null): Step {
  const written = before === null ? 'create' : sameText(before, after) ? 'same' : 'change'
  return { path, verb: after === null ? 'remove' : written, before, after, generated: after ?? '' }
}
