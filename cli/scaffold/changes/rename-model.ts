import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { constraintName } from 'pergola/database'
import { Exit, EXIT } from '../../exit.ts'
import { migrationName } from '../../migration-name.ts'
import { asIn, digestOf, sameText, textAt } from '../../project/file-text.ts'
import { altered, migrationFile } from '../code/migration-file.ts'
import { indexName } from '../code/list-indexes.ts'
import { formatted } from '../code/render-template.ts'
import { joinedFields, joinRenamed } from '../many/join-code.ts'
import { constraintRenamed } from '../from-table/changed-table.ts'
import type { GeneratedFile, Model } from '../model.ts'
import { unknownManifest } from '../project/manifest-step.ts'
import type { Project } from '../project/project.ts'
import type { Scaffold } from '../project/record.ts'
import { RESOURCE_LIST, withoutResource, withResource } from '../project/resource-list.ts'
import { carryOut, NOTHING_RUN, type Scaffolded, type ScaffoldFlags } from '../scaffold-resource.ts'
import { stepTo } from '../step.ts'
import { refuseUnfinished } from './change-migrations.ts'
import { columnParts, partRenamed } from './column-parts.ts'
import {
  renamedFile,
  renamedGenerated,
  renamedOthers,
  type RenamedFile,
  renamingSteps,
} from './renamed-files.ts'
import { type NamedChange, type Renamed, renamedRecords } from './renamed-records.ts'
import { type Renaming, renamingOf } from './renamed-text.ts'

/** Gives a resource another name: its files, its table, its history, and other code. A failure rolls everything back. */
export async function renameModel(
  project: Project,
  change: NamedChange,
  flags: ScaffoldFlags,
): Promise<Scaffolded> {
  const { root } = project
  const [own, ...relatives] = renamedRecords(change)
  const { record, was, model } = own
  for (const one of relatives) refuseUnfinished(root, one.record)
  const texts = globSync(`app/${was.names.folder}/**/*.ts`, { cwd: root }).map(
    (path) => textAt(root, path) ?? '',
  )
  const renaming = renamingOf(was.names, model.names, texts)
  const generated = await Promise.all([own, ...relatives].map((one) => renamedGenerated(root, one, renaming)))
  const { files, binaries } = await renamedOthers(root, record, {
    renaming,
    done: generated.flat().map(({ from }) => from),
  })
  const migration = await migrationOf(root, own)
  const digests = { ...record.scaffold.files, [migration.path]: digestOf(migration.text) }
  const grown = { ...own, record: { ...record, scaffold: { ...record.scaffold, files: digests } } }
  const records = [grown, ...relatives].map((one, at) => recordFile(root, one, generated[at] ?? []))
  const all = [
    ...generated.flat(),
    ...files,
    ...(await Promise.all(records)),
    await listFile(root, model, renaming),
  ]
  const steps = [...all.flatMap(renamingSteps), stepTo(migration.path, null, migration.text)]
  const taken = steps.find(({ path, before }) => before === null && textAt(root, path) !== null)?.path
  if (taken)
    throw new Exit(EXIT.conflict, `${taken} already exists: choose another name. No files were written.`)
  const edited = generated.flat().filter(({ hasConflict }) => hasConflict)
  const places = [
    ...edited.map(({ path }) => `${path}  (you edited a place of the name: your text stays)`),
    ...binaries.map((path) => `${path}  (not text: move it to the new folder)`),
  ]
  const migrations = [basename(migration.path, '.ts')]
  const result = { model, places, migrations, notes: notesOf(own, relatives), dryRun: flags.dryRun ?? false }
  const manifest = unknownManifest(root)
  if (flags.dryRun) return { ...result, steps: [...steps, manifest], ...NOTHING_RUN }
  // The rules get new names in the manifest, which would hide that they have changed.
  if (manifest.before !== null && !sameText(manifest.before, await project.manifest()))
    throw new Exit(EXIT.conflict, UNREVIEWED)
  return { ...result, ...(await carryOut({ ...project, seeds: false }, { migrations, steps }, flags)) }
}

const UNREVIEWED =
  'The code has other routes or rules than security.manifest.json. Run npx cli routes audit --write, review its diff, and repeat this command. No files were written.'

