import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { globSync, readFileSync } from 'node:fs'
import type { Resource } from 'pergola'
import { resources } from '#app/resources.ts'
import { Exit, EXIT } from '../exit.ts'
import { choices, nearest } from '../nearest.ts'
import { namesOf } from '../scaffold/read/names.ts'
import { policyData } from '../scaffold/code/policy-code.ts'
import { formatted, renderTemplate } from '../scaffold/code/render-template.ts'
import { snakeName } from './name.ts'
import { writeNew } from './write-new.ts'

export async function generatePolicy(given: string): Promise<void> {
  const file = fileOf(namesOf(snakeName(given)).resource)
  const resource = await resourceIn(file.path, file.name)
  refuseSecond(resource)
  const names = { ...namesOf(resource.name, { plural: resource.table }), file: basename(file.path, '.ts') }
  const owner = resource.owner === null ? null : { column: resource.owner }
  const text = renderTemplate('post.policy.ts', policyData({ names, owner, readers: 'members' }))
  const path = join(dirname(file.path), `${names.file}.policy.ts`)
  writeNew(path, (await formatted({ path, text })).text)
  console.error(
    [
      `Next: give it to the repository, repository(${resource.name}, { policy: ${names.one}Policy, scope: ${names.one}Scope }),`,
      'and take who may do what into the manifest: npx cli routes audit --write',
    ].join('\n'),
  )
}

interface ResourceFile {
  readonly name: string
  readonly path: string
}

/** Where the resource of this name is defined. Throws, naming the nearest, where it is nowhere. */
function fileOf(name: string): ResourceFile {
  const files = globSync('app/**/*.ts')
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/\.test\.ts$|^app\/(?:framework|test|bench)\//.test(path))
  const found = files.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/= resource\(\s*'(\w+)'/g)].map(([, name = '']) => ({
      name,
      path,
    })),
  )
  const resource = found.find((one) => one.name === name)
  if (resource !== undefined) return resource
  const names = found.map((one) => one.name)
  throw new Exit(EXIT.usage, `There is no resource ${name}. ${choices(names, nearest(name, names))}`)
}

async function resourceIn(path: string, name: string): Promise<Resource> {
  const exported = (await import(pathToFileURL(path).href)) as Record<string, Resource | undefined>
  const found = Object.values(exported).find((one) => one?.name === name && typeof one.table === 'string')
  if (found === undefined) throw new Exit(EXIT.failed, `${path} does not export ${name}: export it first.`)
  return found
}

function refuseSecond({ name }: Resource): void {
  const policy = resources.find(({ repository }) => repository.resource.name === name)?.repository.options
    .policy
  if (policy === undefined) return
  throw new Exit(EXIT.conflict, `${name} has a policy already: ${policy.declaredAt}. Nothing is written.`)
}
