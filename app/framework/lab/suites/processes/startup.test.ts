import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { repository } from 'pergola'
import { unauthorizedApis } from 'pergola/app'
import { databaseUrl, isPooled } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { unreachableMail } from '../unreachable-mail.ts'
import {
  DEMO_PASSWORD,
  hashPassword,
  makeUser,
  User,
  makeTestNote,
  TestNote,
  testNoteApp,
  testNoteDatabase,
} from '../application.ts'

const database = await testNoteDatabase()
const indexless = await testDatabase()
const pooled = await isPooled(database.url)

describe('an API without a policy', () => {
  const bare = repository(TestNote, { api: '/api/test-notes' })

  it('is reported with its file, its path and both fixes', () => {
    const [problem, ...others] = unauthorizedApis([{ repository: bare }, { repository: repository(User) }])
    expect(others).toEqual([])
    expect(problem).toMatch(
      /^app\/framework\/lab\/suites\/processes\/startup\.test\.ts:\d+: the repository of TestNote serves \/api\/test-notes without a policy/,
    )
    expect(problem).toContain('policy:')
    expect(problem).toContain('allow_unauthorized_repository_api = true')
  })

  it('requires a session, accepts any user, and lists nothing', async () => {
    const app = await testNoteApp({ database, resources: [{ repository: bare }] })
    const note = await app.within(() => makeTestNote())
    const path = `/api/test-notes/${note.id}`
    const { email } = await app.within(() => makeUser())
    const anybody = await app.signInAs(email)
    const asGuest = ['/api/test-notes', path].map((address) => app.guest.get(address))
    expect((await Promise.all(asGuest)).map(({ status }) => status)).toEqual([401, 401])
    expect((await anybody.put(path, { json: { title: 'Taken' } })).status).toBe(200)
    expect((await anybody.get('/api/test-notes')).json()).toMatchObject({ content: [], total_elements: 0 })
  })
})

describe('app/server.ts', () => {
  const production = {
    NODE_ENV: 'production',
    PORT: '0',
    BASE_URL: 'https://example.org',
    SESSION__SECRET: 'a secret of more than thirty-two characters',
    ...unreachableMail,
    DATABASE_URL: database.url,
  }

  it.each([
    ['DATABASE_URL', 'Production: DATABASE_URL is missing'],
    ['BASE_URL', 'Production: BASE_URL is missing'],
    ['SESSION__SECRET', 'Production: SESSION__SECRET is missing'],
  ])('does not start in production without %s, and prints one line', async (name, message) => {
    const { code, output } = await start({ ...production, [name]: '' })
    expect([code, output.trim().split('\n').length]).toEqual([1, 1])
    expect(output).toContain(message)
  })

  it('does not start in production if a demo account has the public password', async () => {
    const { db } = database
    const password_digest = await hashPassword(DEMO_PASSWORD)
    await db.insertInto('users').values({ name: 'A', email: 'alice@example.test', password_digest }).execute()
    const { code, output } = await start(production)
    expect(code).toBe(1)
    expect(output).toContain('alice@example.test still has the public demo password')
    await db.deleteFrom('users').where('email', '=', 'alice@example.test').execute()
  })

  // A connection pooler reports a database that doesn't exist like one that is down.
  it.skipIf(pooled)('exits with one line if the database does not exist', async () => {
    const nowhere = databaseUrl(database.url, 'no_such_database')
    const { code, output } = await start({ ...production, DATABASE_URL: nowhere })
    expect(code).toBe(1)
    expect(output).toContain('no_such_database')
  })

  describe('with an API that has no policy', () => {
    const unguarded = (env: Record<string, string>) =>
      start({ ...production, ...env }, "{ api: '/api/unguarded' }")

    it('exits in production before it listens, and prints the fix', async () => {
      const { code, output } = await unguarded({})
      expect(code).toBe(1)
      expect(output).toContain('the repository of Unguarded serves /api/unguarded without a policy')
      expect(output).toContain(
        'Give it one (policy:), or set [security] allow_unauthorized_repository_api = true.',
      )
      expect(output).not.toContain('Listening')
    })

    it('starts with the flag, and logs a warning', async () => {
      const { code, output } = await unguarded({ SECURITY__ALLOW_UNAUTHORIZED_REPOSITORY_API: 'true' })
      expect(code).toBe('listening')
      expect(output).toContain('serves /api/unguarded without a policy')
      expect(output).toContain('"level":40')
    })
  })

  it('does not start if the cursor column is nullable in the database', async () => {
    const { db } = database
    await sql`alter table test_notes alter created_at drop not null`.execute(db)
    const keyed = "{ order: '-created_at' }"
    const { code, output } = await start(production, keyed)
    await sql`alter table test_notes alter created_at set not null`.execute(db)
    expect(code).toBe(1)
    expect(output).toMatch(/app\/resources\.ts:\d+: lists of Unguarded are ordered by created_at/)
  })

  it('logs the missing indexes of lists in development', async () => {
    await sql`drop index users_name_sort`.execute(indexless.db)
    const env = { NODE_ENV: 'development', PORT: '0', DATABASE_URL: indexless.url }
    const { output } = await run(['app/server.ts'], { ...env, SESSION__SECRET: 'x'.repeat(32) }, / is at /)
    expect(output).toContain('lists of User are sorted by name, which has no index.')
    expect(output).toContain('create index concurrently users_name_sort on users using btree (name, id)')
    expect(output.match(/has no index/g)).toHaveLength(1)
  })

  it('treats an unset NODE_ENV as production', async () => {
    const { code, output } = await start({ NODE_ENV: '' })
    expect([code, output]).toEqual([1, expect.stringContaining('Production:')])
  })
})

