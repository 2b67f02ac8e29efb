import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { applicationNames, type ApplicationNames } from '../../application/application-names.ts'
import { callerFolder, callerPath } from '../../caller-folder.ts'
import { Exit, EXIT } from '../../exit.ts'
import { git, gitText, tryGit } from '../../project/git.ts'
import { AUTHOR, commitOfFolder, openStore } from '../../upgrade/source.ts'
import { upstreamTree } from '../../upgrade/tree.ts'
import { checkOut } from '../../upgrade/version-folder.ts'
import { originAt } from './clone-origin.ts'
import { newFiles } from './new-files.ts'
import { removeSample } from './remove-sample.ts'

interface NewOptions {
  readonly name?: string
  readonly withoutSample?: boolean
}

/** Creates an application from the last commit of this clone, as a git repository with one commit. */
export async function newCommand(place: string, { name, withoutSample }: NewOptions): Promise<void> {
  const [root, folder] = [process.cwd(), callerPath(place)]
  refuseFolder(root, folder)
  const names = applicationNames(basename(folder), name)
  mkdirSync(dirname(folder), { recursive: true })
  const draft = mkdtempSync(join(dirname(folder), '.new-'))
  process.once('exit', () => rmSync(draft, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => process.exit(EXIT.interrupted))
  await writeFiles(root, draft, names)
  if (withoutSample && existsSync(join(draft, 'app/posts'))) await removeSample(draft)
  commitAll(draft)
  // Windows renames no folder to one that exists.
  rmSync(folder, { recursive: true, force: true })
  renameSync(draft, folder)
  report(root, folder)
}

async function writeFiles(root: string, draft: string, names: ApplicationNames): Promise<void> {
  const store = openStore(root)
  try {
    const version = upstreamTree(store.folder, commitOfFolder(store, root) ?? '')
    checkOut(store.folder, newFiles(store.folder, version, { names, origin: originAt(root) }), draft)
  } finally {
    await store.close()
  }
}

/** Commits all files, whatever the git of the user ignores, signs or checks. */
function commitAll(draft: string): void {
  const run = (...args: string[]) => git(['-c', 'core.hooksPath=/dev/null', ...args], { cwd: draft })
  run('init', '--quiet', '--initial-branch=main')
  run('add', '--all', '--force')
  // A machine without a name for commits gets this one.
  const author = tryGit(['var', 'GIT_AUTHOR_IDENT'], { cwd: draft }) === null ? AUTHOR : []
  run(...author, 'commit', '--quiet', '--no-gpg-sign', '--message=Begin with Pergola')
}

function report(root: string, folder: string): void {
  const path = relative(callerFolder, folder) || '.'
  const count = gitText(['ls-files'], { cwd: folder }).split('\n').length
  console.log(`${path} -> created with ${count} files, and committed`)
  if (!existsSync(join(root, '.git')))
    console.log('It has all files of this folder that .gitignore doesn’t exclude.')
  else if (tryGit(['status', '--porcelain'], { cwd: root }))
    console.log('It has the files of the last commit, without the uncommitted changes of this clone.')
  console.log(`Next: cd ${/[^\w./\\-]/.test(path) ? `"${path}"` : path} && npm run dev`)
}

function refuseFolder(root: string, folder: string): void {
  const path = relative(root, folder)
  const isInside = !path.startsWith('..') && !isAbsolute(path)
  if (isInside)
    throw new Exit(
      EXIT.usage,
      `${folder} is in this clone. Choose a folder beside it, such as ../${basename(folder)}. No files were written.`,
    )
  const problem = problemOf(folder)
  if (problem !== null)
    throw new Exit(EXIT.conflict, `${problem} Choose a new folder. No files were written.`)
}

function problemOf(folder: string): string | null {
  if (folder.split(/[\\/]/).includes('node_modules'))
    return 'Node runs no TypeScript below a folder named node_modules.'
  let parent = folder
  while (!existsSync(parent) && parent !== dirname(parent)) parent = dirname(parent)
  if (!existsSync(parent)) return `${parent} does not exist.`
  if (!statSync(parent).isDirectory()) return `${parent} is a file.`
  return parent === folder && readdirSync(folder).length > 0 ? `${folder} is not empty.` : null
}
