import { resolve, sep } from 'node:path'

/** The working directory of the caller. main.ts later changes the directory to the root of the project. */
export const callerFolder = callerIn(process.cwd(), process.env)

/** Resolves a path of the command line from the caller's working directory. */
export const callerPath = (path: string): string => resolve(callerFolder, path)

/**
 * Returns the caller's folder. npx runs a program in the root of the workspace package; INIT_CWD is the folder of the
 * caller.
 */
export function callerIn(folder: string, { npm_command, INIT_CWD }: NodeJS.ProcessEnv): string {
  return npm_command === 'exec' && INIT_CWD?.startsWith(folder + sep) ? INIT_CWD : folder
}
