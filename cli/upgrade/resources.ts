import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { digestOf } from '../project/file-text.ts'
import { formatted } from '../scaffold/code/render-template.ts'
import type { GeneratedFile } from '../scaffold/model.ts'
import { type ScaffoldRecord, isMigration, isUntouched, scaffoldsIn } from '../scaffold/project/record.ts'
import type { Output } from './generate.ts'
import type { Resolution } from './merging/resolve.ts'
import type { Store } from './source.ts'
import { type Entry, isSame, type Sides, textIn, type Tree, writeBlob } from './tree.ts'
import { inVersionFolder } from './version-folder.ts'

/** The files that both versions generate for the application's own resources. They take part in the merge. */
export interface Generated {
  readonly base: Tree
  readonly theirs: Tree
  /** The new content of each `scaffold.json`, or the reason why the resource can't be updated. */
  readonly records: ReadonlyMap<string, Resolution>
}

/** Returns the application's own scaffolded resources, without those that Pergola contains, such as `app/posts`. */
export const ownScaffolds = (root: string, { base, theirs }: Sides): ScaffoldRecord[] =>
  scaffoldsIn(root).filter(({ path }) => !base.has(path) && !theirs.has(path))

/** Returns whether the generator changed, so that the new version may write other files for the same resource. */
export const hasNewGenerator = ({ base, theirs }: Sides): boolean =>
  [...base.keys(), ...theirs.keys()].some(
    (path) => /^cli\/scaffold\/.*(?<!\.test\.ts)$/.test(path) && !isSame(base.get(path), theirs.get(path)),
  )

/** Generates the files of these resources with both versions. Migrations don't change. */
export async function generatedSides(
  resources: readonly ScaffoldRecord[],
  { root, store: { folder: store } }: { root: string; store: Store },
  sides: Sides,
): Promise<Generated> {
  const outputs = [sides.base, sides.theirs].map((tree) =>
    inVersionFolder({ store, tree, root }, (folder) => generate(folder, root, resources)),
  )
  const [base, theirs] = [new Map<string, Entry>(), new Map<string, Entry>()]
  const records = new Map<string, Resolution>()
  const entryOf = (text: string): Entry => ({ mode: '100644', id: writeBlob(store, text) })
  for (const { path, scaffold } of resources) {
    const after = textIn(store, sides.ours, path)
    const [old, fresh] = outputs.map((output) => output[path] ?? 'this version does not know it')
    if (typeof old !== 'object' || typeof fresh !== 'object') {
      const problem = [old, fresh].find((output) => typeof output === 'string')
      const decision = `its files could not be updated: ${problem}`
      records.set(path, { after, decision })
      continue
    }
    for (const file of withoutMigrations(old)) {
      // An unedited file may come from an even older version. Then the file itself is the merge base.
      const own = sides.ours.get(file.path)
      const isUnedited = isUntouched(scaffold, file.path, textIn(store, sides.ours, file.path))
      base.set(file.path, own !== undefined && isUnedited ? own : entryOf(file.text))
    }
    for (const file of withoutMigrations(fresh)) theirs.set(file.path, entryOf(file.text))
    records.set(path, { after: await renewedRecord(after, withoutMigrations(fresh)) })
  }
  return { base, theirs, records }
}

const withoutMigrations = (files: readonly GeneratedFile[]): GeneratedFile[] =>
  files.filter(({ path }) => !isMigration(path))

/** Runs `generate.ts` with the code in this folder. Returns the output by the path of each `scaffold.json`. */
function generate(
  folder: string,
  root: string,
  resources: readonly ScaffoldRecord[],
): Readonly<Record<string, Output>> {
  const paths = resources.map(({ path }) => path)
  const args = [join(import.meta.dirname, 'generate.ts'), folder, root, ...paths]
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  if (status === 0) return JSON.parse(stdout) as Record<string, Output>
  const problem = /^\w*Error.*$/m.exec(stderr)?.[0] ?? stderr.trim()
  return Object.fromEntries(paths.map((path) => [path, problem]))
}

/** Returns `scaffold.json` with the digests of the files that the new version generates. */
async function renewedRecord(before: string, fresh: readonly GeneratedFile[]): Promise<string> {
  const record = JSON.parse(before) as { files: Record<string, string> }
  const digests = fresh.map(({ path, text }) => [path, digestOf(text)])
  const files = { ...record.files, ...(Object.fromEntries(digests) as Record<string, string>) }
  const sorted = Object.entries(files).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const text = JSON.stringify({ ...record, files: Object.fromEntries(sorted) })
  return (await formatted({ path: 'app/scaffold.json', text })).text
}
