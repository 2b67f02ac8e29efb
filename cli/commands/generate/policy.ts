import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { globSync, readFileSync } from 'node:fs'
import type { Resource } from 'pergola'
import { resources } from '#app/resources.ts'
import { Exit, EXIT } from '../../exit.ts'
import { findByName } from '../../nearest.ts'
import { namesOf } from '../../scaffold/read/names.ts'
import { policyData } from '../../scaffold/code/policy-code.ts'
import { formatted, renderTemplate } from '../../scaffold/code/render-template.ts'
import { snakeName } from './name.ts'
import { createFile } from './create-file.ts'

export async function generatePolicy(input: string): Promise<void> {
  const file = fileOf(namesOf(snakeName(input)).resource)
  const resource = await resourceIn(file.path, file.name)
  assertNoPolicy(resource)
  const names = { ...namesOf(resource.name, { plural: resource.table }), file: basename(file.path, '.ts') }
  const owner = resource.owner === null ? null : { column: resource.owner }
  const text = renderTemplate('post.policy.ts', {
    ...policyData({ names, owner, readers: 'members' }),
    actions: [],
  })
  const path = join(dirname(file.path), `${names.file}.policy.ts`)
  createFile(path, (await formatted({ path, text })).text)
  console.error(
    [
      `Next: pass it to the repository: repository(${resource.name}, { policy: ${names.one}Policy, scope: ${names.one}Scope })`,
      'Then update the manifest: npx cli routes audit --write',
    ].join('\n'),
  )
}

interface ResourceFile {
  readonly name: string
  readonly path: string
}

/** Finds the file that defines this resource. Throws with the most similar name if none does. */
function fileOf(name: string): ResourceFile {
  const files = globSync('app/**/*.ts')
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/\.test\.ts$|^app\/(?:framework|test|bench)\//.test(path))
  const defined = files.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/= resource\(\s*'(\w+)'/g)].map(([, name = '']) => ({
      name,
      path,
    })),
  )
  return findByName('resource', name, defined)
}

async function resourceIn(path: string, name: string): Promise<Resource> {
  const exported = (await import(pathToFileURL(path).href)) as Record<string, Resource | undefined>
  const resource = Object.values(exported).find((one) => one?.name === name && typeof one.table === 'string')
  if (resource === undefined) throw new Exit(EXIT.failed, `${path} does not export ${name}. Export it first.`)
  return resource
}

function assertNoPolicy({ name }: Resource): void {
  const policy = resources.find(({ repository }) => repository.resource.name === name)?.repository.options
    .policy
  if (policy === undefined) return
  throw new Exit(EXIT.conflict, `${name} already has a policy: ${policy.declaredAt}. No files were written.`)
}
