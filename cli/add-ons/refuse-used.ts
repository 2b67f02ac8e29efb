import { globSync } from 'node:fs'
import { Exit, EXIT } from '../exit.ts'
import { firstLines } from '../first-lines.ts'
import { textAt } from '../project/file-text.ts'
import { importsOf, includesOf } from '../scaffold/project/imported-files.ts'
import type { Change } from './add-on-steps.ts'

/** Throws if files of the application import, include or call parts of the add-on that this change removes. */
export function refuseUsed(root: string, change: Change): void {
  const { name, remedy } = change.addOn
  const users = usersOf(root, change)
  if (users.length === 0) return
  const lines = [`These files use ${name}:`, ...firstLines(users), `${remedy} No files were written.`]
  throw new Exit(EXIT.conflict, lines.join('\n'))
}

function usersOf(root: string, { addOn, steps }: Change): string[] {
  const after = new Map(steps.map((step) => [step.path, step.after]))
  const isRemoved = (path: string) => after.get(path) === null
  const calls = addOn.views.map((name) => new RegExp(`\\bit\\.${name}\\b`))
  return globSync(['{app,cli,e2e}/**/*.ts', 'views/**/*.eta'], { cwd: root, exclude: ['cli/add-ons/**'] })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !addOn.files.has(path))
    .filter((path) => {
      const text = after.get(path) ?? textAt(root, path) ?? ''
      if (path.endsWith('.ts')) return importsOf(path, text).some(isRemoved)
      return includesOf(path, text).some(isRemoved) || calls.some((call) => call.test(text))
    })
    .toSorted()
}
