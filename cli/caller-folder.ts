import { resolve, sep } from 'node:path'

/** The working directory of the caller. Read before main.ts changes to the root of the project. */
export const callerFolder = callerIn(process.cwd(), process.env)

/** Resolves a path of the command line from the caller's working directory. */
export const callerPath = (path: string): string => resolve(callerFolder, path)

/** npx runs a program in the root of a workspace package, such as app/framework. INIT_CWD is where the caller ran it. */
export function callerIn(folder: string, { npm_command, INIT_CWD }: NodeJS.ProcessEnv): string {
  return npm_command === 'exec' && INIT_CWD?.startsWith(folder + sep) ? INIT_CWD : folder
}
