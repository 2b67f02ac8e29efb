import { Exit } from '../exit.ts'
import { asIn, sameText, textAt, unix } from '../project/file-text.ts'
import { applyEdit, revertEdit } from '../project/apply-edit.ts'
import { type Step, stepTo } from '../scaffold/step.ts'
import type { AddOn } from './add-on.ts'
import { withAddOn, withoutAddOn } from './package-json.ts'

const PACKAGE = 'package.json'

/** A change of the application by an add-on. */
export interface Change {
  readonly verb: 'added' | 'removed'
  readonly addOn: AddOn
  /** `keep`: the file differs from the one of the add-on. */
  readonly steps: readonly Step[]
  /** The edits that don't fit their files, by path. While there are any, nothing is written. */
  readonly byHand: ReadonlyMap<string, string>
}

/** Plans to add an add-on. Skips an edit that the file has already. */
export function changeToAdd(root: string, addOn: AddOn): Change {
  const files = [...addOn.files].map(([path, text]): Step => {
    const before = textAt(root, path)
    return before === null || sameText(before, text) ? stepTo(path, before, text) : kept(path, before, text)
  })
  const edits = editSteps(root, addOn, {
    edit: applyEdit,
    isDone: (text, diff) => tried(revertEdit, text, diff) !== null,
  })
  const before = textAt(root, PACKAGE) ?? ''
  const record = stepTo(PACKAGE, before, asIn(before, withAddOn(before, addOn)))
  return { verb: 'added', addOn, steps: [...files, ...edits.steps, record], byHand: edits.byHand }
}

/**
 * Plans to remove an add-on. Files that were edited are kept, unless `force` is set. While there are any, package.json still
 * lists the add-on.
 */
export function changeToRemove(
  root: string,
  addOn: AddOn,
  { others, force = false }: { others: readonly AddOn[]; force?: boolean },
): Change {
  const files = [...addOn.files].flatMap(([path, text]): Step[] => {
    const before = textAt(root, path)
    if (before === null) return []
    return [force || sameText(before, text) ? stepTo(path, before, null) : kept(path, before, before)]
  })
  const edits = editSteps(root, addOn, {
    edit: revertEdit,
    isDone: (text, diff) => !hasAddedLine(text, diff),
  })
  const before = textAt(root, PACKAGE) ?? ''
  const isLast = files.every(({ verb }) => verb !== 'keep')
  const record = isLast ? [stepTo(PACKAGE, before, asIn(before, withoutAddOn(before, addOn, others)))] : []
  return { verb: 'removed', addOn, steps: [...files, ...edits.steps, ...record], byHand: edits.byHand }
}

const kept = (path: string, text: string, generated: string): Step => ({
  ...stepTo(path, text, text),
  verb: 'keep',
  generated,
})

type Edit = typeof applyEdit

interface Direction {
  readonly edit: Edit
  readonly isDone: (text: string, diff: string) => boolean
}

function editSteps(root: string, { edits }: AddOn, { edit, isDone }: Direction) {
  const steps: Step[] = []
  const byHand = new Map<string, string>()
  for (const [path, diff] of edits) {
    const before = textAt(root, path)
    const after = before === null ? null : isDone(unix(before), diff) ? before : tried(edit, before, diff)
    if (after === null) byHand.set(path, diff)
    else steps.push(stepTo(path, before, after))
  }
  return { steps, byHand }
}

/** Returns null if the diff doesn't fit the text. */
function tried(edit: Edit, text: string, diff: string): string | null {
  try {
    return asIn(text, edit(unix(text), diff))
  } catch (error) {
    if (error instanceof Exit) throw error
    return null
  }
}

function hasAddedLine(text: string, diff: string): boolean {
  const lines = new Set(text.split('\n'))
  return diff.split('\n').some((line) => /^\+.*\w/.test(line) && lines.has(line.slice(1)))
}
