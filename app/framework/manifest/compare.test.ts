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
  guards: fc.subarray(['load Post by id', 'load Blog by id below owner_id=user', 'body', 'own trace']),
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

/** A route as it is folded: access and decisions are among its guards too, and must not be told twice. */
function withGuards(entry: RouteEntry): RouteEntry {
  const { classification, roles, policy, guards } = entry
  const access = classification === 'gated' ? ['secured', ...roles].join(' ') : 'public'
  const decisions = policy?.split(', ').map((decision) => `authorize ${decision}`) ?? []
  return { ...entry, guards: [access, ...guards, ...decisions] }
}

/** What is said about one route on the way from `narrow` to `wide`, and on the way back. */
function bothWays(narrow: RouteEntry[], wide: RouteEntry[], about: string) {
  const says = (sentences: readonly string[]) => sentences.some((sentence) => sentence.includes(about))
  const forth = compareManifests(withRoutes(narrow), withRoutes(wide))
  const back = compareManifests(withRoutes(wide), withRoutes(narrow))
  return [says(forth.wider), forth.narrower.length, says(back.narrower), back.wider.length]
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

  it('calls a guard that is gone wider, and a further one narrower', () => {
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
    ['that asks for less', ['load Post by id below a=b'], ['load Post by id'], 'no longer passes the guard'],
    [
      'that asks another',
      ['authorize show A from b'],
      ['authorize show A from c'],
      '“authorize show A from b”',
    ],
  ])('calls a guard %s wider', (_, guards, changed, sentence) => {
    const old = { ...PLAIN, guards }
    expect(compareManifests(withRoutes([old]), withRoutes([{ ...old, guards: changed }])).wider).toEqual([
      expect.stringContaining(sentence),
    ])
  })

  it('calls it wider when a route asks for less to come in, and the way back narrower', () => {
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

  it('says it in words', () => {
    const old: RouteEntry = {
      ...PLAIN,
      method: 'PUT',
      path: '/posts/:id',
      roles: ['admin'],
      policy: 'update Post',
      guards: ['load Post by id'],
    }
    const now = { ...old, roles: ['admin', 'editor'], policy: null, guards: [] }
    const added: RouteEntry = { ...PLAIN, classification: 'public' }
    expect(compareManifests(withRoutes([old]), withRoutes([now, added])).wider).toEqual([
      'PUT /posts/:id is now reachable by role editor.',
      'PUT /posts/:id no longer asks whether the caller may update the Post.',
      'PUT /posts/:id no longer passes the guard “load Post by id”.',
      'GET /x is new, and public.',
    ])
  })
})

/** Changes that let somebody in; their way back must not. */
const CHANGES: [name: string, change: (manifest: Manifest) => void, sentence: RegExp][] = [
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
    /The application: a denial now looks like 403/,
  ],
  [
    '403 of a resource',
    (m) => (post(m).forbidden_response = '403'),
    /Post: a denial now looks like 403; it was 404/,
  ],
  ['a scope', (m) => (user(m).scope = { ...post(m).scope!, roles: EMPTY.roles }), /its lists show/],
  ['a column to write', (m) => post(m).input.push('slug'), /Post\.slug may now be written by clients/],
  ['a verb that updates', (m) => post(m).updated_by.push('publish'), /Who may publish a Post may now update/],
  ['a verb that deletes', (m) => post(m).deleted_by.push('purge'), /Who may purge a Post may now delete/],
  ['a column shown', (m) => (user(m).hidden = ['email']), /User\.password_digest is no longer hidden/],
  ['a column unlocked', (m) => post(m).immutable.shift(), /Post\.author_id is no longer immutable/],
  ['a reference unchecked', (m) => (post(m).references = {}), /Post\.author_id as a reference to User is no/],
  ['no owner', (m) => (post(m).owner = null), /Post has no owner any more; it was author_id/],
  ['no cross-origin check', (m) => (m.dimensions.csrf.check = null), /the cross-origin check is gone/],
  [
    'asSystem',
    (m) => m.excluded.as_system.uses.push({ file: 'app/x.ts', repository: 'posts', why: 'because' }),
    /posts is now used as the system in app\/x\.ts: 'because'/,
  ],
]

