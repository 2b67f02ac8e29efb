import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { productionManifest } from '../../test/fixtures/manifest.ts'
import { compareManifests } from './compare.ts'
import type { Manifest, RouteEntry } from './schema.ts'

const today = productionManifest()

const role = fc.constantFrom('admin', 'editor', 'author', 'owner')
const route: fc.Arbitrary<RouteEntry> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
  path: fc.constantFrom('/', '/notes', '/notes/:id', '/x', '/x/:id/y'),
  name: fc.constantFrom('x.show', 'x.update'),
  classification: fc.constantFrom('gated', 'public', 'framework', 'unclassified'),
  roles: fc.uniqueArray(role, { maxLength: 3 }),
  policy: fc.constantFrom(null, 'update Note', 'show Blog, create Note', 'show Note, show Note'),
  guards: fc.subarray(['load Note by id', 'load Blog by id below owner_id=user', 'body', 'own trace']),
})
const key = ({ method, path }: RouteEntry) => `${method} ${path}`
const routeLists = fc.uniqueArray(route, { selector: key, maxLength: 6 })
const gated: fc.Arbitrary<RouteEntry> = route.map((entry) => ({ ...entry, classification: 'gated' }))

const withRoutes = (entries: RouteEntry[]): Manifest => ({
  ...today,
  dimensions: {
    ...today.dimensions,
    routes: { ...today.dimensions.routes, entries: entries.map(withGuards) },
  },
})

/** Adds access and decisions to the guards, as the manifest does. They must not be reported twice. */
function withGuards(entry: RouteEntry): RouteEntry {
  const { classification, roles, policy, guards } = entry
  const access = classification === 'gated' ? ['secured', ...roles].join(' ') : 'public'
  const decisions = policy?.split(', ').map((decision) => `authorize ${decision}`) ?? []
  return { ...entry, guards: [access, ...guards, ...decisions] }
}

/**
 * Compares `narrow` with `wide`, and `wide` with `narrow`. Returns whether the first comparison reports the change as
 * wider, and its number of narrower changes; then whether the second one reports it as narrower, and its number of
 * wider changes.
 */
function bothWays(narrow: RouteEntry[], wide: RouteEntry[], about: string) {
  const mentions = (sentences: readonly string[]) => sentences.some((sentence) => sentence.includes(about))
  const forth = compareManifests(withRoutes(narrow), withRoutes(wide))
  const back = compareManifests(withRoutes(wide), withRoutes(narrow))
  return [mentions(forth.wider), forth.narrower.length, mentions(back.narrower), back.wider.length]
}
const PLAIN: RouteEntry = {
  method: 'GET',
  path: '/x',
  name: 'x',
  classification: 'gated',
  roles: [],
  policy: null,
  guards: [],
}
const WIDER_AND_BACK = [true, 0, true, 0]

describe('compareManifests for routes', () => {
  it('reports nothing for equal manifests', () => {
    fc.assert(
      fc.property(routeLists, (entries) => {
        const made = withRoutes(entries)
        expect(compareManifests(made, structuredClone(made))).toEqual({ wider: [], narrower: [], other: [] })
      }),
    )
  })

  it('reports a new route as wider, and a removed one as narrower', () => {
    fc.assert(
      fc.property(routeLists, route, (entries, more) => {
        const others = entries.filter((entry) => key(entry) !== key(more))
        expect(bothWays(others, [...others, more], key(more))).toEqual(WIDER_AND_BACK)
      }),
    )
  })

  it('reports an added role of a gated route as wider, and a removed one as narrower', () => {
    fc.assert(
      fc.property(routeLists, gated, (entries, some) => {
        fc.pre(some.roles.length > 0)
        const others = entries.filter((entry) => key(entry) !== key(some))
        const more = { ...some, roles: [...some.roles, 'reviewer'] }
        expect(bothWays([...others, some], [...others, more], `${key(some)} is `)).toEqual(WIDER_AND_BACK)
      }),
    )
  })

  it('reports a removed decision as wider, even one of two equal ones, and an added one as narrower', () => {
    fc.assert(
      fc.property(routeLists, route, (entries, some) => {
        const decisions = some.policy?.split(', ') ?? []
        fc.pre(decisions.length > 0)
        const others = entries.filter((entry) => key(entry) !== key(some))
        const fewer = { ...some, policy: decisions.slice(1).join(', ') || null }
        expect(bothWays([...others, some], [...others, fewer], `${key(some)} no`)).toEqual(WIDER_AND_BACK)
      }),
    )
  })

  it('reports a removed guard as wider, and an added one as narrower', () => {
    fc.assert(
      fc.property(routeLists, route, (entries, some) => {
        fc.pre(some.guards.length > 0)
        const others = entries.filter((entry) => key(entry) !== key(some))
        const fewer = { ...some, guards: some.guards.slice(1) }
        expect(bothWays([...others, some], [...others, fewer], `the guard “${some.guards[0]}”`)).toEqual(
          WIDER_AND_BACK,
        )
      }),
    )
  })

  it.each([
    ['that moved', ['body', 'own trace'], ['own trace', 'body'], 'in another order'],
    ['that lets caches keep responses', [], ['cache 60s'], 'now has the guard'],
    ['with fewer conditions', ['load Note by id below a=b'], ['load Note by id'], 'no longer has the guard'],
    [
      'that checks another record',
      ['authorize show A from b'],
      ['authorize show A from c'],
      '“authorize show A from b”',
    ],
  ])('reports a guard %s as wider', (_, guards, changed, sentence) => {
    const old = { ...PLAIN, guards }
    expect(compareManifests(withRoutes([old]), withRoutes([{ ...old, guards: changed }])).wider).toEqual([
      expect.stringContaining(sentence),
    ])
  })

  it('reports weaker access as wider, and stronger access as narrower', () => {
    const ways: Partial<RouteEntry>[] = [
      { classification: 'gated', roles: ['admin'] },
      { classification: 'gated', roles: [] },
      { classification: 'public', roles: [] },
      { classification: 'unclassified', roles: [] },
    ]
    for (const [index, narrow] of ways.entries()) {
      for (const wide of ways.slice(index + 1)) {
        expect(bothWays([{ ...PLAIN, ...narrow }], [{ ...PLAIN, ...wide }], 'GET /x is now')).toEqual(
          WIDER_AND_BACK,
        )
      }
    }
  })

  it('describes the change in words', () => {
    const old: RouteEntry = {
      ...PLAIN,
      method: 'PUT',
      path: '/notes/:id',
      roles: ['admin'],
      policy: 'update Note',
      guards: ['load Note by id'],
    }
    const now = { ...old, roles: ['admin', 'editor'], policy: null, guards: [] }
    const added: RouteEntry = { ...PLAIN, classification: 'public' }
    expect(compareManifests(withRoutes([old]), withRoutes([now, added])).wider).toEqual([
      'PUT /notes/:id is now reachable by role editor.',
      'PUT /notes/:id no longer checks whether the caller may update the Note.',
      'PUT /notes/:id no longer has the guard “load Note by id”.',
      'GET /x is new, and public.',
    ])
  })
})
