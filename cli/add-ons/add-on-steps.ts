import { asIn, sameText, textAt, unix } from '../project/file-text.ts'
import { applyEdit, revertEdit } from '../project/apply-edit.ts'
import { type Step, stepTo } from '../scaffold/step.ts'
import type { AddOn } from './add-on.ts'
import { withAddOn, withoutAddOn } from './package-json.ts'

const PACKAGE = 'package.json'

/** A step of an add-on. For an edit that has to be made by hand, `byHand` is its diff. */
export interface AddOnStep extends Step {
  readonly byHand?: string
}

/** A change of the application by an add-on. */
export interface Change {
  readonly verb: 'added' | 'removed'
  readonly addOn: AddOn
  readonly steps: readonly AddOnStep[]
}

/** Plans to add an add-on. `keep`: the file exists already, or the edit doesn't fit it. */
export function stepsToAdd(root: string, addOn: AddOn): AddOnStep[] {
  const files = [...addOn.files].map(([path, text]): AddOnStep => {
    const before = textAt(root, path)
    const isOther = before !== null && !sameText(before, text)
    return isOther
      ? { ...stepTo(path, before, before), verb: 'keep', generated: text }
      : stepTo(path, before, text)
  })
  const edits = [...addOn.edits].map(([path, diff]) => {
    const before = textAt(root, path)
    if (before === null || tried(revertEdit, before, diff) === null)
      return editStep(root, path, applyEdit, diff)
    return stepTo(path, before, before)
  })
  const before = textAt(root, PACKAGE) ?? ''
  return [...files, ...edits, stepTo(PACKAGE, before, asIn(before, withAddOn(before, addOn)))]
}

/** Plans to remove an add-on. `keep`: the file, or the edit, was changed since. With `force`, such files are removed too. */
export function stepsToRemove(
  root: string,
  addOn: AddOn,
  { others, force = false }: { others: readonly AddOn[]; force?: boolean },
): AddOnStep[] {
  const files = [...addOn.files].flatMap(([path, text]): AddOnStep[] => {
    const before = textAt(root, path)
    if (before === null) return []
    return force || sameText(before, text)
      ? [stepTo(path, before, null)]
      : [{ ...stepTo(path, before, before), verb: 'keep' }]
  })
  const edits = [...addOn.edits].map(([path, diff]) => editStep(root, path, revertEdit, diff))
  const before = textAt(root, PACKAGE) ?? ''
  return [...files, ...edits, stepTo(PACKAGE, before, asIn(before, withoutAddOn(before, addOn, others)))]
}

type Edit = typeof applyEdit

function editStep(root: string, path: string, edit: Edit, diff: string): AddOnStep {
  const before = textAt(root, path)
  const after = before === null ? null : tried(edit, before, diff)
  if (after !== null) return stepTo(path, before, after)
  return { ...stepTo(path, before, before ?? ''), after: before, verb: 'keep', byHand: diff }
}

/** Returns null if the diff doesn't fit the text. */
function tried(edit: Edit, text: string, diff: string): string | null {
  try {
    return asIn(text, edit(unix(text), unix(diff)))
  } catch {
    return null
  }
}
