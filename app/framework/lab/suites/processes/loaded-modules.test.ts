import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { productionServer } from './production-server.ts'
import { testNoteDatabase } from '../application.ts'

const database = await testNoteDatabase()

/** A module that a server imported: the URLs of the importing file and of the module. */
interface Import {
  readonly by: string
  readonly url: string
}

/** Starts a server, requests these paths, and returns what Pergola’s files imported in its process. */
async function importsFor(...paths: string[]): Promise<Import[]> {
  const report = join(mkdtempSync(join(tmpdir(), 'pergola-loaded-')), 'loaded.json')
  const { server, url } = await productionServer(database.url, {
    NODE_OPTIONS: `--import ${new URL('report-loaded.js', import.meta.url).href}`,
    REPORT: report,
  })
  for (const path of paths) {
    const request = get(url + path, { headers: { Host: 'example.org' } })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect(response.resume().statusCode).toBe(200)
  }
  const exit = once(server, 'exit')
  server.kill('SIGINT')
  await exit
  const imports = JSON.parse(readFileSync(report, 'utf8')) as Import[]
  return imports.filter(({ by }) => PERGOLAS.test(by))
}

/** Pergola's files in an application. The owner's files import what they want. */
const PERGOLAS =
  /\/app\/(?:framework|account|account-tokens|db|home|jobs|mails|security-events|sessions|tasks|theme|users)\//

/** The packages of Pergola. */
const PACKAGES = Object.keys(
  (JSON.parse(readFileSync('app/framework/package.json', 'utf8')) as { dependencies: object }).dependencies,
).concat(
  '@bomb.sh/tab',
  '@node-rs/argon2',
  '@zxcvbn-ts/core',
  '@zxcvbn-ts/language-common',
  'bowser',
  'commander',
  'get-port',
)

/** The packages that requests use. A server loads them before it is ready, because a deploy may replace their files. */
const NEEDED =
  'dataloader eta express helmet iron-session kysely negotiator pg pg-boss pino rate-limiter-flexible zod'
    .split(' ')
    .concat('@node-rs/argon2', '@zxcvbn-ts/core', '@zxcvbn-ts/language-common', 'bowser')

const packagesOf = (imports: readonly Import[]) =>
  PACKAGES.filter((name) => imports.some(({ url }) => url.includes(`/node_modules/${name}/`)))

describe('app/start.js', () => {
  it('loads only the packages that requests need', async () => {
    const packages = packagesOf(await importsFor('/api/test-notes'))
    expect(packages).toContain('kysely')
    expect(packages.filter((name) => !NEEDED.includes(name))).toEqual([])
  })

  it('loads no code for commands and development', async () => {
    const own = (await importsFor('/api/test-notes')).filter(({ url }) => !url.includes('/node_modules/'))
    const others =
      /\/(?:manifest\/index\.ts|(?:framework|db)\/migrations|embedded\/(?!development-postgres)|testing|lab|cli)\b/
    expect(own.length).toBeGreaterThan(100)
    expect(own.filter(({ url }) => others.test(url))).toEqual([])
  })
})
