import { importLine, sortedImports } from '../../scaffold/code/snippets.ts'

interface TaskImport {
  readonly variable: string
  /** The import path: `./recount-posts.ts`. */
  readonly file: string
}

/**
 * Returns the text of app/tasks/tasks.ts with the task added in order. Returns null if the file has an unexpected
 * structure.
 */
export const addTask = (text: string, task: TaskImport): string | null => addToList(text, 'tasks', task)

/** Adds a job to the text of app/jobs/jobs.ts like `addTask`. */
export const addJob = (text: string, job: TaskImport): string | null => addToList(text, 'jobs', job)

/** Adds a mail to the text of app/mails/mails.ts like `addTask`. */
export const addMail = (text: string, mail: TaskImport): string | null => addToList(text, 'mails', mail)

function addToList(text: string, name: string, { variable, file }: TaskImport): string | null {
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
