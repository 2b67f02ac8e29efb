import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { productionManifest } from '#app/manifest.ts'
import { compareManifests } from './compare.ts'
import type { Differences } from './differences.ts'
import type { Manifest, ResourceEntry, RouteEntry } from './schema.ts'

const today = productionManifest()

const role = fc.constantFrom('admin', 'editor', 'author', 'owner')
const route: fc.Arbitrary<RouteEntry> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
  path: fc.constantFrom('/', '/posts', '/posts/:id', '/x', '/x/:id/y'),
  name: fc.constantFrom('x.show', 'x.update'),
  classification: fc.constantFrom('gated', 'public', 'framework', 'unclassified'),
  roles: fc.uniqueArray(role, { maxLength: 3 }),
  policy: fc.constantFrom(null, 'update Post', 'show Blog, create Post', 'show Post, show Post'),
})
const key = ({ method, path }: RouteEntry) => `${method} ${path}`
const routeLists = fc.uniqueArray(route, { selector: key, maxLength: 6 })
const gated: fc.Arbitrary<RouteEntry> = route.map((entry) => ({ ...entry, classification: 'gated' }))

const withRoutes = (entries: RouteEntry[]): Manifest => ({
  ...today,
  dimensions: { ...today.dimensions, routes: { ...today.dimensions.routes, entries } },
})

/** What is said about one route on the way from `narrow` to `wide`, and on the way back. */
function bothWays(narrow: RouteEntry[], wide: RouteEntry[], about: string) {
  const says = (sentences: readonly string[]) => sentences.some((sentence) => sentence.includes(about))
  const forth = compareManifests(withRoutes(narrow), withRoutes(wide))
  const back = compareManifests(withRoutes(wide), withRoutes(narrow))
  return [says(forth.wider), forth.narrower.length, says(back.narrower), back.wider.length]
}
const WIDER_AND_BACK = [true, 0, true, 0]

