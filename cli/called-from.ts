import { resolve, sep } from 'node:path'

/** The folder of the caller. Read before main.ts changes to the root of the project, where everything else is found. */
export const calledFrom = callerIn(process.cwd(), process.env)

/** The path of a command line, from the folder of the caller. */
export const givenPath = (path: string): string => resolve(calledFrom, path)

/** In a workspace package, like app/framework, npx runs a program in the package's root and not where it was called. */
export function callerIn(folder: string, { npm_command, INIT_CWD }: NodeJS.ProcessEnv): string {
  return npm_command === 'exec' && INIT_CWD?.startsWith(folder + sep) ? INIT_CWD : folder
}
