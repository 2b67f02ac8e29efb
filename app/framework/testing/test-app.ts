import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Express } from 'express'
import { afterAll } from 'vitest'
import { contextOf, type PolicyContext } from '../src/authorization/policy-context.ts'
import type { Registry } from '../src/authorization/registry.ts'
import { database, withDatabase } from '../src/database/executor.ts'
import { portOf } from '../src/http/serve.ts'
import type { Routes } from '../src/http/routes.ts'
import type { DeclaredResource } from '../src/application/declared-resources.ts'
import { TestClient } from './test-client.ts'
import type { TestDatabase } from './test-database.ts'

/** A user as tests know one. */
export interface TestUser {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly roles: readonly string[]
}

/** What an application tells the helpers of itself. */
export interface AppUnderTest<User extends TestUser> {
  readonly app: Express
  readonly database: TestDatabase
  readonly resources: readonly DeclaredResource[]
  /** Every route, of no resource's too. */
  readonly routes: readonly Routes[]
  readonly registry: Registry
  /** Stores a user with a name, an email and these roles. Runs in the application's database. */
  readonly makeUser: (values?: { name?: string; roles?: string[] }) => Promise<User>
  /** Everybody in the database; their email is not needed. */
  readonly allUsers: () => Promise<readonly Omit<TestUser, 'email'>[]>
  /** Signs the user with this email in, as a browser does it. Throws when that is refused. */
  readonly signIn: (client: TestClient, email: string) => Promise<void>
}

/** An application that listens on a free port until its test file ends. */
export interface TestApp<User extends TestUser = TestUser> extends TestDatabase, AppUnderTest<User> {
  readonly url: string
  /** A browser without a session. */
  readonly guest: TestClient
  /** A new browser, in which the user with this email is signed in. */
  signInAs(email: string): Promise<TestClient>
  /** A new browser, in which a new user is signed in. */
  newcomer(values?: { name?: string; roles?: string[] }): Promise<TestClient & { readonly user: User }>
  /** How the application's policies and scopes see this user; a guest without one. Use it `within` the application. */
  contextFor(user: Omit<TestUser, 'email'> | null): PolicyContext
  /** Runs repositories and factories in this application's database. */
  within<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Starts an application on a free port. Call it at the top of a test file: the server ends with the file. */
export async function startTestApp<User extends TestUser>(parts: AppUnderTest<User>): Promise<TestApp<User>> {
  const { database: testDatabase, registry, makeUser, signIn } = parts
  const url = await serve(parts.app)
  const within = <Result>(work: () => Promise<Result>) => withDatabase(testDatabase.db, work)
  const signInAs = async (email: string) => {
    const client = new TestClient(url)
    await signIn(client, email)
    return client
  }
  return {
    ...parts,
    ...testDatabase,
    url,
    guest: new TestClient(url),
    signInAs,
    async newcomer(values) {
      const user = await within(() => makeUser(values))
      return Object.assign(await signInAs(user.email), { user })
    },
    contextFor(user) {
      const session = user && { id: 'test', userId: user.id, name: user.name, roles: user.roles }
      return contextOf(session, { db: database, registry })
    },
    within,
  }
}

async function serve(app: Express): Promise<string> {
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${portOf(server)}`
}
