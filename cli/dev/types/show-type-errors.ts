import type { OpenPages } from '../browser/open-pages.ts'
import { type TypeChecks, typeChecks } from './type-checks.ts'

interface ShowOptions {
  /** The address of the application. */
  readonly address: string
  readonly env: () => NodeJS.ProcessEnv
}

/** Checks the types of views and code after each change, and shows the errors in the terminal and in the open pages. */
export function showTypeErrors(pages: OpenPages, { address, env }: ShowOptions): Pick<TypeChecks, 'stop'> {
  const command = { command: process.execPath, args: ['cli/dev/types/send-errors.ts'], env }
  const checks = typeChecks(command, (errors) => {
    console.log(errors.length === 0 ? 'No type errors.' : [...errors, `See ${address}/_dev/types`].join('\n'))
    pages.showErrors(errors)
  })
  pages.onRefresh(() => checks.check())
  return checks
}
