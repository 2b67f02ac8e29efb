import { applyEdit } from '../project/apply-edit.ts'
import { type Sides, textIn, type Tree, writeBlob } from '../upgrade/tree.ts'
import { namesIn, readAddOn } from './add-on.ts'
import { addedTo, nameIn, withAddOn } from './package-json.ts'

const PACKAGE = 'package.json'

/**
 * Returns both versions with the add-ons of the application, as if they were added to them. The files of an add-on that one
 * of the versions lacks, or that this command can't read, are the application's own.
 */
export function withAddOns(store: string, sides: Sides): Sides {
  const own = textIn(store, sides.ours, PACKAGE) || '{}'
  return addedTo(own).reduce((result, name) => {
    const [base, theirs] = [result.base, result.theirs].map((tree) =>
      added(store, tree, { name, application: nameIn(own) }),
    )
    return base && theirs ? { ...result, base, theirs } : result
  }, sides)
}

/** Returns the tree with the add-on; null if that is not possible. */
function added(
  store: string,
  tree: Tree,
  { name, application }: { name: string; application: string },
): Tree | null {
  const source = { paths: [...tree.keys()], text: (path: string) => textIn(store, tree, path) }
  if (!namesIn(source).includes(name)) return null
  try {
    const addOn = readAddOn(source, name, application)
    const edits = [...addOn.edits].map(([path, diff]) => [path, applyEdit(source.text(path), diff)] as const)
    const record = [PACKAGE, withAddOn(source.text(PACKAGE), addOn)] as const
    const entries = [...addOn.files, ...edits, record].map(([path, text]) => {
      const mode = tree.get(path)?.mode ?? '100644'
      return [path, { mode, id: writeBlob(store, text) }] as const
    })
    return new Map([...tree, ...entries])
  } catch {
    return null
  }
}
