import { once } from 'node:events'
import { createServer } from 'node:http'
import { type Logger, pino } from 'pino'
import { afterAll } from 'vitest'
import {
  contextOf,
  database as frameworkDatabase,
  type DeclaredResource,
  type ForbiddenResponse,
  type PolicyContext,
  type Registry,
  registryOfResources,
  type Replacements,
  type Routes,
  portOf,
  withDatabase,
} from 'pergola'
import { createApp, routeTables } from '#app/app.ts'
import { readConfig } from '#app/config.ts'
import { resources } from '#app/resources.ts'
import { DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { TestClient } from './test-client.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'

interface TestAppOptions extends Replacements {
  forbiddenResponse?: ForbiddenResponse
  /** Instead of the application's own resources. */
  resources?: readonly DeclaredResource[]
  /** As the environment would give them: `{ SECURITY__FORBIDDEN_RESPONSE: '403' }`. */
  env?: Record<string, string>
  ready?: () => Promise<boolean>
  log?: Logger
  /** A database that the file has already. */
  database?: TestDatabase
}

export interface TestApp extends TestDatabase {
  url: string
  /** A browser without a session. */
  guest: TestClient
  /** A browser that signed in, through the sign-in form, as the user with this email. */
  signInAs(email: string): Promise<TestClient>
  /** A browser in which a new user is signed in. */
  newcomer(values?: { name?: string; roles?: string[] }): Promise<Newcomer>
  /** Every route of the application. */
  routes: readonly Routes[]
  /** The routes of its resources alone, under the resource they belong to. */
  resources: readonly DeclaredResource[]
  /** The policies and scopes that decide. */
  registry: Registry
  /** How the application's policies and scopes see this user; a guest without one. Use it `within` the application. */
  contextFor(user: { id: number; name: string; roles: readonly string[] } | null): PolicyContext
  /** Runs repositories and factories in this application's database. */
  within<Result>(work: () => Promise<Result>): Promise<Result>
}

export type Newcomer = TestClient & { readonly user: Awaited<ReturnType<typeof makeUser>> }

/** The real application on a free port, with a database of its own. Call it at the top of a test file. */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await testDatabase())
  const config = readConfig({
    NODE_ENV: 'test',
    SESSION__SECRET: 'a secret for tests that is long enough',
    ...options.env,
  })
  const declared = options.resources ?? resources
  const registry = registryOfResources(declared, options)
  const app = createApp({
    config,
    resources,
    ready: () => Promise.resolve(true),
    log: pino({ level: 'silent' }),
    ...options,
    db: database.db,
  })
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${portOf(server)}`
  const signInAs = async (email: string) => {
    const client = new TestClient(url)
    const answer = await client.post('/login', { form: { email, password: DEMO_PASSWORD } })
    if (answer.status !== 303) throw new Error(`Signing in as ${email} answered ${answer.status}.`)
    return client
  }
  return {
    ...database,
    url,
    guest: new TestClient(url),
    signInAs,
    async newcomer(values) {
      const user = await withDatabase(database.db, () => makeUser(values))
      return Object.assign(await signInAs(user.email), { user })
    },
    routes: routeTables(config, declared),
    resources: declared,
    registry,
    contextFor(user) {
      const session = user && { id: 'test', userId: user.id, name: user.name, roles: user.roles }
      return contextOf(session, { db: frameworkDatabase, registry })
    },
    within: (work) => withDatabase(database.db, work),
  }
}
