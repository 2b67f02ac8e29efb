import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { manifestText, parseManifest, type RouteEntry } from 'pergola/manifest'
import { noteProject } from '../../test-support/note-project.ts'
import type { Ended } from '../../test-support/run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'routes-'))
afterAll(() => rmSync(folder, { recursive: true }))

// The command doesn't use the database of the project.
const project = await noteProject()
const { root } = project
const cli = (args: string[], options?: { cwd?: string; input?: string }) =>
  project.cli(['routes', ...args], options)

const routesOf = ({ stdout }: Ended) => JSON.parse(stdout) as RouteEntry[]
const entries = routesOf(await cli(['--json']))

/** Returns the line of a file at `file:line`. */
function lineAt(place: string): string {
  const [file = '', line = ''] = place.split(':')
  return readFileSync(join(root, file), 'utf8').split('\n')[Number(line) - 1] ?? ''
}
const placesIn = (text: string) => text.match(/[\w./-]+\.ts:\d+/g) ?? []

describe('cli routes', () => {
  it('prints a table with aligned columns', async () => {
    const { code, stdout, stderr } = await cli([], { cwd: 'app/notes' })
    expect([code, stderr]).toEqual([0, ''])
    const [heading = '', ...rows] = stdout.trimEnd().split('\n')
    expect(rows).toHaveLength(entries.length)
    const at = heading.indexOf('PATH')
    expect(rows.filter((row) => row[at] !== '/' || row[at - 1] !== ' ')).toEqual([])
    expect(stdout).toMatch(/^PUT +\/notes\/:id +notes\.update +gated +update Note$/m)
    // oxlint-disable-next-line no-control-regex -- colours begin with it
    expect(stdout).not.toMatch(/\u001B/)
  })

  it.each<[string[], (route: RouteEntry) => boolean]>([
    [['--method', 'put'], ({ method }) => method === 'PUT'],
    [['--path', '/notes'], ({ path }) => path === '/notes' || path.startsWith('/notes/')],
    [['--access', 'public'], ({ classification }) => classification === 'public'],
    [['--access', 'framework'], ({ classification }) => classification === 'framework'],
    [['--resource', 'note'], ({ policy }) => policy?.endsWith(' Note') === true],
    [['--role', 'nobody'], () => false],
    [
      ['--method', 'GET', '--access', 'gated'],
      ({ method, classification }) => method === 'GET' && classification === 'gated',
    ],
  ])('filters by %j', async (args, matches) => {
    expect(routesOf(await cli(['--json', ...args]))).toEqual(entries.filter(matches))
  })

  it('rejects an unknown kind of access', async () => {
    const { code, stderr } = await cli(['--access', 'open'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('public, gated, framework')])
  })
})

describe('cli routes --info', () => {
  it.each([
    [['GET /notes/7'], "'GET /:id': [publicRoute()", ['canShow:'], 'const show: Handler'],
    [['GET', '/notes/new?x=1'], "'GET /new': [secured()", ['canCreate:'], 'const newForm: Handler'],
    [
      ['put', 'https://example.org/notes/7'],
      "'PUT /:id': [secured()",
      ['const mayWrite ='],
      'const update: Handler',
    ],
    [['/login'], "'GET /login': [publicRoute()", [], 'const newForm: Handler'],
    [['DELETE /api/notes/7'], 'repository(Note,', ['const mayWrite ='], 'function destroy('],
  ])('prints the correct lines of code for %j', async (words, route, rules, handler) => {
    const { code, stdout } = await cli(['--info', ...words])
    expect(code).toBe(0)
    const lines = placesIn(stdout).map(lineAt)
    expect(lines).toEqual([route, ...rules, handler].map((text) => expect.stringContaining(text) as string))
  })

  it('lists each step in order', async () => {
    const { stdout } = await cli(['--info', 'PUT /api/notes/7'])
    expect(stdout.match(/^ {2}\d\. .*$/gm)).toEqual([
      '  1. is open to signed-in users',
      '  2. loads the Note whose id is in the path, or returns a 404',
      '  3. checks whether the caller may update the Note',
      '  4. checks that the request contains the current version of the record',
      '  5. reads the JSON body',
      '  6. runs the handler update',
    ])
  })

  it.each([
    ['GET /note', 'Did you mean GET /notes?'],
    ['PATCH /notes/7', '/notes/7 does not support PATCH. Supported methods: DELETE, GET, PUT.'],
    ['GET /API/notes', 'No route matches GET /API/notes.'],
    ['GET /notes/%E0%A4%A', 'an invalid % escape'],
    ['GET notes', 'is not a request'],
  ])('fails for %s with a suggestion', async (request, message) => {
    const { code, stdout, stderr } = await cli(['--info', request])
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)])
  })
})

