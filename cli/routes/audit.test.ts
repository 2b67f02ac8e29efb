import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { manifestText } from 'pergola/manifest'
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
const SENTENCE = expect.stringContaining('GET /backdoor (letIn) is not in a route table') as string

describe('outdated', () => {
  it('says in words what changed, and how to renew', () => {
    const old = structuredClone(manifest)
    old.dimensions.routes.entries = old.dimensions.routes.entries.filter(({ path }) => path !== '/account')
    old.dimensions.csrf.exempt = []
    writeFileSync(file('old.json'), manifestText(old))
    const [first, ...sentences] = outdated(manifest, file('old.json'))
    expect(first).toContain('old.json is not what the code says')
    expect(sentences).toContain('Wider: GET /account is new, and open to all signed-in users.')
    expect(sentences).toContain('Wider: GET /livez is now exempt from the cross-origin check.')
    expect(sentences.at(-1)).toContain('npx cli routes audit --write')
  })

  it('says so when there is none, when it is broken, and when only its form differs', () => {
    expect(outdated(manifest, file('none.json'))[1]).toBe('There is none.')
    writeFileSync(file('broken.json'), '{')
    expect(outdated(manifest, file('broken.json'))[1]).toContain('not JSON')
    writeFileSync(file('form.json'), JSON.stringify(manifest))
    expect(outdated(manifest, file('form.json'))[1]).toBe('Only its form differs: its keys, or its spaces.')
  })

  it('says where it differs when that lets nobody in or out', () => {
    const old = structuredClone(manifest)
    old.excluded.not_visible = ['nothing']
    writeFileSync(file('other.json'), manifestText(old))
    expect(outdated(manifest, file('other.json'))[1]).toBe(
      'Nobody may reach more or less than before; excluded.not_visible differs.',
    )
  })

  it('names the cross-origin check that was another', () => {
    const old = structuredClone(manifest)
    old.dimensions.csrf.check = 'another'
    writeFileSync(file('check.json'), manifestText(old))
    expect(outdated(manifest, file('check.json'))[1]).toBe(
      'Wider: The cross-origin check is now refuseCrossOrigin; it was another.',
    )
  })
})

describe('written', () => {
  it('is up to date at once', () => {
    expect(written(manifest, file('new.json')).code).toBe(0)
    expect(outdated(manifest, file('new.json'))).toEqual([])
  })

  it('writes no manifest that has problems', () => {
    writeFileSync(file('kept.json'), 'kept')
    expect(written(opened, file('kept.json'))).toEqual({ code: 1, talk: SENTENCE })
    expect(readFileSync(file('kept.json'), 'utf8')).toBe('kept')
  })
})

describe('a route that is in no table', () => {
  it('ends every audit with 1 and a sentence', () => {
    expect(audited(opened, false)).toEqual({ code: 1, out: SENTENCE })
    expect(audited(opened, true)).toEqual({ code: 1, out: manifestText(opened).trimEnd(), talk: SENTENCE })
    expect(checked(opened)).toEqual({ code: 1, talk: SENTENCE })
    expect(audited(manifest, false).code).toBe(0)
  })
})

describe('audited', () => {
  it('lists for people, in one line, what every request passes', () => {
    expect(audited(manifest, false).out).toMatch(/^Middleware.*: requestLog, .*errorPage\.$/m)
  })
})
