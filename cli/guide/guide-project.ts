import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createDatabase, databaseUrl } from 'pergola/lab'
import { anyFreePort } from '../port.ts'
import { cloneOf, environment, runIn } from '../test-support/run-in.ts'
import { runShell, type StartedProcess, startProcess } from './terminal.ts'

const original = join(import.meta.dirname, '../..')

/** A clone of the project, with a database, in which the test follows a page. */
export interface GuideProject {
  readonly root: string
  readonly url: string
  /** Runs the commands as a shell does. Returns their output. Throws it if one fails. */
  shell(commands: string): Promise<string>
  /** Starts a server or a worker, which runs until `close`. Returns its output when it is ready. */
  start(command: string): Promise<string>
  /** The address of the server that was started last. */
  address(): string
  close(): Promise<void>
  /** Returns the path of the one file that matches. */
  fileLike(pattern: string): string
  read(path: string): string
  write(path: string, text: string): void
  /** Returns the paths of the new and edited files, whether committed or not. */
  changed(): Promise<string[]>
}

export interface Databases {
  readonly adminUrl: string
  /** A migrated and seeded database. */
  readonly template: string
}

/** Clones the last commit into `root`, with a copy of the template database. */
export async function guideProject(root: string, name: string, databases: Databases): Promise<GuideProject> {
  await cloneOf(original, root)
  await createDatabase(databases.adminUrl, name, databases.template)
  const url = databaseUrl(databases.adminUrl, name)
  const path = (name: string) => join(root, name)
  const git = (...args: string[]) => runIn(root, { program: 'git', args })
  const first = (await git('rev-parse', 'HEAD')).trim()
  // Exported variables and the folder carry over to the next commands, as in a terminal.
  let session = { cwd: root, env: terminal(root, url) }
  const started: StartedProcess[] = []
  let port = 0
  const project: GuideProject = {
    root,
    url,
    shell: async (commands) => {
      const { output, ...next } = await runShell(commands, session)
      session = next
      return output
    },
    start: async (command) => {
      const isServer = command !== 'node cli/bin.js worker'
      if (isServer) port = await anyFreePort()
      const env = { ...session.env, PORT: String(port) }
      const one = await startProcess(command, { ...session, env }, async (output) =>
        // In development, the worker starts after the server.
        command === 'npm start' ? isServing(port) : output.includes('waiting for tasks'),
      )
      started.push(one)
      return one.output
    },
    address: () => `http://localhost:${port}`,
    close: async () => {
      await Promise.all(started.map((one) => one.stop()))
    },
    fileLike: (pattern) => {
      if (!pattern.includes('*')) return pattern
      const found = globSync(pattern, { cwd: root })
      if (found.length !== 1) throw new Error(`${pattern} matches ${found.length} files: ${found.join(', ')}`)
      return String(found[0])
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    write: (name, text) => {
      mkdirSync(dirname(path(name)), { recursive: true })
      writeFileSync(path(name), text)
    },
    changed: async () => {
      const tracked = await git('diff', '--name-only', '--diff-filter=d', first)
      const others = await git('ls-files', '--others', '--exclude-standard')
      return `${tracked}\n${others}`.split('\n').filter(Boolean)
    },
  }
  return project
}

async function isServing(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
  } catch {
    return false
  }
}

/** Returns the environment of a reader's terminal: `npx` runs with the project's Node. */
function terminal(root: string, url: string): NodeJS.ProcessEnv {
  const { PATH, ...rest } = environment()
  return {
    ...rest,
    ...IDENTITY,
    PATH: [join(root, 'node_modules/.bin'), PATH].join(delimiter),
    DATABASE_URL: url,
  }
}

// Git commits only with a name and an address.
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Reader',
  GIT_AUTHOR_EMAIL: 'reader@example.test',
  GIT_COMMITTER_NAME: 'Reader',
  GIT_COMMITTER_EMAIL: 'reader@example.test',
}
