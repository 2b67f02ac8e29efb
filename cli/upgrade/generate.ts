import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type * as files from '../scaffold/code/files.ts'
import type * as existing from '../scaffold/existing.ts'
import type { GeneratedFile } from '../scaffold/model.ts'
import type * as options from '../scaffold/read/options.ts'
import type * as model from '../scaffold/read/read-model.ts'

// Runs in its own process: `node generate.ts <folder>` generates the files of resources with the version of Pergola in that
// folder. Every later version must keep the modules that this script imports from there, with the same parameters.
const [folder = '', output = ''] = process.argv.slice(2)
const load = (path: string): Promise<unknown> => import(pathToFileURL(join(folder, path)).href)

/** A resource as its `scaffold.json` describes it. */
export interface Recorded {
  readonly resource: string
  readonly name: string
  readonly command: readonly string[]
  readonly plural: string
  readonly migration: string
}

export interface Request {
  readonly resources: readonly Recorded[]
  readonly targets: existing.Existing['targets']
}

/** For each resource, its files, or the error message if this version can't generate them. */
export type Generated = readonly (readonly GeneratedFile[] | string)[]

const answer = output === 'targets' ? await targets() : await generate(JSON.parse(await text(process.stdin)))
console.log(JSON.stringify(answer))

async function targets(): Promise<Request['targets']> {
  const { existingIn } = (await load('cli/scaffold/existing.ts')) as typeof existing
  return (await existingIn(folder)).targets
}

async function generate({ resources, targets }: Request): Promise<Generated> {
  const { askedBy } = (await load('cli/scaffold/read/options.ts')) as typeof options
  const { readModel } = (await load('cli/scaffold/read/read-model.ts')) as typeof model
  const { filesOf } = (await load('cli/scaffold/code/files.ts')) as typeof files
  const written: (GeneratedFile[] | string)[] = []
  for (const { resource, name, command, plural, migration } of resources) {
    const args = askedBy(command)
    const others = targets.filter(({ names }) => names.resource !== resource)
    const none = new Set('')
    const around = { references: [], tables: none, folders: none, paths: none, identifiers: none }
    try {
      const generated = readModel(
        { ...args, name, options: { ...args.options, plural } },
        { ...around, targets: others },
      )
      written.push(await filesOf(generated.model, { migration }))
    } catch (error) {
      written.push((error as Error).message)
    }
  }
  return written
}
