import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Express } from 'express'
import { afterAll } from 'vitest'
import { contextOf } from '../src/policy/policy-context.ts'
import type { PolicyContext, Registry } from '../src/policy/authorization-types.ts'
import { database, withDatabase } from '../src/database/executor.ts'
import { withAllTenants } from '../src/rows/tenant.ts'
import { portOf } from '../src/http/server/serve.ts'
import type { Routes } from '../src/http/routes/route-types.ts'
import type { DeclaredResource } from '../src/application/declared-resources.ts'
import type { AnyJob } from '../src/jobs/job.ts'
import { type ListedJob, waitingJobs } from '../src/jobs/list-jobs.ts'
import { type SentMail, takeDelivered } from '../src/mail/memory-outbox.ts'
import { sendMail } from '../src/mail/send-mail.ts'
import type { RecordId } from '../src/resource/tables.ts'
import { runJobs } from './run-jobs.ts'
import { TestClient } from './test-client.ts'
import type { TestDatabase } from './test-database.ts'

/** A user in tests. */
export interface TestUser {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly roles: readonly string[]
}

/** The application and its parts, for `startTestApp`. */
export interface AppUnderTest<User extends TestUser> {
  readonly app: Express
  readonly database: TestDatabase
  readonly resources: readonly DeclaredResource[]
  /** All route tables of the application. */
  readonly routes: readonly Routes[]
  readonly registry: Registry
  /** The jobs that `runJobs` runs. */
  readonly declaredJobs?: readonly AnyJob[]
  /**
   * Stores a user with a name, an email and these roles, and returns the user. Runs within the application's database.
   */
  readonly makeUser: (values?: { name?: string; roles?: string[] }) => Promise<User>
  /** Returns every user in the database. */
  readonly allUsers: () => Promise<readonly Omit<TestUser, 'email'>[]>
  /** Returns the tenant of a user. Required if a resource has a tenant. */
  tenantOf?(user: Omit<User, 'email'>): RecordId | null
  /** Signs in the user with this email, with the requests that a browser sends. Throws if the sign-in fails. */
  readonly signIn: (client: TestClient, email: string) => Promise<void>
}

/** An application that listens on a free port until its test file ends. */
export interface TestApp<User extends TestUser = TestUser> extends TestDatabase, AppUnderTest<User> {
  readonly url: string
  /** A client without a session. */
  readonly guest: TestClient
  /** Returns a new client in which the user with this email is signed in. */
  signInAs(email: string): Promise<TestClient>
  /** Returns a new client in which a new user is signed in: `(await app.newcomer()).user`. */
  newcomer(values?: { name?: string; roles?: string[] }): Promise<TestClient & { readonly user: User }>
  /** Returns the policy context of this user; null is a guest. Use it in `within`. */
  contextFor(user: Omit<TestUser, 'email'> | null): PolicyContext
  /** Calls `work` within the application's database and `withAllTenants`, for repositories and factories. */
  within<Result>(work: () => Promise<Result>): Promise<Result>
  /** Returns the jobs that wait, next first, up to 1,000. */
  jobs(): Promise<ListedJob[]>
  /**
   * Runs the jobs that are due, and those that they enqueue. With `delayed`, also those that are due later. Throws the
   * first error of a job after all of them have run; the failed job waits for its next attempt.
   */
  runJobs(options?: { delayed?: boolean }): Promise<void>
  /**
   * Delivers the mails that are due, and returns all mails since the last call, oldest first, but those of a transaction in
   * any order. Call `runJobs` before it for mails that a job sends. Throws if a mail can't be rendered. Needs the job
   * `sendMail` and `useMail` with the URL `memory:`.
   */
  mails(): Promise<SentMail[]>
}

/**
 * Starts an application on a free port, and stops it when the test file ends. Call it at the top of a test file,
 * usually through a function of the application:
 *
 * ```ts
 * // app/test/test-app.ts
 * export async function testApp() {
 *   const database = await testDatabase()
 *   return startTestApp({
 *     app: createApp({ db: database.db, resources, … }),
 *     database,
 *     resources,
 *     routes: routeTables(resources),
 *     registry: registryOfResources(resources),
 *     declaredJobs: jobs,
 *     makeUser, // stores a user and returns the row with its email
 *     allUsers: () => users.asSystem('parity').findAll(),
 *     signIn: async (client, email) => void (await client.post('/login', { form: { email, password } })),
 *   })
 * }
 *
 * // app/posts/post.test.ts
 * const app = await testApp()
 * const author = await app.newcomer()
 * it('lists posts', async () => expect((await author.get('/posts')).status).toBe(200))
 * ```
 */
export async function startTestApp<User extends TestUser>(parts: AppUnderTest<User>): Promise<TestApp<User>> {
  return connectTestApp(await serve(parts.app), parts)
}

/**
 * Returns an application that listens at `url` in another process, with the same database. `parts.app` must have the same
 * settings, and doesn't listen.
 */
export async function connectTestApp<User extends TestUser>(
  url: string,
  parts: AppUnderTest<User>,
): Promise<TestApp<User>> {
  const { database: testDatabase, registry, makeUser, signIn } = parts
  const within = <Result>(work: () => Promise<Result>) =>
    withDatabase(testDatabase.db, () => withAllTenants(work))
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
      const tenant = user === null ? null : (parts.tenantOf?.(user as Omit<User, 'email'>) ?? null)
      return contextOf(session, { tenant, db: database, registry })
    },
    within,
    jobs: () => within(() => waitingJobs({ limit: 1_000 })),
    runJobs: (options) => runJobs(testDatabase.db, parts.declaredJobs ?? [], options),
    async mails() {
      await runJobs(testDatabase.db, [sendMail])
      return takeDelivered(testDatabase.db)
    },
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
