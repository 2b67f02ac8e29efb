import { delimiter, join } from 'node:path'
import { createDatabase, databaseUrl } from 'pergola/lab'
import { anyFreePort } from '../port.ts'
import { cloneOf, environment, runIn } from '../test-support/run-in.ts'
import { isServing, runShell, type StartedProcess, startProcess } from './terminal.ts'

const original = join(import.meta.dirname, '../..')

/** A clone of the project, with a database, in which the test follows a page. */
export interface GuideProject {
  readonly root: string
  /** The commit that was cloned. */
  readonly commit: string
  readonly url: string
  /** Runs the commands as a shell does. Returns their output. Throws it if one fails. */
  shell(commands: string): Promise<string>
  /** Starts a server or a worker, which runs until `close`. Returns its output when it is ready. */
  start(command: string): Promise<string>
  /** The address of the server that was started last. */
  address(): string
  close(): Promise<void>
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
  const commit = (await runIn(root, { program: 'git', args: ['rev-parse', 'HEAD'] })).trim()
  const session = { cwd: root, env: terminal(root, url) }
  const started: StartedProcess[] = []
  // Variables that a page exports carry over to the next commands, as in a terminal.
  let exports = ''
  let port = 0
  return {
    root,
    commit,
    url,
    shell: async (commands) => {
      const output = await runShell(exports + commands, session)
      exports += commands.match(/^set -a .*\n/gm)?.join('') ?? ''
      return output
    },
    start: async (command) => {
      if (command !== 'node cli/bin.js worker') port = await anyFreePort()
      const one = await startProcess(`${exports}export PORT=${port}\nexec ${command}`, session, (output) =>
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
  }
}

/** Returns the environment of a reader's terminal: `npx` runs with the project's Node, and git commits with a name. */
function terminal(root: string, url: string): NodeJS.ProcessEnv {
  const { PATH, ...rest } = environment()
  const [name, email] = ['Reader', 'reader@example.test']
  return {
    ...rest,
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    PATH: [join(root, 'node_modules/.bin'), PATH].join(delimiter),
    DATABASE_URL: url,
  }
}
