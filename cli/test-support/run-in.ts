import { execFile } from 'node:child_process'
import { constants, symlinkSync, writeFileSync } from 'node:fs'
import { cp, realpath, unlink } from 'node:fs/promises'
import { join } from 'node:path'

export interface Command {
  program: string
  args: string[]
  env?: NodeJS.ProcessEnv
}

/** Clones the committed files of the project at `root`, and links its node_modules. */
export async function cloneOf(root: string, clone: string): Promise<void> {
  await runIn(root, { program: 'git', args: ['clone', '--quiet', '.', clone] })
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n')
}

/** Replaces the linked node_modules of a clone by a copy, so that `npm install` doesn't change those of the project. */
export async function ownPackages(clone: string): Promise<void> {
  const link = join(clone, 'node_modules')
  const packages = await realpath(link)
  await unlink(link)
  await cp(packages, link, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE })
}

/** Runs git or a Node script. Returns its stdout. Throws its output if it fails. */
export function runIn(cwd: string, { program, args, env = {} }: Command): Promise<string> {
  const command = program === 'git' ? program : process.execPath
  const words = program === 'git' ? args : [program, ...args]
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...environment(), ...env }, maxBuffer: 64 * 2 ** 20 }
    execFile(command, words, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${[program, ...args].join(' ')}: ${error.code}\n${stdout}\n${stderr}`))
    })
  })
}

/** Returns the environment of this process without the variables of vitest, because a clone runs its own tests. */
export const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:VITEST|(?:TEST|DEV|PROD|SSR|MODE|BASE_URL|NODE_ENV|DATABASE_URL)$)/.test(name),
    ),
  )