/** Changes of which nobody can tell what they let in, nor what their way back does. */
const UNTOLD: [name: string, change: (manifest: Manifest) => void, forth: RegExp, back: RegExp][] = [
  [
    'a role in a rule',
    (m) => (post(m).roles.by_rule['canDelete'] = []),
    /Post's rule canDelete no longer mentions the role admin: it may be open to more\./,
    /canDelete now mentions the role admin/,
  ],
  [
    'a role in a scope',
    (m) => (post(m).scope!.roles.by_rule['where'] = []),
    /Post's scope where no longer mentions the role admin/,
    /Post's scope where now mentions/,
  ],
  ['`before`', (m) => (post(m).before = true), /`before` is new/, /`before` is gone; it may have said no/],
  ['`canBecome`', (m) => (post(m).can_become = true), /`canBecome` is new/, /without asking `canBecome`/],
  ['the text of a rule', readsDifferently, /Post's rule canUpdate reads differently/, /canUpdate reads/],
  [
    'the text of a scope',
    (m) => (post(m).scope!.digests.by_rule['where'] = 'another'),
    /Post's scope where reads differently: whether it lets more in can't be told/,
    /where reads differently/,
  ],
  [
    'the owner',
    (m) => (post(m).owner = 'editor_id'),
    /Post's owner is now editor_id/,
    /owner is now author_id/,
  ],
  [
    'the check',
    (m) => (m.dimensions.csrf.check = 'other'),
    /check is now other; it was ref/,
    /is now refuseC/,
  ],
  ['a middleware', (m) => m.dimensions.routes.middleware.push('new'), /new is new: every/, /new is gone/],
  [
    'the order of middleware',
    (m) => m.dimensions.routes.middleware.unshift(m.dimensions.routes.middleware.pop() ?? ''),
    /another order: errorPage/,
    /another order: requestLog/,
  ],
  [
    'the value of a header',
    (m) => (m.dimensions.security_headers.headers['x-frame-options'] = 'SAMEORIGIN'),
    /x-frame-options is now “SAMEORIGIN”/,
    /x-frame-options is now “DENY”/,
  ],
  [
    'a resource',
    (m) => m.dimensions.authorization_policies.resources.push({ ...EMPTY, input: ['title'] }),
    /Page is a new resource; a client may write title/,
    /Page is no resource any more/,
  ],
]

function readsDifferently(manifest: Manifest) {
  post(manifest).digests.by_rule['canUpdate'] = 'another'
}

describe('compareManifests beyond routes', () => {
  const base = structuredClone(today)
  user(base).scope = null
  const changedBy = (change: (manifest: Manifest) => void) => {
    const changed = structuredClone(base)
    change(changed)
    return changed
  }

  it.each(CHANGES)('calls %s wider, and its end narrower', (_, change, sentence) => {
    const changed = changedBy(change)
    const forth = compareManifests(base, changed)
    expect([forth.wider, forth.narrower]).toEqual([[expect.stringMatching(sentence)], []])
    const back: Differences = compareManifests(changed, base)
    expect([back.wider, back.narrower.length]).toEqual([[], 1])
  })

  it.each(UNTOLD)('calls %s wider, and its way back too', (_, change, forth, back) => {
    const changed = changedBy(change)
    for (const [differences, sentence] of [
      [compareManifests(base, changed), forth],
      [compareManifests(changed, base), back],
    ] as const) {
      expect([differences.wider, differences.narrower]).toEqual([[expect.stringMatching(sentence)], []])
    }
  })

  it('says a changed rule once where its roles tell already, and of a rule that is gone only that', () => {
    const changed = changedBy((m) => {
      readsDifferently(m)
      post(m).roles.by_rule['canUpdate'] = ['admin', 'editor']
    })
    expect(compareManifests(base, changed).wider).toEqual([
      "Post's rule canUpdate now mentions the role editor.",
    ])
    const less = changedBy((m) => {
      post(m).actions = post(m).actions.filter((action) => action !== 'update')
      delete post(m).roles.by_rule['canUpdate']
      delete post(m).digests.by_rule['canUpdate']
    })
    expect(compareManifests(base, less)).toMatchObject({
      wider: [],
      narrower: ["Post's policy no longer has a rule for update."],
    })
  })

  it('ranks a denial by what it looks like, also where the application says so', () => {
    const denials = (application: string, own: string | null) =>
      changedBy((m) => {
        m.dimensions.authorization_policies.forbidden_response = application
        post(m).forbidden_response = own
      })
    expect(compareManifests(denials('403', null), denials('403', 'auto'))).toMatchObject({
      wider: [],
      narrower: ['Post: a denial now looks like auto; it was 403.'],
    })
    expect(compareManifests(denials('403', null), denials('403', '403'))).toMatchObject({
      wider: [],
      narrower: [],
    })
    expect(compareManifests(denials('403', '404'), denials('403', null)).wider).toEqual([
      'Post: a denial now looks like 403; it was 404.',
    ])
    expect(compareManifests(denials('404', null), denials('404', 'new')).wider).toHaveLength(1)
  })

  it('says something about whatever changes', () => {
    const changes = leaves(base).filter((path) => !/provenance|schema_version|not_visible|reason/.test(path))
    // What a route decides is told where the route is.
    const told = changes.filter((path) => !/authorization_policies\.entries|\.scope$/.test(path))
    expect(told.length).toBeGreaterThan(200)
    const silent = told.filter((path) => {
      const { wider, narrower, other } = compareManifests(
        base,
        changedBy((m) => changeAt(m, path)),
      )
      return wider.length + narrower.length + other.length === 0
    })
    expect(silent).toEqual([])
  })
})

/** The places of all single values, by their keys. */
function leaves(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return [path.join('.')]
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]))
}

function changeAt(manifest: Manifest, path: string): void {
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  let at = manifest as unknown as Record<string, unknown>
  for (const name of keys) at = at[name] as Record<string, unknown>
  const other = at[last] === 'gated' ? 'public' : 'gated'
  at[last] = typeof at[last] === 'boolean' ? !at[last] : other
}

const EMPTY: ResourceEntry = {
  resource: 'Page',
  api: null,
  input: [],
  hidden: [],
  immutable: [],
  owner: null,
  references: {},
  updated_by: [],
  deleted_by: [],
  has_policy: false,
  actions: [],
  before: false,
  can_become: false,
  forbidden_response: null,
  roles: { provenance: 'declared', by_rule: {} },
  digests: { provenance: 'declared', by_rule: {} },
  scope: null,
}

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
