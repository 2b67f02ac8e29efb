import { type AddOn, addOnsIn } from './add-on.ts'
import { addedTo, nameIn, withAddOn } from './package-json.ts'
import { applyEdit } from '../project/apply-edit.ts'
import { type Sides, textIn, type Tree, writeBlob } from '../upgrade/tree.ts'

const PACKAGE = 'package.json'

/**
 * Returns both versions with the add-ons of the application, as if they were added to them. The files of an add-on that one
 * of the versions lacks are the application's own.
 */
export function withAddOns(store: string, sides: Sides): Sides {
  const own = textIn(store, sides.ours, PACKAGE) || '{}'
  const [old, fresh] = [sides.base, sides.theirs].map((tree) => chosen(store, tree, own))
  const inBoth = (addOn: AddOn) =>
    [old, fresh].every((all) => all?.some(({ name }) => name === addOn.name) === true)
  return {
    ...sides,
    base: (old ?? []).filter(inBoth).reduce((tree, addOn) => added(store, tree, addOn), sides.base),
    theirs: (fresh ?? []).filter(inBoth).reduce((tree, addOn) => added(store, tree, addOn), sides.theirs),
  }
}

function chosen(store: string, tree: Tree, packageJson: string): AddOn[] {
  const names = addedTo(packageJson)
  if (names.length === 0) return []
  const source = { paths: [...tree.keys()], text: (path: string) => textIn(store, tree, path) }
  return addOnsIn(source, nameIn(packageJson)).filter(({ name }) => names.includes(name))
}

function added(store: string, tree: Tree, addOn: AddOn): Tree {
  const after = new Map(tree)
  const put = (path: string, text: string) =>
    after.set(path, { mode: tree.get(path)?.mode ?? '100644', id: writeBlob(store, text) })
  for (const [path, text] of addOn.files) put(path, text)
  for (const [path, diff] of addOn.edits)
    if (tree.has(path)) put(path, applyEdit(textIn(store, tree, path), diff))
  put(PACKAGE, withAddOn(textIn(store, tree, PACKAGE), addOn))
  return after
}
