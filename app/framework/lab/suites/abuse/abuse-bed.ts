import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { afterAll } from 'vitest'
import { registryOfResources } from 'pergola/app'
import { ensureDatabase, openDatabase, withPatientDatabase } from 'pergola/database'
import { connectTestApp, ownPostgres, restartableServer, type RestartableServer } from 'pergola/lab'
import { type Makers, type TestApp } from 'pergola/testing'
import { unreachableMail } from '../unreachable-mail.ts'
import {
  createApp,
  readConfig,
  routeTables,
  migrate,
  resources,
  DEMO_PASSWORD,
  makeUser,
  users,
} from '../application.ts'

/** Returns an address that no earlier request had. */
const nextAddress = () => `198.18.${Math.floor(++addresses / 250)}.${addresses % 250}`
let addresses = 0

type Person = Awaited<ReturnType<typeof makeUser>>

/** The application in production mode, with a Postgres server of its own. */
export interface AbuseBed {
  app: TestApp<Person>
  server: RestartableServer
  /** Starts another process of the application with the same database and further settings. */
  startServer: (env: Record<string, string>) => Promise<RestartableServer>
  /** An admin. The records that the attacks aim at belong to this user. */
  insider: Person
  /** Creates records of the resources that have no seed. */
  makers: Makers
  /** Texts that no response may contain. */
  secrets: string[]
}

/** Starts the application, and ends it when the test file ends. Call it at the top of the file. */
export async function abuseBed(): Promise<AbuseBed> {
  const postgres = await ownPostgres()
  const url = postgres.url('app')
  await ensureDatabase(postgres.url('postgres'), 'app')
  const log = pino({ level: 'silent' })
  await withPatientDatabase(url, { log }, migrate)
  const secret = randomBytes(32).toString('hex')
  const settings = {
    DATABASE_URL: url,
    SESSION__SECRET: secret,
    ...unreachableMail,
    SERVER__LOG_LEVEL: 'error',
    // All attacks come from one network. Sign-ins of the tests have addresses of their own.
    SECURITY__WRITES_PER_MINUTE: '1000000',
    SECURITY__SEARCHES_PER_MINUTE: '1000000',
    SERVER__TRUST_PROXY: '1',
  }
  const startServer = (env: Record<string, string> = {}) =>
    restartableServer(['app/server.ts'], { ...settings, ...env })
  const server = await startServer()

  const base = server.url.replace('http:', 'https:')
  const config = readConfig({ NODE_ENV: 'production', BASE_URL: base, ...settings })
  const db = openDatabase(url, config, log)
  afterAll(() => db.destroy())
  const app = await connectTestApp(server.url, {
    app: createApp({ config, db, log, resources, ready: () => Promise.resolve(true) }),
    database: { db, url, statements: [] },
    resources,
    routes: routeTables(config, resources),
    registry: registryOfResources(resources),
    makeUser,
    allUsers: () => users.asSystem('abuse').findAll(),
    async signIn(client, email) {
      const form = { email, password: DEMO_PASSWORD }
      const { status } = await client.post('/login', { form, headers: { 'X-Forwarded-For': nextAddress() } })
      if (status !== 303) throw new Error(`Sign-in as ${email} returned ${status}.`)
    },
  })
  const makers: Makers = {
    User: () => makeUser(),
    '/account/sessions/:id': ({ id }) => {
      const values = { user_id: id, token_digest: randomBytes(8).toString('hex') }
      return db.insertInto('sessions').values(values).returning('id').executeTakeFirstOrThrow()
    },
  }
  return {
    app,
    server,
    startServer,
    insider: await app.within(() => makeUser({ roles: ['admin'] })),
    makers,
    secrets: [secret, new URL(url).password, '$argon2'],
  }
}
