import { basename } from 'node:path'
import { formatted } from '../scaffold/code/render-template.ts'
import type { GeneratedFile } from '../scaffold/model.ts'
import {
  type ScaffoldRecord,
  isMigration,
  isUntouched,
  migrationsOf,
  scaffoldsIn,
} from '../scaffold/project/record.ts'
import { digestOf } from '../project/file-text.ts'
import { applyCodemods } from './codemods.ts'
import type { Generated, Recorded, Request } from './generate.ts'
import { mergeTrees, type Outcome } from './merge.ts'
import type { UpgradePlan } from './plan.ts'
import { type Blob, sameContent, textOf, type Tree, withText } from './tree.ts'
import { inVersionFolder, runGenerator } from './version-folder.ts'

/** Returns the application's own scaffolded resources, without those that Pergola contains, such as `app/posts`. */
export const ownScaffolds = (root: string, { base, theirs }: UpgradePlan): ScaffoldRecord[] =>
  scaffoldsIn(root).filter(({ path }) => !base.has(path) && !theirs.has(path))

/** Returns whether the generator changed, so that the new version may write other files for the same resource. */
export function hasNewGenerator({ base, theirs }: Pick<UpgradePlan, 'base' | 'theirs'>): boolean {
  const paths = [...base.keys(), ...theirs.keys()].filter(
    (path) => path.startsWith('cli/scaffold/') && !path.endsWith('.test.ts'),
  )
  return paths.some((path) => {
    const [old, fresh] = [base.get(path), theirs.get(path)]
    return old === undefined || fresh === undefined || !sameContent(old, fresh)
  })
}

/** Adds the generated files of the new version to the plan, merged with the developer's edits. Migrations don't change. */
export async function withResources(root: string, plan: UpgradePlan, markers: boolean): Promise<UpgradePlan> {
  const resources = ownScaffolds(root, plan)
  if (resources.length === 0) return plan
  const generated = generatedBy(resources, root)
  const [old, fresh] = [await generated(plan.old), await generated(plan.theirs)]
  const lists = await Promise.all(
    resources.map((resource, at) =>
      outcomesOf(resource, { old: old[at] ?? '', fresh: fresh[at] ?? '' }, { root, plan, markers }),
    ),
  )
  const outcomes = lists.flat()
  const refreshed = new Set(outcomes.map(({ path }) => path))
  return { ...plan, outcomes: [...plan.outcomes.filter(({ path }) => !refreshed.has(path)), ...outcomes] }
}

/**
 * Returns a function that generates the files of these resources with a version. An error message replaces missing
 * files.
 */
function generatedBy(records: readonly ScaffoldRecord[], root: string) {
  const resources = records.map(recorded)
  return async (tree: Tree): Promise<Generated> => {
    try {
      const targets = runGenerator(root, ['targets']) as Request['targets']
      const input = JSON.stringify({ resources, targets } satisfies Request)
      return await inVersionFolder(tree, root, (folder) => runGenerator(folder, [], input) as Generated)
    } catch (error) {
      return resources.map(() => (error as Error).message)
    }
  }
}

const recorded = ({ names, scaffold }: ScaffoldRecord): Recorded => ({
  resource: names.resource,
  // The name with which the resource was created. `asMade` in extend-model.ts follows the same rule.
  name: scaffold.command.includes('--plural') ? (scaffold.command[0] ?? '') : names.file,
  command: scaffold.command,
  plural: scaffold.plural,
  migration: basename(migrationsOf(scaffold)[0] ?? '', '.ts'),
})

type Output = Generated[number]

async function outcomesOf(
  resource: ScaffoldRecord,
  { old, fresh }: { old: Output; fresh: Output },
  { root, plan, markers }: { root: string; plan: UpgradePlan; markers: boolean },
): Promise<Outcome[]> {
  const { path, scaffold } = resource
  const record = plan.ours.get(path)
  const problem = [old, fresh].find((output) => typeof output === 'string')
  if (typeof old === 'string' || typeof fresh === 'string' || record === undefined) {
    const decision = `its files could not be updated: ${problem ?? 'it has no scaffold.json'}`
    return [{ path, verb: 'keep', after: record ?? null, decision }]
  }
  const isUnedited = (file: string) => {
    const text = textAt(plan.now, file)
    return text !== null && isUntouched(scaffold, file, text)
  }
  // An unedited file may come from an even older version. Then the file itself is the merge base.
  const written = { base: new Map(), ours: treeOfFiles(old) }
  const base = new Map(
    [...(await applyCodemods(written, plan.codemods, root)).ours].map(([file, blob]) => [
      file,
      isUnedited(file) ? (plan.ours.get(file) ?? blob) : blob,
    ]),
  )
  const theirs = treeOfFiles(fresh)
  const merged = await mergeTrees({ base, ours: plan.ours, theirs, renames: new Map(), markers })
  const renewed = { path, verb: 'replace' as const, after: await renewedRecord(record, fresh) }
  return [
    ...merged,
    ...(sameContent(renewed.after, record) && plan.now.get(path) === record ? [] : [renewed]),
  ]
}

const treeOfFiles = (files: readonly GeneratedFile[]): Tree =>
  new Map(
    files
      .filter(({ path }) => !isMigration(path))
      .map(({ path, text }) => [path, { bytes: Buffer.from(text), executable: false }]),
  )

function textAt(tree: Tree, path: string): string | null {
  const blob = tree.get(path)
  return blob === undefined ? null : textOf(blob)
}

/** Returns `scaffold.json` with the digests of the files that the new version generates. */
async function renewedRecord(blob: Blob, fresh: readonly GeneratedFile[]): Promise<Blob> {
  const record = JSON.parse(textOf(blob) ?? '{}') as { files: Record<string, string> }
  const digests = fresh
    .filter(({ path }) => !isMigration(path))
    .map(({ path, text }) => [path, digestOf(text)] as const)
  const files = [...new Map([...Object.entries(record.files), ...digests])].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )
  const text = JSON.stringify({ ...record, files: Object.fromEntries(files) })
  return withText(blob, (await formatted({ path: 'app/scaffold.json', text })).text)
}
