import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Kysely } from 'kysely'
import { publicRoute, render, routes, type Tables } from 'pergola'
import { webApplication } from 'pergola/app'
import { inDatabase } from 'pergola/scale'
import { pino } from 'pino'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { LIGHT_PERGOLA } from '../test-support/light-pergola.ts'
import { compileNouns, nounModels, ONLY_THE_CANARY, ORDINARY, writeNouns } from '../test-support/nouns.ts'
import { existingIn } from './existing.ts'
import { identifiersOf } from './project/resource-list.ts'
import { namesOf } from './read/names.ts'

// Formatting would take a minute, and does not change the result of the compiler.
vi.mock('prettier', () => ({ format: (text: string) => text, resolveConfig: () => ({}) }))

const root = join(import.meta.dirname, '../..')
const project = await mkdtemp(join(tmpdir(), 'pergola-nouns-'))
afterAll(() => rm(project, { recursive: true, force: true }))

/** Reserved names, and the message for each. */
const TAKEN: Readonly<Record<string, string>> = {
  asset: '/assets is already a route',
  session: 'the table sessions already exists',
  user: 'User already exists',
  con: 'Windows reserves the file name con',
  pg_stat: 'Postgres reserves names that begin with pg_',
  employee_id: 'Use employee.',
}

// Omits the names of the sample.
const identifiersOfSample = /^(?:seed)?(?:posts?|feed|thousandPosts|importPosts|recountPosts)/i
const { identifiers, ...others } = await existingIn(root)
const existing = {
  ...others,
  identifiers: new Set([...identifiers].filter((name) => !identifiersOfSample.test(name))),
}
const { models, refused, modelOf } = nounModels(existing)

describe('ordinary nouns', () => {
  it('can be names of resources', () => {
    expect(models.length).toBeGreaterThan(ORDINARY.length - 50)
    expect(models.length).toBeGreaterThan(200)
    // The resource `public` already has routes of this name.
    expect(refused).toEqual({
      public_route: expect.stringContaining('already has publicRoutes') as string,
    })
  })

  it.each([
    ['account', 'accounts', 'accountRecordRoutes'],
    ['address', 'addresses', 'addressRecordRoutes'],
    ['error', 'error-records', 'errorRoutes'],
    ['home', 'homes', 'homeRecordRoutes'],
    ['job', 'job-records', 'jobRoutes'],
    ['mail', 'mail-records', 'mailRoutes'],
    ['task', 'task-records', 'taskRoutes'],
  ])('have a folder and a route table beside those of the application: %s', (noun, folder, routes) => {
    const model = models.find(({ names }) => names.file === noun)
    expect(model?.names.folder).toBe(folder)
    expect(model && identifiersOf(model.names)).toContain(routes)
  })

  it('have browser tests beside those of the application', () => {
    const specs = models.map(({ names }) => `e2e/${names.folder}.spec.ts`)
    expect(specs.filter((path) => existsSync(join(root, path)))).toEqual([])
  })

  it.each(Object.entries(TAKEN))('are rejected with a reason and an alternative: %s', (noun, reason) => {
    const { problem } = modelOf(noun)
    expect(problem).toContain(reason)
    expect(problem).toMatch(/Use |Leave /)
  })

  it('are not variables of a view if every page already uses the name', async () => {
    const used = new Set([
      ...(await namesInPages()),
      ...namesInLayouts(),
      ...'page query may mayCreate'.split(' '),
    ])
    expect(used.size).toBeGreaterThan(30)
    expect([...used].filter((name) => namesOf(name).record === name)).toEqual([])
  })

  it('compile together as resources', async () => {
    await write('package.json', JSON.stringify({ type: 'module', imports: { '#app/*': './app/*' } }))
    await symlink(join(root, 'node_modules'), join(project, 'node_modules'))
    await cp(join(root, 'tsconfig.json'), join(project, 'root.json'))
    for (const [path, text] of Object.entries(LIGHT_PERGOLA)) await write(path, text)
    await writeNouns(project, models)
    expect(await compileNouns(project)).toEqual(ONLY_THE_CANARY)
  })
})

/** Returns the names of the data that every page gets. */
async function namesInPages(): Promise<string[]> {
  await write(
    'views/names.eta',
    "<% const names = []; for (const name in it) names.push(name) %><%= names.join(' ') %>",
  )
  const db = {} as Kysely<Tables>
  const parts = { db, log: pino({ level: 'silent' }), resources: [], ready: () => Promise.resolve(true) }
  const app = webApplication(parts, {
    name: 'Test',
    views: join(project, 'views'),
    signInPath: '/login',
    apiPrefix: '/api',
    development: false,
    https: false,
    secret: 'a secret for tests that is long enough',
    assetUrl: (name) => name,
    forbiddenResponse: '404',
    findSession: () => Promise.resolve(null),
    middleware: [inDatabase(db)],
    tables: [routes('', { 'GET /': [publicRoute(), (_req, res) => render(res, 'names')] })],
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const text = await (await fetch(`http://127.0.0.1:${port}/`)).text()
  server.close()
  return text.split(' ')
}

const namesInLayouts = (): string[] =>
  globSync('views/layouts/*.eta', { cwd: root })
    .flatMap((path) => [...readFileSync(join(root, path), 'utf8').matchAll(/\bit\.(\w+)/g)])
    .map(([, name = '']) => name)

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(project, path)), { recursive: true })
  await writeFile(join(project, path), text)
}
