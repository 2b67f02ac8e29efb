import { type Logger, pino } from 'pino'
import type { DeclaredResource } from 'pergola'
import { type ForbiddenResponse, registryOfResources, type Replacements } from 'pergola/app'
import { useMail } from 'pergola/mail'
import { startTestApp, type TestApp as AppInTest, type TestDatabase, testDatabase } from 'pergola/testing'
import { createApp } from '#app/app.ts'
import { readConfig } from '#app/config.ts'
import { jobs } from '#app/jobs/jobs.ts'
import { mailSettings } from '#app/mails/mail-settings.ts'
import { routeTables } from '#app/pages.ts'
import { resources } from '#app/resources.ts'
import { DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'

interface TestAppOptions extends Replacements {
  forbiddenResponse?: ForbiddenResponse
  /** Instead of the application's own resources. */
  resources?: readonly DeclaredResource[]
  /** Environment variables, such as `{ SECURITY__FORBIDDEN_RESPONSE: '403' }`. */
  env?: Record<string, string>
  ready?: () => Promise<boolean>
  log?: Logger
  /** A database that the test file already created. */
  database?: TestDatabase
}

type Person = Awaited<ReturnType<typeof makeUser>>

export type TestApp = AppInTest<Person>
export type Newcomer = Awaited<ReturnType<TestApp['newcomer']>>

/** Starts the real application on a free port with its own database. Call it at the top of a test file. */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await testDatabase())
  const config = readConfig({
    NODE_ENV: 'test',
    SESSION__SECRET: 'a secret for tests that is long enough',
    MAIL__URL: 'memory:',
    ...(options.forbiddenResponse && { SECURITY__FORBIDDEN_RESPONSE: options.forbiddenResponse }),
    ...options.env,
  })
  useMail(database.db, mailSettings(config))
  const declared = options.resources ?? resources
  const app = createApp({
    config,
    resources,
    ready: () => Promise.resolve(true),
    log: pino({ level: 'silent' }),
    ...options,
    db: database.db,
  })
  return startTestApp({
    app,
    database,
    resources: declared,
    routes: routeTables(config, declared),
    registry: registryOfResources(declared, options),
    declaredJobs: jobs,
    makeUser,
    allUsers: () => users.asSystem('parity').findAll(),
    async signIn(client, email) {
      const { status } = await client.post('/login', { form: { email, password: DEMO_PASSWORD } })
      if (status !== 303) throw new Error(`Sign-in as ${email} returned ${status}.`)
    },
  })
}
