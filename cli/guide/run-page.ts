import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runIn } from '../test-support/run-in.ts'
import { applyEdit } from '../project/apply-edit.ts'
import type { GuideProject } from './guide-project.ts'
import { type PageStep, problem } from './read-page.ts'

/** Runs the steps of a page in the project. Throws with the line of the block that fails. */
export async function runSteps(project: GuideProject, steps: readonly PageStep[]): Promise<void> {
  for (const step of steps) {
    try {
      await runStep(project, step)
    } catch (error) {
      throw problem(step.at, (error as Error).message)
    }
  }
}

/** The commands that run until they are stopped. */
const SERVERS = ['npm run dev', 'npm start', 'node cli/bin.js worker']

async function runStep(project: GuideProject, step: PageStep): Promise<void> {
  if (step.kind === 'run') {
    const isServer = SERVERS.includes(step.commands.trim())
    const printed = await (isServer ? project.start(step.commands.trim()) : project.shell(step.commands))
    if (step.output !== null) requireLines(printed, step.output)
    return
  }
  const path = join(project.root, fileLike(project, step.path))
  const text = step.kind === 'write' ? step.text : applyEdit(readFileSync(path, 'utf8'), step.text)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Returns the path of the one file that matches. */
function fileLike({ root }: GuideProject, pattern: string): string {
  if (!pattern.includes('*')) return pattern
  const found = globSync(pattern, { cwd: root })
  if (found.length !== 1) throw new Error(`${pattern} matches ${found.length} files: ${found.join(', ')}`)
  return String(found[0])
}

/** Throws unless the commands printed the lines of the page, in their order. `…` stands for any text, or for any lines. */
function requireLines(printed: string, shown: string): void {
  let rest = printed.split('\n').map((line) => line.trim())
  for (const line of shown.split('\n').map((one) => one.trim())) {
    if (line === '' || line === '…') continue
    const pattern = new RegExp(
      `^${line
        .split('…')
        .map((part) => RegExp.escape(part))
        .join('.*')}$`,
    )
    const index = rest.findIndex((one) => pattern.test(one))
    if (index < 0) throw new Error(`The commands don't print this line: ${line}\nThey print:\n${printed}`)
    rest = rest.slice(index + 1)
  }
}

// Tests of the application that a new resource or route can fail.
const GENERAL_TESTS = ['probe', 'manifest', 'views', 'imports'].map((name) => `app/test/${name}.test.ts`)

/**
 * Checks the project as `npm test` would: format, lint, types, manifest, and the tests that every resource can fail. The page
 * itself runs those of its resources.
 */
export async function checkProject(project: GuideProject): Promise<void> {
  const env = { DATABASE_URL: project.url }
  const tool = (file: string, ...args: string[]) =>
    runIn(project.root, { program: join('node_modules', file), args, env })
  const cli = (...args: string[]) => runIn(project.root, { program: 'cli/bin.js', args, env })
  const changed = await changedFiles(project)
  const code = changed.filter((path) => path.endsWith('.ts'))
  await tool('prettier/bin/prettier.cjs', '--check', '--ignore-unknown', ...changed)
  if (code.length > 0) await tool('oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...code)
  await tool('typescript/bin/tsc', '-p', '.')
  await tool('typescript/bin/tsc', '-p', 'e2e')
  await cli('db', 'types', '--check')
  await cli('routes', 'audit', '--check')
  await tool('vitest/vitest.mjs', 'run', ...GENERAL_TESTS)
}

/** Returns the folders of the application that the page changes and whose tests its commands don't run. */
export async function untestedFolders(project: GuideProject, steps: readonly PageStep[]): Promise<string[]> {
  const commands = steps.flatMap((step) => (step.kind === 'run' ? step.commands.split('\n') : []))
  const tested = commands.filter((line) => line.startsWith('npm test -- ')).flatMap((line) => line.split(' '))
  const changed = await changedFiles(project)
  const folders = changed.flatMap((path) => /^app\/(?!db\/|test\/)[^/]+(?=\/)/.exec(path)?.[0] ?? [])
  return [...new Set(folders)].filter((folder) => !tested.includes(folder))
}

/** Returns the paths of the new and edited files, whether committed or not. */
async function changedFiles({ root, commit }: GuideProject): Promise<string[]> {
  const git = (...args: string[]) => runIn(root, { program: 'git', args })
  const tracked = await git('diff', '--name-only', '--diff-filter=d', commit)
  const others = await git('ls-files', '--others', '--exclude-standard')
  return `${tracked}\n${others}`.split('\n').filter(Boolean)
}
