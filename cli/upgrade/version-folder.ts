import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Tree } from './tree.ts'

/** Writes the files of a version into a temporary folder, so that its code can run. Removes the folder after `work`. */
export async function inVersionFolder<Result>(
  tree: Tree,
  root: string,
  work: (folder: string) => Promise<Result> | Result,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-version-'))
  try {
    for (const [path, { bytes }] of tree) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), bytes)
    }
    linkPackages(folder, [join(root, 'node_modules'), join(import.meta.dirname, '../../node_modules')])
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Links the installed packages. `pergola` is a link to the framework of this version instead of the installed one. */
export function linkPackages(folder: string, places: readonly string[]): void {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  const framework = join(folder, 'app/framework')
  if (existsSync(join(framework, 'package.json')))
    symlinkSync(framework, join(modules, 'pergola'), 'junction')
  for (const place of places.filter((place) => existsSync(place)))
    for (const name of readdirSync(place))
      if (name !== 'pergola' && !name.startsWith('.') && !existsSync(join(modules, name)))
        symlinkSync(join(place, name), join(modules, name), 'junction')
}

/** Runs `generate.ts` with the code in this folder and returns its result. */
export function runGenerator(folder: string, words: readonly string[], input = ''): unknown {
  const args = [join(import.meta.dirname, 'generate.ts'), folder, ...words]
  const options = { cwd: folder, input, encoding: 'utf8', maxBuffer: 2 ** 28 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  if (status !== 0) throw new Error(/^\w*Error.*$/m.exec(stderr)?.[0] ?? stderr.trim())
  return JSON.parse(stdout)
}