describe('cli routes audit', () => {
  it('prints a summary, or the manifest as committed', async () => {
    const [text, json] = await Promise.all([cli(['audit']), cli(['audit', '--json'])])
    expect([text.code, text.stderr]).toEqual([0, ''])
    expect(text.stdout).toContain(`${entries.length} routes: `)
    expect(text.stdout).toMatch(/app\/account\/sign-up\.controller\.ts:\d+: users, 'sign-up'/)
    expect(text.stdout).toMatch(/app\/sessions\/session\.ts:\d+: reads the table users directly/)
    expect(text.stdout.trimEnd()).toMatch(/No problems\.$/)
    expect(json.stdout).toBe(readFileSync(join(root, 'security.manifest.json'), 'utf8'))
  })

  it('checks the committed manifest without output on stdout', async () => {
    const { code, stdout, stderr } = await cli(['audit', '--check'])
    expect([code, stdout, stderr]).toEqual([0, '', 'security.manifest.json is up to date.\n'])
  })

  it('fails with --diff only if access became wider', async () => {
    // Runs in a new process, because vitest changes the text of rules, which contains their roles.
    const old = parseManifest((await cli(['audit', '--json'])).stdout)
    const route = old.dimensions.routes.entries.find(({ name }) => name === 'notes.index')
    if (route)
      Object.assign(route, { classification: 'gated', roles: ['editor'], guards: ['secured editor'] })
    const narrow = join(folder, 'narrow.json')
    writeFileSync(narrow, manifestText(old))
    const wider = await cli(['audit', '--diff', narrow])
    expect(wider).toEqual({
      code: 1,
      stdout: 'Wider: GET /notes is now public; it was for editor only.\n',
      stderr: '',
    })
    if (route) Object.assign(route, { classification: 'unclassified', roles: [] })
    const narrower = await cli(['audit', '--diff', '-'], { input: manifestText(old) })
    expect([narrower.code, narrower.stdout]).toEqual([
      0,
      expect.stringMatching(/^Narrower: GET \/notes is now public/),
    ])
  })

  it.each([
    ['a missing file', undefined, 'ENOENT'],
    ['invalid JSON', '{', 'it is not JSON'],
    ['another version', '{ "schema_version": 7 }', 'schema_version 7, but this program only reads version 1'],
    ['an invalid manifest', '{ "schema_version": 1 }', 'The manifest is invalid at dimensions'],
  ])('exits with 2 for %s', async (name, text, message) => {
    const path = join(folder, `${name}.json`)
    if (text !== undefined) writeFileSync(path, text)
    const { code, stdout, stderr } = await cli(['audit', '--diff', path])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('rejects conflicting options', async () => {
    const [audit, info] = await Promise.all([
      cli(['audit', '--check', '--json']),
      cli(['--info', 'GET /notes', '--json']),
    ])
    expect([audit.code, info.code]).toEqual([2, 2])
    expect(info.stderr).toContain("cannot be used with option '--json'")
    expect(JSON.parse(info.stdout)).toEqual({ error: expect.stringContaining("with option '--json'") })
  })
})
