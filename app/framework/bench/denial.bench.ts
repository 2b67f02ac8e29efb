import { performance } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { makeNote, notes } from '../test/fixtures/note.ts'
import { testApp } from '../test/fixtures/test-app.ts'
import { makeUser } from '../test/fixtures/user.ts'

const SAMPLES = 200

const app = await testApp()
const [author, stranger] = await app.within(() => Promise.all([makeUser(), makeUser()]))
const bob = await app.signInAs(stranger.email)
const makeDraft = () => app.within(() => makeNote({ author_id: author.id, published: false }))

const HTMX = { headers: { 'hx-request': 'true', 'hx-target': 'body', 'hx-request-type': 'full' } }
const FORM = { form: { title: 'x', body: 'y' } }
const REQUESTS: [method: string, path: string, as: string, sent: object][] = [
  ['GET', '/notes/', 'page', {}],
  ['GET', '/notes/', 'htmx', HTMX],
  ['HEAD', '/notes/', 'page', {}],
  ['PUT', '/notes/', 'page', FORM],
  ['PUT', '/notes/', 'htmx', { ...FORM, ...HTMX }],
  ['DELETE', '/notes/', 'page', {}],
  ['DELETE', '/notes/', 'htmx', HTMX],
  ['GET', '/api/notes/', 'JSON', {}],
  ['HEAD', '/api/notes/', 'JSON', {}],
  ['PUT', '/api/notes/', 'JSON', { json: { title: 'x' } }],
  ['DELETE', '/api/notes/', 'JSON', {}],
]

const at = (sorted: readonly number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
const summary = (times: readonly number[]) => {
  const sorted = times.toSorted((one, other) => one - other)
  return { median: at(sorted, 0.5), p90: at(sorted, 0.9) }
}

it(`times ${SAMPLES} denied and ${SAMPLES} missing records, taking turns`, async () => {
  const draft = await makeDraft()
  const gone = await makeDraft()
  await app.within(() => notes.asSystem('bench').delete(gone.id))
  const report: Record<string, object> = {}
  for (const [method, path, as, sent] of REQUESTS) {
    const times = { denied: [] as number[], missing: [] as number[] }
    const sample = async (kind: keyof typeof times) => {
      const started = performance.now()
      const { status } = await bob.send(method, path + (kind === 'denied' ? draft.id : gone.id), sent)
      times[kind].push(performance.now() - started)
      expect(status).toBe(404)
    }
    for (let turn = 0; turn < SAMPLES; turn++) {
      await sample(turn % 2 === 0 ? 'denied' : 'missing')
      await sample(turn % 2 === 0 ? 'missing' : 'denied')
    }
    const [denied, missing] = [summary(times.denied), summary(times.missing)]
    report[`${method} ${path}:id as ${as}`] = {
      'denied, median ms': denied.median.toFixed(2),
      'missing, median ms': missing.median.toFixed(2),
      'ratio of medians': (denied.median / missing.median).toFixed(3),
      'denied, p90 ms': denied.p90.toFixed(2),
      'missing, p90 ms': missing.p90.toFixed(2),
    }
  }
  // oxlint-disable-next-line no-console
  console.table(report)
})
