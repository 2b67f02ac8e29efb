import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { manifestText, type Use } from 'pergola/manifest'
import { productionApp, productionManifest } from '#app/manifest.ts'
import { audited, checked, outdated, written } from './audit.ts'

const folder = mkdtempSync(join(tmpdir(), 'manifest-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string) => join(folder, name)

const manifest = productionManifest()
const open = productionApp()
open.app.get('/backdoor', function letIn(_req, res) {
  res.end()
})
const opened = productionManifest(open)
const NO_USES: Use[] = []
const MESSAGE = expect.stringContaining('GET /backdoor (letIn) is not in a route table') as string

describe('outdated', () => {
  it('describes the changes, and how to update the manifest', () => {
    const old = structuredClone(manifest)
    old.dimensions.routes.entries = old.dimensions.routes.entries.filter(({ path }) => path !== '/account')
    old.dimensions.csrf.exempt = []
    writeFileSync(file('old.json'), manifestText(old))
    const [first, ...messages] = outdated(manifest, file('old.json'))
    expect(first).toContain('old.json is out of date')
    expect(messages).toContain('Wider: GET /account is new, and open to all signed-in users.')
    expect(messages).toContain('Wider: GET /livez is now exempt from the cross-origin check.')
    expect(messages.at(-1)).toContain('npx cli routes audit --write')
  })

  it('describes a missing file, an invalid file, and a difference in format', () => {
    expect(outdated(manifest, file('none.json'))[1]).toBe('The file does not exist.')
    writeFileSync(file('broken.json'), '{')
    expect(outdated(manifest, file('broken.json'))[1]).toContain('not JSON')
    writeFileSync(file('form.json'), JSON.stringify(manifest))
    expect(outdated(manifest, file('form.json'))[1]).toBe('Only the order of keys or the whitespace differs.')
  })

  it('contains the key of a difference that does not affect access', () => {
    const old = structuredClone(manifest)
    old.excluded.not_visible = ['nothing']
    writeFileSync(file('other.json'), manifestText(old))
    expect(outdated(manifest, file('other.json'))[1]).toBe(
      'No access became wider or narrower; excluded.not_visible differs.',
    )
  })

  it('reports a replaced cross-origin check', () => {
    const old = structuredClone(manifest)
    old.dimensions.csrf.check = 'another'
    writeFileSync(file('check.json'), manifestText(old))
    expect(outdated(manifest, file('check.json'))[1]).toBe(
      'Wider: The cross-origin check is now refuseCrossOrigin; it was another.',
    )
  })
})

describe('written', () => {
  it('is up to date afterwards', () => {
    expect(written(manifest, file('new.json')).code).toBe(0)
    expect(outdated(manifest, file('new.json'))).toEqual([])
  })

  it('refuses to write a manifest with problems', () => {
    writeFileSync(file('kept.json'), 'kept')
    expect(written(opened, file('kept.json'))).toEqual({ code: 1, message: MESSAGE })
    expect(readFileSync(file('kept.json'), 'utf8')).toBe('kept')
  })
})

describe('a route outside the route tables', () => {
  it('fails every audit with 1 and a message', () => {
    expect(audited(opened, NO_USES, false)).toEqual({ code: 1, out: MESSAGE })
    expect(audited(opened, NO_USES, true)).toEqual({
      code: 1,
      out: manifestText(opened).trimEnd(),
      message: MESSAGE,
    })
    expect(checked(opened)).toEqual({ code: 1, message: MESSAGE })
    expect(audited(manifest, NO_USES, false).code).toBe(0)
  })
})

describe('audited', () => {
  it('lists the middleware in one line', () => {
    expect(audited(manifest, NO_USES, false).out).toMatch(/^Middleware.*: requestLog, .*errorPage\.$/m)
  })

  it('lists the uses of asSystem with their lines, which the manifest does not contain', () => {
    const uses: Use[] = [
      { file: 'app/b.ts', line: 10, kind: 'system', what: 'posts', why: 'seed' },
      { file: 'app/a.ts', line: 7, kind: 'system', what: 'users', why: null },
      { file: 'app/b.ts', line: 9, kind: 'system', what: 'users', why: 'seed' },
    ]
    expect(audited(manifest, uses, false).out).toContain(
      '  app/a.ts:7: users, the reason is not a literal\n' +
        "  app/b.ts:9: users, 'seed'\n  app/b.ts:10: posts, 'seed'\n",
    )
    expect(audited(manifest, uses, true).out).toBe(manifestText(manifest).trimEnd())
  })

  it('lists the settings', () => {
    const { out } = audited(manifest, NO_USES, false)
    expect(out).toContain('  trust proxy: 0\n  deadline of rules: 5000 ms\n  other hosts: refused\n')
    expect(out).toMatch(
      /^ {2}own origin: fixed\n {2}default limits: writes 120 in 60s, searches 120 in 60s\n {2}sessions: findSession$/m,
    )
    expect(out).toContain('  APIs without a policy: not allowed\n')
  })

  it('lists the reads past the repositories with their lines', () => {
    const direct: Use[] = [
      { file: 'app/b.ts', line: 10, kind: 'call', what: 'withoutPlugins' },
      { file: 'app/b.ts', line: 9, kind: 'import', what: 'pergola/src/x.ts' },
      { file: 'app/a.ts', line: 8, kind: 'sql', what: 'select 1' },
      { file: 'app/a.ts', line: 7, kind: 'table', what: 'users' },
    ]
    expect(audited(manifest, direct, false).out).toContain(
      '  app/a.ts:7: reads the table users directly\n' +
        '  app/a.ts:8: selects with raw SQL: select 1\n' +
        '  app/b.ts:9: imports pergola/src/x.ts\n' +
        '  app/b.ts:10: uses withoutPlugins\n',
    )
  })
})
