import { importLine, sortedImports } from '../scaffold/code/snippets.ts'

interface Listed {
  readonly variable: string
  /** As the list imports it: `./recount-posts.ts`. */
  readonly file: string
}

/** The text of app/tasks/tasks.ts with one more task, in its place. Null where the list is written in another way. */
export function withTask(text: string, { variable, file }: Listed): string | null {
  const imports = text.match(/^import \{ .*\n/gm)
  const [whole, before, list] = /(\nexport const tasks\b[^=]*= \[)([^\]]*)\]/.exec(text) ?? []
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
