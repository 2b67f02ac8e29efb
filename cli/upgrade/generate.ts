import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as files from '../scaffold/code/files.ts'
import type * as existing from '../scaffold/existing.ts'
import type { GeneratedFile } from '../scaffold/model.ts'
import type * as relatives from '../scaffold/nested/relatives.ts'
import { migrationsOf, type ScaffoldRecord, scaffoldsIn } from '../scaffold/project/record.ts'
import type * as options from '../scaffold/read/options.ts'
import type * as model from '../scaffold/read/read-model.ts'

// Runs in its own process: `node generate.ts <folder> <application> app/books/scaffold.json` generates the files of resources
// of the application with the version of Pergola in that folder. Every later version must keep the modules that this script
// imports from there, with the same parameters.
const [folder = '', root = '', ...paths] = process.argv.slice(2)
const load = (place: string, path: string): Promise<unknown> => import(pathToFileURL(join(place, path)).href)

/** Versions before `scaffold --in` lack this module. */
const RELATIVES = 'cli/scaffold/nested/relatives.ts'

/** The files of a resource, or the error message if this version can't generate them. */
export type Output = readonly GeneratedFile[] | string

console.log(JSON.stringify(await generate()))

async function generate(): Promise<Record<string, Output>> {
  const { existingIn } = (await load(root, 'cli/scaffold/existing.ts')) as typeof existing
  const { askedBy } = (await load(folder, 'cli/scaffold/read/options.ts')) as typeof options
  const { readModel } = (await load(folder, 'cli/scaffold/read/read-model.ts')) as typeof model
  const { filesOf } = (await load(folder, 'cli/scaffold/code/files.ts')) as typeof files
  const { relatedModel } = existsSync(join(folder, RELATIVES))
    ? ((await load(folder, RELATIVES)) as typeof relatives)
    : {}
  const project = await existingIn(root)
  const records = scaffoldsIn(root)
  const outputOf = async ({ names, scaffold }: ScaffoldRecord): Promise<Output> => {
    const { command, plural } = scaffold
    // The name with which the resource was created. `asMade` in extend-model.ts follows the same rule.
    const name = command.includes('--plural') ? (command[0] ?? '') : names.file
    const args = askedBy(command)
    const others = project.targets.filter((target) => target.names.resource !== names.resource)
    const none = new Set('')
    const around = { ...project, references: [], tables: none, folders: none, paths: none, identifiers: none }
    const asked = { ...args, name, options: { ...args.options, plural } }
    const { model } = readModel(asked, { ...around, targets: others })
    const related = relatedModel?.(model, args.options, { existing: around, records }) ?? model
    return filesOf(related, { migration: basename(migrationsOf(scaffold)[0] ?? '', '.ts') })
  }
  const outputs: Record<string, Output> = {}
  for (const record of records.filter(({ path }) => paths.includes(path)))
    outputs[record.path] = await outputOf(record).catch((error: Error) => error.message)
  return outputs
}