function migrationOf(root: string, { was, model }: Renamed): Promise<GeneratedFile> {
  const known = globSync('app/db/migrations/*.ts', { cwd: root }).map((path) => basename(path, '.ts'))
  const name = migrationName(`rename_${was.names.table}_to_${model.names.table}`, known)
  return migrationFile(`app/db/migrations/${name}.ts`, {
    up: tableSteps(was, model),
    down: tableSteps(model, was),
  })
}

/** Returns the statements that rename a table with its parts. Columns, and the keys of other tables, keep their names. */
function tableSteps(was: Model, model: Model): string[] {
  const [old, now] = [was.names.table, model.names.table]
  const parts = columnParts(model)
  const pairs = columnParts(was).flatMap((part) => {
    const same = parts.find(({ field, use }) => field.column === part.field.column && use === part.use)
    return same ? [partRenamed(model, part, same.name)] : []
  })
  const [order, newOrder] = [was, model].map((one) => indexName(one, { column: 'created_at', use: 'sort' }))
  const table = [
    altered(old, `renameTo('${now}')`),
    ...(model.id === 'uuid'
      ? []
      : [`await sql\`alter sequence if exists ${old}_id_seq rename to ${now}_id_seq\`.execute(db)`]),
    ...keys(was).map((key, at) => constraintRenamed(model, key, keys(model)[at] ?? key)),
    ...pairs,
    `await sql\`alter index if exists ${order} rename to ${newOrder}\`.execute(db)`,
  ]
  const [from, to] = [was.names.resource, model.names.resource]
  return [
    ...(old === now ? [] : table),
    ...joinedFields(was).flatMap((field) => joinRenamed(was, model, { from: field, to: field })),
    '// The records keep their history.',
    `await sql\`update record_changes set resource = '${to}' where resource = '${from}'\`.execute(db)`,
  ]
}

const keys = ({ names: { table }, tenant }: Model): string[] => [
  `${table}_pkey`,
  ...(tenant ? [constraintName(table, tenant.column, 'fkey')] : []),
]

/** Returns the new `scaffold.json`. Files in a folder of the old name may belong to another resource later. */
async function recordFile(
  root: string,
  { record, after }: Renamed,
  files: readonly RenamedFile[],
): Promise<RenamedFile> {
  const isKept = (path: string) => path.startsWith('app/db/') || record.path === after.path
  const digests = new Map(Object.entries(record.scaffold.files).filter(([path]) => isKept(path)))
  for (const { from } of files) digests.delete(from)
  for (const { path, generated = '' } of files) digests.set(path, digestOf(generated))
  const sorted = [...digests].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const scaffold: Scaffold = { ...after.scaffold, files: Object.fromEntries(sorted) }
  const { text } = await formatted({ path: after.path, text: JSON.stringify(scaffold) })
  const before = textAt(root, record.path) ?? ''
  return { from: record.path, path: after.path, before, after: asIn(before, text) }
}

/** Returns the new list of resources. An edited entry keeps its place and its edits. */
async function listFile(root: string, { parent }: Model, renaming: Renaming): Promise<RenamedFile> {
  const { was, names } = renaming
  const [before, shape] = [textAt(root, RESOURCE_LIST) ?? '', { isNested: parent !== undefined }]
  const rest = withoutResource(before, was)
  const isEdited = withResource(rest, was, shape) !== before
  const after = isEdited
    ? await renamedFile(RESOURCE_LIST, before, renaming)
    : withResource(rest, names, shape)
  return { from: RESOURCE_LIST, path: RESOURCE_LIST, before, after }
}

function notesOf({ was, model: { names } }: Renamed, relatives: readonly Renamed[]): string[] {
  const [old = '', now = ''] = [was.names, names].map(({ file }) => file.replaceAll('-', '_'))
  const models = relatives.map(({ model }) => model)
  const referring = models.filter(({ fields }) => fields.some(({ target, name }) => target && name === old))
  return [
    ...referring.map(
      (model) =>
        `${model.names.table}.${old}_id keeps its name. To rename it: npx cli scaffold ${model.names.file} --rename ${old}:${now}`,
    ),
    `/${was.names.folder} is now /${names.folder}, also in the API. Old links are not redirected.`,
    'The version that runs now fails after this migration, because its table has another name: stop it before npx cli db migrate.',
  ]
}
