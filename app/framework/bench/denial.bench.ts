import { performance } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { inScope, lookup, policy, type PolicyContext, scope } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { makeNote, Note, notes } from '../test/fixtures/note.ts'
import { testApp } from '../test/fixtures/test-app.ts'
import { makeUser } from '../test/fixtures/user.ts'

const TRIPLES = 900

const nameOf = lookup(async (db, userIds: readonly number[]) => {
  const rows = await db.selectFrom('users').select(['id', 'name']).where('id', 'in', userIds).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
})
const forEach = <Rule>(rule: Rule) => ({ canShow: rule, canUpdate: rule, canDelete: rule })
const byLookup = async (ctx: PolicyContext, { author_id }: { author_id: number }) =>
  (await nameOf(ctx, author_id)) === ctx.session?.name
const POLICIES = [
  ['plain rules', []],
  ['lookups', [[Note, policy(Note, forEach(byLookup))]]],
  ['inScope', [[Note, policy(Note, forEach(inScope()))]]],
] as const
/** Reads another table, as scopes of teams do. */
const noteScope = scope(Note, {
  where: (ctx, is) =>
    is.exists(
      is
        .selectFrom('users')
        .select('users.id')
        .whereRef('users.id', '=', 'notes.author_id')
        .where('users.id', '=', ctx.userId),
    ),
})

const database = await testDatabase()
const app = await testApp({ database })
const [author, stranger] = await app.within(() =>
  Promise.all([makeUser({ name: 'Alice' }), makeUser({ name: 'Bob' })]),
)
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

it.each(POLICIES)(
  `times ${TRIPLES} triples of a denied and two missing records, taking turns: %s`,
  async (_kind, policies) => {
    const judged = await testApp({ database, policies, scopes: [[Note, noteScope]] })
    const bob = await judged.signInAs(stranger.email)
    const draft = await makeDraft()
    const gone = await Promise.all([makeDraft(), makeDraft()])
    for (const { id } of gone) await app.within(() => notes.asSystem('bench').delete(id))
    // The second missing record shows how much two medians differ by chance.
    const ids = { denied: draft.id, missing: gone[0].id, control: gone[1].id }
    const kinds = ['denied', 'missing', 'control'] as const
    const report: Record<string, object> = {}
    for (const [method, path, as, sent] of REQUESTS) {
      const times = { denied: [] as number[], missing: [] as number[], control: [] as number[] }
      for (let turn = 0; turn < TRIPLES; turn++) {
        // Each kind is the first one, the second one and the third one in turn.
        for (const place of [0, 1, 2]) {
          const kind = kinds[(turn + place) % 3] ?? 'denied'
          const started = performance.now()
          const { status } = await bob.send(method, path + ids[kind], sent)
          times[kind].push(performance.now() - started)
          expect(status).toBe(404)
        }
      }
      const { denied, missing, control } = {
        denied: summary(times.denied),
        missing: summary(times.missing),
        control: summary(times.control),
      }
      report[`${method} ${path}:id as ${as}`] = {
        'denied, median ms': denied.median.toFixed(3),
        'missing, median ms': missing.median.toFixed(3),
        'denied / missing': (denied.median / missing.median).toFixed(3),
        'control / missing': (control.median / missing.median).toFixed(3),
        'denied / missing, p90': (denied.p90 / missing.p90).toFixed(3),
      }
    }
    // oxlint-disable-next-line no-console
    console.table(report)
  },
)