describe('endInOrder', () => {
  it.each([
    ['an uncaught error', `setTimeout(() => { throw new Error('boom') }, 50)`],
    ['an unhandled rejection', `void Promise.reject(new Error('boom'))`],
  ])('exits with 1 after %s, logs it, and closes connections', async (_, failure) => {
    const script = `
      import { pino } from 'pino'
      import { endInOrder, listen } from 'pergola/app'
      const server = await listen((_req, res) => res.end(), { host: '127.0.0.1', port: 0, behindProxy: false })
      const finish = async () => console.log('closed')
      endInOrder({ server, log: pino({ level: 'silent' }), grace: 500, begin: () => {}, finish })
      ${failure}`
    const { code, output } = await run(['--input-type=module', '--eval', script], {})
    expect([code, output]).toEqual([1, expect.stringContaining('boom')])
    expect(output).toContain('closed')
  })
})

/** Starts the server. If `options` is set, adds a resource with a repository that has these options. */
const start = (env: Record<string, string>, options?: string) =>
  run(
    [...(options === undefined ? [] : ['--import', furtherResource(options)]), 'app/server.ts'],
    env,
    /Listening/,
  )

const furtherResource = (options: string) =>
  `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module'
    const imports = "import { z } from 'zod'; import { repository, resource } from 'pergola';"
    const entry = "{ repository: repository(resource('Unguarded', { table: 'test_notes', input: z.strictObject({}), columns: ['created_at'] }), ${options}) },"
    registerHooks({
      load(url, context, next) {
        const loaded = next(url, context)
        if (!url.endsWith('/app/resources.ts')) return loaded
        const source = String(loaded.source).replace(/export const resources[^=]*= \\[/, (start) => imports + start + entry)
        return { ...loaded, source }
      },
    })`)}`

/** Runs Node with only this environment. Waits until it exits or its output matches `enough`. */
async function run(args: string[], env: Record<string, string>, enough?: RegExp) {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const server = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', ...set },
  })
  let output = ''
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (enough?.test(output)) server.kill('SIGKILL')
    })
  const late = setTimeout(() => server.kill('SIGKILL'), 50_000)
  const [code] = (await once(server, 'exit')) as [number | null]
  clearTimeout(late)
  return { code: enough?.test(output) ? 'listening' : code, output }
}
