import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { callerFolder, callerPath } from '../../caller-folder.ts'
import { Exit, EXIT } from '../../exit.ts'
import { git, gitText, tryGit } from '../../project/git.ts'
import { textAt } from '../../project/file-text.ts'
import { isCreated } from './development.ts'
import { AUTHOR, commitOfFolder, openStore } from '../../upgrade/source.ts'
import { textIn, upstreamTree } from '../../upgrade/tree.ts'
import { checkOut } from '../../upgrade/version-folder.ts'
import { applicationFiles } from './application-files.ts'
import { applicationNames, type ApplicationNames } from './application-names.ts'
import { originAt } from './application-origin.ts'
import { removeSample } from './remove-sample.ts'

interface NewOptions {
  readonly name?: string
  readonly withoutSample?: boolean
}

/** Creates an application from the last commit of this clone: a git repository with one commit. */
export async function newCommand(place: string, { name, withoutSample }: NewOptions): Promise<void> {
  const [root, folder] = [process.cwd(), callerPath(place)]
  refuseApplication(root)
  refuseFilled(folder)
  const names = applicationNames(basename(folder), name)
  try {
    await writeFiles(root, folder, names)
    if (withoutSample) await removeSample(folder)
    commitAll(folder)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  const path = relative(callerFolder, folder)
  const count = gitText(['ls-files'], { cwd: folder }).split('\n').length
  console.log(`${path} -> created with ${count} files, and committed`)
  if (tryGit(['status', '--porcelain'], { cwd: root }))
    console.log('It has the files of the last commit, without the uncommitted changes of this clone.')
  console.log(`Next: cd ${path} && npm run dev`)
}

async function writeFiles(root: string, folder: string, names: ApplicationNames): Promise<void> {
  const store = openStore(root)
  try {
    const commit = commitOfFolder(store, root)
    if (commit === null) throw new Exit(EXIT.failed, `${root} has no commit. No files were written.`)
    const tree = upstreamTree(store.folder, commit)
    const { version } = JSON.parse(textIn(store.folder, tree, 'package.json')) as { version: string }
    const origin = originAt(root, folder, version)
    mkdirSync(folder, { recursive: true })
    checkOut(store.folder, applicationFiles(store.folder, tree, { names, origin }), folder)
  } finally {
    await store.close()
  }
}

function commitAll(folder: string): void {
  const run = (...args: string[]) => git(args, { cwd: folder })
  run('init', '--quiet', '--initial-branch=main')
  // Whatever the user's own git ignores.
  run('add', '--all', '--force')
  // A machine without a name for commits gets this one.
  const author = tryGit(['var', 'GIT_AUTHOR_IDENT'], { cwd: folder }) === null ? AUTHOR : []
  run(...author, 'commit', '--quiet', '--no-verify', '--message=Begin with Pergola')
}

function refuseApplication(root: string): void {
  if (isCreated(textAt(root, 'package.json') ?? ''))
    throw new Exit(
      EXIT.usage,
      'This is an application. Run the command in a clone of Pergola. No files were written.',
    )
}

function refuseFilled(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (stats === undefined || (stats.isDirectory() && readdirSync(folder).length === 0)) return
  throw new Exit(EXIT.conflict, `${folder} is not empty. Choose a new folder. No files were written.`)
}
