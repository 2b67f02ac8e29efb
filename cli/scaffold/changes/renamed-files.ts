import { asIn, textAt, unix } from '../../project/file-text.ts'
import { Exit, EXIT } from '../../exit.ts'
import { mergeOf } from '../../project/three-way.ts'
import { companionsOf, guidePages } from '../companions.ts'
import { filesOf } from '../code/files.ts'
import { dependentsOf } from '../dependents.ts'
import { isMigration, isUntouched, type ScaffoldRecord } from '../project/record.ts'
import { type Step, stepTo } from '../step.ts'
import { finerMerge, likeBefore } from './finer-merge.ts'
import type { Renamed } from './renamed-records.ts'
import { renamedCode, renamedIn, type Renaming } from './renamed-text.ts'

/** A file whose text or path has the name. */
export interface RenamedFile {
  readonly from: string
  readonly path: string
  readonly before: string
  readonly after: string
  /** The text without edits; left out for a file that was not generated. */
  readonly generated?: string
  readonly hasConflict?: boolean
}

/** Returns the steps that write a file, and remove it from its old path. */
export function renamingSteps({ from, path, before, after, generated = after }: RenamedFile): Step[] {
  const isEdited = generated !== after
  if (from === path)
    return [{ ...stepTo(path, before, after), ...(isEdited && { verb: 'merge', generated }) }]
  return [
    stepTo(from, before, null),
    { ...stepTo(path, null, after), verb: isEdited ? 'merge' : 'change', generated },
  ]
}

/** Returns the generated files that change. Edits are kept. */
export async function renamedGenerated(
  root: string,
  { record: { scaffold }, was, model }: Renamed,
  renaming: Renaming,
): Promise<RenamedFile[]> {
  // The migration that created the table stays.
  const [before, after] = [await filesOf(was, { migration: '' }), await filesOf(model, { migration: '' })]
  const files = before.map(async ({ path: from, text: old }, at) => {
    const [{ path, text } = { path: from, text: old }, edited] = [after[at], textAt(root, from)]
    if (isMigration(from) || edited === null || (path === from && text === old)) return []
    const file = { from, path, before: edited, after: asIn(edited, text), generated: asIn(edited, text) }
    if (isUntouched(scaffold, from, edited)) return [file]
    const own = await renamedFile(from, edited, renaming, true)
    // Otherwise the templates have changed since.
    const isBase = isUntouched(scaffold, from, old)
    return [
      isBase
        ? await mergedFile({ ...file, after: own }, await renamedFile(from, old, renaming, true))
        : { ...file, after: own, hasConflict: true },
    ]
  })
  return (await Promise.all(files)).flat()
}

/** Merges the new text into an edited one. Both sides have the new names already where their code shows them. */
async function mergedFile(file: RenamedFile & { generated: string }, base: string): Promise<RenamedFile> {
  const { path, after: own, generated } = file
  const step: Step = { path, verb: 'keep', before: own, after: own, generated, base }
  const lines = mergeOf({ base, edited: own, incoming: generated })
  const { step: done, hasConflict } = await finerMerge(
    lines === null ? step : { ...step, verb: 'merge', after: lines },
  )
  return { ...file, after: done.after ?? own, hasConflict: hasConflict || done.verb === 'keep' }
}

/** Returns the other files in the folders of a resource, the code that imports from there, and the pages about it. */
export async function renamedOthers(
  root: string,
  record: ScaffoldRecord,
  { renaming, done }: { renaming: Renaming; done: readonly string[] },
): Promise<{ files: RenamedFile[]; binaries: string[] }> {
  const { folder } = record.names
  const isLeft = (path: string) => path !== record.path && !done.includes(path)
  const isOwn = (path: string) => new RegExp(`^(?:app|views|e2e)/${folder}/`).test(path) && isLeft(path)
  const all = companionsOf(root, { ...record, scaffold: { ...record.scaffold, files: {} } })
  const own = all.files.filter(isOwn)
  const users = dependentsOf(root, record.names, { references: [], leaving: own }).filter(isLeft)
  const pages = guidePages(root).filter((path) => textAt(root, path)?.includes(`<!-- ${folder} -->`))
  const files = [...own, ...users, ...pages].map(async (from) => {
    const before = textAt(root, from) ?? ''
    const path = own.includes(from) ? renamedIn(`/${from}`, renaming).slice(1) : from
    return { from, path, before, after: await renamedFile(from, before, renaming) }
  })
  return { files: await Promise.all(files), binaries: all.binaries.filter(isOwn) }
}

/** Returns a file with the new names, formatted if it was. */
export async function renamedFile(
  path: string,
  text: string,
  renaming: Renaming,
  isGenerated = false,
): Promise<string> {
  if (text.includes('\uFFFD'))
    throw new Exit(EXIT.conflict, `${path} is not UTF-8. Save it as UTF-8 first. No files were written.`)
  const code = renamedCode(path, text, renaming, isGenerated)
  if (unix(code) === unix(text) || !/\.[cm]?ts$/.test(path)) return code
  return (await likeBefore(path, text, code)) ?? code
}