describe('compareManifests', () => {
  it('says nothing about a manifest and itself', () => {
    fc.assert(
      fc.property(routeLists, (entries) => {
        const made = withRoutes(entries)
        expect(compareManifests(made, structuredClone(made))).toEqual({ wider: [], narrower: [], other: [] })
      }),
    )
  })

  it('calls a new route wider, and one that is gone narrower', () => {
    fc.assert(
      fc.property(routeLists, route, (entries, more) => {
        const others = entries.filter((entry) => key(entry) !== key(more))
        expect(bothWays(others, [...others, more], key(more))).toEqual(WIDER_AND_BACK)
      }),
    )
  })

  it('calls a further role wider where a role is needed, and one less narrower', () => {
    fc.assert(
      fc.property(routeLists, gated, (entries, some) => {
        fc.pre(some.roles.length > 0)
        const others = entries.filter((entry) => key(entry) !== key(some))
        const more = { ...some, roles: [...some.roles, 'reviewer'] }
        expect(bothWays([...others, some], [...others, more], `${key(some)} is `)).toEqual(WIDER_AND_BACK)
      }),
    )
  })

  it('calls a decision that is no longer asked wider, also one of two alike, and a further one narrower', () => {
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

  it('calls it wider when a route asks for less to come in, and the way back narrower', () => {
    const ways: Partial<RouteEntry>[] = [
      { classification: 'gated', roles: ['admin'] },
      { classification: 'gated', roles: [] },
      { classification: 'public', roles: [] },
      { classification: 'unclassified', roles: [] },
    ]
    const base: RouteEntry = {
      method: 'GET',
      path: '/x',
      name: 'x',
      classification: 'gated',
      roles: [],
      policy: null,
    }
    for (const [index, narrow] of ways.entries()) {
      for (const wide of ways.slice(index + 1)) {
        expect(bothWays([{ ...base, ...narrow }], [{ ...base, ...wide }], 'GET /x is now')).toEqual(
          WIDER_AND_BACK,
        )
      }
    }
  })

  it('says it in words', () => {
    const old: RouteEntry = {
      method: 'PUT',
      path: '/posts/:id',
      name: 'posts.update',
      classification: 'gated',
      roles: ['admin'],
      policy: 'update Post',
    }
    const now = { ...old, roles: ['admin', 'editor'], policy: null }
    const added: RouteEntry = {
      ...old,
      method: 'GET',
      path: '/x',
      classification: 'public',
      roles: [],
      policy: null,
    }
    expect(compareManifests(withRoutes([old]), withRoutes([now, added])).wider).toEqual([
      'PUT /posts/:id is now reachable by role editor.',
      'PUT /posts/:id no longer asks whether the caller may update the Post.',
      'GET /x is new, and public.',
    ])
  })
})

/** Changes that let somebody in; their way back must not. */
const CHANGES: [name: string, change: (manifest: Manifest) => void, sentence: RegExp][] = [
  ['before', (m) => (post(m).before = true), /Post: `before` may decide ahead of every rule/],
  [
    'a role in a rule',
    (m) => (post(m).roles.by_rule['canDelete'] = ['admin', 'editor']),
    /canDelete now mentions .* editor/,
  ],
  [
    'a role in a scope',
    (m) => (post(m).scope!.roles.by_rule['where'] = ['admin', 'editor']),
    /scope where now .* editor/,
  ],
  ['a rule', (m) => post(m).actions.push('publish'), /now has a rule for publish/],
  [
    'an API without a policy',
    (m) => m.dimensions.authorization_policies.any_session.push('/api/x'),
    /any session may write/,
  ],
  ['an exemption', (m) => m.dimensions.csrf.exempt.push('POST /posts'), /POST \/posts is now exempt/],
  [
    'no header',
    (m) => delete m.dimensions.security_headers.headers['content-security-policy'],
    /no longer carry .* content-sec/,
  ],
  [
    'a route without headers',
    (m) => m.dimensions.security_headers.missing_on.push('GET /posts'),
    /GET \/posts no longer/,
  ],
  [
    '403',
    (m) => (m.dimensions.authorization_policies.forbidden_response = '403'),
    /denial now looks like 403/,
  ],
  [
    'a scope',
    (m) => (user(m).scope = { variants: [], roles: { provenance: 'declared', by_rule: {} } }),
    /its lists show/,
  ],
  [
    'asSystem',
    (m) => m.excluded.as_system.uses.push({ file: 'app/x.ts', repository: 'posts', why: 'because' }),
    /posts is now used as the system in app\/x\.ts: 'because'/,
  ],
]

describe('compareManifests beyond routes', () => {
  const base = structuredClone(today)
  user(base).scope = null

  it.each(CHANGES)('calls %s wider, and its end narrower', (_, change, sentence) => {
    const changed = structuredClone(base)
    change(changed)
    const forth = compareManifests(base, changed)
    expect([forth.wider, forth.narrower]).toEqual([[expect.stringMatching(sentence)], []])
    const back: Differences = compareManifests(changed, base)
    expect([back.wider, back.narrower.length]).toEqual([[], 1])
  })

  it('calls the end of `canBecome` and of the cross-origin check wider', () => {
    const strict = structuredClone(base)
    post(strict).can_become = true
    expect(compareManifests(base, strict)).toMatchObject({
      wider: [],
      narrower: [expect.stringContaining('Post')],
    })
    expect(compareManifests(strict, base).wider).toEqual([
      expect.stringContaining('without asking `canBecome`'),
    ])
    const open = structuredClone(base)
    open.dimensions.csrf.check = null
    expect(compareManifests(base, open).wider).toEqual([
      expect.stringContaining('cross-origin check is gone'),
    ])
    expect(compareManifests(open, base)).toMatchObject({
      wider: [],
      narrower: [expect.stringContaining('refused')],
    })
  })

  it('calls wider what can’t be told: a middleware, its order, the value of a header', () => {
    const changes: ((manifest: Manifest) => void)[] = [
      (m) => m.dimensions.routes.middleware.push('another'),
      (m) => m.dimensions.routes.middleware.pop(),
      (m) => m.dimensions.routes.middleware.unshift(m.dimensions.routes.middleware.pop() ?? ''),
      (m) => (m.dimensions.security_headers.headers['x-frame-options'] = 'SAMEORIGIN'),
    ]
    for (const change of changes) {
      const changed = structuredClone(base)
      change(changed)
      expect(compareManifests(base, changed).wider).toHaveLength(1)
    }
  })
})

function find(manifest: Manifest, name: string): ResourceEntry {
  const found = manifest.dimensions.authorization_policies.resources.find(({ resource }) => resource === name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found
}
function post(manifest: Manifest) {
  return find(manifest, 'Post')
}
function user(manifest: Manifest) {
  return find(manifest, 'User')
}
