import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { formatted } from '../../scaffold/code/render-template.ts'
import { importLine, sortedImports } from '../../scaffold/code/snippets.ts'
import { variableFor } from '../../scaffold/read/code-names.ts'
import { createFile } from './create-file.ts'
import { snakeName } from './name.ts'

/** What the application lists: `app/tasks/tasks.ts`, `app/jobs/jobs.ts`, `app/mails/mails.ts`. */
export type Kind = 'task' | 'job' | 'mail'

interface Created {
  readonly files: readonly (readonly [path: string, text: string])[]
  /** The next step of the user. */
  readonly next: string
}

/** Creates all files, or none if one of them exists, and lists the variable of the first one. `name` has hyphens. */
export async function createListed(
  kind: Kind,
  input: string,
  create: (name: string, variable: string) => Created,
): Promise<void> {
  const name = snakeName(input).replaceAll('_', '-')
  const variable = variableOf(name, kind)
  const { files, next } = create(name, variable)
  const path = `app/${kind}s/${kind}s.ts`
  const list = addToList(readFileSync(path, 'utf8'), `${kind}s`, { variable, file: `./${name}.ts` })
  const created: string[] = []
  try {
    for (const [file, text] of files) {
      createFile(file, text)
      created.push(file)
    }
    if (list !== null) writeFileSync(path, (await formatted({ path, text: list })).text)
  } catch (error) {
    created.forEach((file) => rmSync(file))
    throw error
  }
  if (list === null) return console.error(`Could not edit ${path}. Add ${variable} from ./${name}.ts to it.`)
  console.log(`change  ${path}`)
  console.error(next)
}

/** Returns `sendWelcome` for `send-welcome`, or another name if the file that declares it has the variable already. */
function variableOf(name: string, kind: Kind): string {
  const camel = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  const suffix = SUFFIXES[kind]
  return [kind, `${kind}s`, 'z', 'app', 'send'].includes(camel) ? camel + suffix : variableFor(camel, suffix)
}

const SUFFIXES = { task: 'Task', job: 'Job', mail: 'Mail' } as const

/** Returns the text of a list with the variable added in order; null if the file has an unexpected structure. */
export function addToList(
  text: string,
  name: string,
  { variable, file }: { variable: string; file: string },
): string | null {
  const imports = text.match(/^import (?:type )?\{ .*\n/gm)
  const [whole, before, list] =
    new RegExp(`(\\nexport const ${name}\\b[^=]*= \\[)([^\\]]*)\\]`).exec(text) ?? []
  if (imports === null || whole === undefined || list === undefined) return null
  const names = list.split(',').map((name) => name.trim())
  if (!names.every((name) => /^\w*$/.test(name))) return null
  const all = [...names, variable].filter(Boolean).toSorted()
  const lines = sortedImports([...imports.map((line) => line.trim()), importLine(variable, file)])
  const [first = ''] = imports
  return imports
    .slice(1)
    .reduce((rest, line) => rest.replace(line, ''), text)
    .replace(first, `${lines.join('\n')}\n`)
    .replace(whole, `${before}${all.join(', ')}]`)
}
