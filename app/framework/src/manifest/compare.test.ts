import { describe, expect, it } from 'vitest'
import { productionManifest } from '../../test/fixtures/manifest.ts'
import type { Differences } from './claims.ts'
import { compareManifests } from './compare.ts'
import type { Manifest, ResourceEntry } from './schema.ts'

const today = productionManifest()

/** Changes that give access, while the reverse change removes it. */
const CHANGES: [name: string, change: (manifest: Manifest) => void, sentence: RegExp][] = [
  ['no tenant', (m) => (user(m).tenant = null), /User's tenant was removed; it was account_id/],
  ['a rule', (m) => note(m).actions.push('publish'), /now has a rule for publish/],
  [
    'an API without a policy',
    (m) => m.dimensions.authorization_policies.any_session.push('/api/x'),
    /\/api\/x is now open to all signed-in users/,
  ],
  ['an exemption', (m) => m.dimensions.csrf.exempt.push('POST /notes'), /POST \/notes is now exempt/],
  [
    'no header',
    (m) => delete m.dimensions.security_headers.headers['content-security-policy'],
    /The security header content-security-policy was removed/,
  ],
  [
    'a route without headers',
    (m) => m.dimensions.security_headers.missing_on.push('GET /notes'),
    /GET \/notes now lacks security headers/,
  ],
  [
    '403',
    (m) => (m.dimensions.authorization_policies.forbidden_response = '403'),
    /The application: the response to a denial is now 403/,
  ],
  [
    '403 of a resource',
    (m) => (note(m).forbidden_response = '403'),
    /Note: the response to a denial is now 403; it was 404/,
  ],
  ['a scope', (m) => (user(m).scope = { ...note(m).scope!, roles: EMPTY.roles }), /User now has a scope/],
  ['a column to write', (m) => note(m).input.push('slug'), /Clients can now write Note\.slug/],
  [
    'a verb that updates',
    (m) => note(m).updated_by.push('publish'),
    /Users who can publish a Note can now also update/,
  ],
  [
    'a verb that deletes',
    (m) => note(m).deleted_by.push('purge'),
    /Users who can purge a Note can now also delete/,
  ],
  ['a column shown', (m) => user(m).shown.push('email'), /Rows of User now contain email\./],
  ['a column no longer hidden', (m) => (user(m).hidden = []), /User\.email is no longer hidden/],
  ['a column unlocked', (m) => note(m).immutable.shift(), /Note\.author_id is no longer immutable/],
  [
    'a reference unchecked',
    (m) => (note(m).references = {}),
    /Note\.author_id is no longer checked as a reference to User/,
  ],
  ['no owner', (m) => (note(m).owner = null), /Note's owner was removed; it was author_id/],
  [
    'no decision in code',
    (m) => m.dimensions.authorization_policies.in_code.pop(),
    /src\/sign-up\.ts no longer checks the decision update Note/,
  ],
  [
    'no access table',
    (m) => m.dimensions.authorization_policies.access_tables.pop(),
    /members is no longer an access table/,
  ],
  ['no cross-origin check', (m) => (m.dimensions.csrf.check = null), /the cross-origin check was removed/],
  [
    'asSystem',
    (m) => m.excluded.as_system.uses.push({ file: 'app/x.ts', repository: 'notes', why: 'because' }),
    /notes is now used as the system in app\/x\.ts: 'because'/,
  ],
  [
    'no host check',
    (m) => (settings(m).running.refuses_other_hosts = false),
    /other hosts are no longer refused/,
  ],
  [
    'no fixed origin',
    (m) => (settings(m).running.has_fixed_origin = false),
    /no longer compares with a fixed origin/,
  ],
  [
    'no default limit',
    (m) => (settings(m).running.default_limits.writes = null),
    /The default limit of writes was removed; it was 120 in 60s/,
  ],
  [
    'a longer deadline',
    (m) => (settings(m).running.rule_deadline_ms = 9000),
    /deadline of rules is now 9000 ms; it was 5000 ms/,
  ],
  [
    'APIs without a policy',
    (m) => (settings(m).passed.allows_unauthorized_apis = true),
    /may now start with an API without a policy/,
  ],
  [
    'a read past a repository',
    (m) => m.excluded.direct_use.uses.push({ file: 'app/x.ts', kind: 'table', what: 'notes' }),
    /app\/x\.ts now reads the table notes directly\./,
  ],
  [
    'raw SQL',
    (m) => m.excluded.direct_use.uses.push({ file: 'app/x.ts', kind: 'sql', what: 'select 1' }),
    /app\/x\.ts now selects with raw SQL: select 1\./,
  ],
]

/** Changes that may give access in both directions. */
const UNKNOWN_EFFECT: [name: string, change: (manifest: Manifest) => void, forth: RegExp, back: RegExp][] = [
  [
    'a role in a rule',
    (m) => (note(m).roles.by_rule['canDelete'] = []),
    /Note's rule canDelete no longer mentions the role admin\./,
    /canDelete now mentions the role admin/,
  ],
  [
    'a role in a scope',
    (m) => (note(m).scope!.roles.by_rule['where'] = []),
    /Note's scope where no longer mentions the role admin/,
    /Note's scope where now mentions/,
  ],
  ['`before`', (m) => (note(m).before = true), /now has `before`/, /no longer has `before`/],
  ['`canBecome`', (m) => (note(m).can_become = true), /now has `canBecome`/, /no longer has `canBecome`/],
  [
    'trust proxy',
    (m) => (settings(m).running.trust_proxy = '1'),
    /trust proxy is now 1; it was false/,
    /is now false; it was 1/,
  ],
  [
    'another default limit',
    (m) => (settings(m).running.default_limits.searches = '9 in 1s'),
    /The default limit of searches is now 9 in 1s; it was 60 in 60s/,
    /searches is now 60 in 60s; it was 9 in 1s/,
  ],
  [
    'a further setting',
    (m) => (settings(m).passed.values = { 'session.idle_minutes': 5 }),
    /The setting session\.idle_minutes is new: 5/,
    /was removed; it was 5/,
  ],
  [
    'the lookup of sessions',
    (m) => (settings(m).identity.find_session = 'other'),
    /The function that finds sessions is now other; it was findSession/,
    /is now findSession/,
  ],
  [
    'the lookup of tenants',
    (m) => (settings(m).identity.tenant_of = { name: 'tenantOf' }),
    /The function that finds tenants is new: tenantOf/,
    /The function that finds tenants was removed/,
  ],
  [
    'a module',
    (m) => (modules(m)['src/sign-up.ts'] = 'another'),
    /src\/sign-up\.ts, which decides about access, changed; its effect is unknown\./,
    /changed/,
  ],
  [
    'another module',
    (m) => (modules(m)['src/x.ts'] = '1'),
    /src\/x\.ts now decides about access\./,
    /src\/x\.ts no longer decides about access\./,
  ],
  [
    'the owner',
    (m) => (note(m).owner = 'editor_id'),
    /Note's owner is now editor_id/,
    /owner is now author_id/,
  ],
  [
    'the check',
    (m) => (m.dimensions.csrf.check = 'other'),
    /check is now other; it was ref/,
    /is now refuseC/,
  ],
  ['a middleware', (m) => m.dimensions.routes.middleware.push('new'), /new now runs/, /new no longer runs/],
  [
    'the order of middleware',
    (m) => m.dimensions.routes.middleware.unshift(m.dimensions.routes.middleware.pop() ?? ''),
    /another order: errorPage/,
    /another order: requestLog/,
  ],
  [
    'the value of a header',
    (m) => (m.dimensions.security_headers.headers['x-frame-options'] = 'SAMEORIGIN'),
    /x-frame-options is now SAMEORIGIN; it was DENY/,
    /x-frame-options is now DENY/,
  ],
  [
    'a resource',
    (m) => m.dimensions.authorization_policies.resources.push({ ...EMPTY, input: ['title'] }),
    /Page is a new resource: clients can write title/,
    /Page is no longer a resource/,
  ],
]

describe('compareManifests', () => {
  const base = structuredClone(today)
  user(base).scope = null
  user(base).tenant = 'account_id'
  base.dimensions.authorization_policies.access_tables = ['members']
  base.dimensions.authorization_policies.in_code = [{ file: 'src/sign-up.ts', decision: 'update Note' }]
  const changedBy = (change: (manifest: Manifest) => void) => {
    const changed = structuredClone(base)
    change(changed)
    return changed
  }

  it.each(CHANGES)('reports %s as wider, and its reverse as narrower', (_, change, sentence) => {
    const changed = changedBy(change)
    const forth = compareManifests(base, changed)
    expect([forth.wider, forth.narrower]).toEqual([[expect.stringMatching(sentence)], []])
    const back: Differences = compareManifests(changed, base)
    expect([back.wider, back.narrower.length]).toEqual([[], 1])
  })

  it.each(UNKNOWN_EFFECT)('reports %s as wider in both directions', (_, change, forth, back) => {
    const changed = changedBy(change)
    for (const [differences, sentence] of [
      [compareManifests(base, changed), forth],
      [compareManifests(changed, base), back],
    ] as const) {
      expect([differences.wider, differences.narrower]).toEqual([[expect.stringMatching(sentence)], []])
    }
  })

  it('reports a removed rule only as removed', () => {
    const less = changedBy((m) => {
      note(m).actions = note(m).actions.filter((action) => action !== 'update')
      delete note(m).roles.by_rule['canUpdate']
    })
    expect(compareManifests(base, less)).toMatchObject({
      wider: [],
      narrower: ["Note's policy no longer has a rule for update."],
    })
  })

  it('reports rules of fields: without one, more callers see or set the field', () => {
    const withFields = (...rules: string[]) =>
      changedBy((m) => void (note(m).fields = { rules, roles: EMPTY.roles }))
    const one = withFields('body.see')
    expect(compareManifests(base, one)).toMatchObject({
      wider: [],
      narrower: ['Note now has a rule for the field body.see.'],
    })
    expect(compareManifests(one, base).wider).toEqual(['Note no longer has a rule for the field body.see.'])
    // Without it, only callers who see the field may set it.
    expect(compareManifests(one, withFields('body.see', 'body.set'))).toMatchObject({
      wider: ['Note now has a rule for the field body.set.'],
      narrower: [],
    })
  })

  it('ranks a denial by its response, including the setting of the application', () => {
    const denials = (application: string, own: string | null) =>
      changedBy((m) => {
        m.dimensions.authorization_policies.forbidden_response = application
        note(m).forbidden_response = own
      })
    expect(compareManifests(denials('403', null), denials('403', 'auto'))).toMatchObject({
      wider: [],
      narrower: ['Note: the response to a denial is now auto; it was 403.'],
    })
    expect(compareManifests(denials('403', null), denials('403', '403'))).toMatchObject({
      wider: [],
      narrower: [],
    })
    expect(compareManifests(denials('403', '404'), denials('403', null)).wider).toEqual([
      'Note: the response to a denial is now 403; it was 404.',
    ])
    expect(compareManifests(denials('404', null), denials('404', 'new')).wider).toHaveLength(1)
  })
})

const EMPTY: ResourceEntry = {
  resource: 'Page',
  api: null,
  input: [],
  shown: [],
  hidden: [],
  immutable: [],
  owner: null,
  tenant: null,
  references: {},
  updated_by: [],
  deleted_by: [],
  has_policy: false,
  actions: [],
  before: false,
  can_become: false,
  forbidden_response: null,
  roles: { provenance: 'declared', by_rule: {} },
  fields: null,
  scope: null,
}

function find(manifest: Manifest, name: string): ResourceEntry {
  const resource = manifest.dimensions.authorization_policies.resources.find(
    ({ resource }) => resource === name,
  )
  if (resource === undefined) throw new Error(`no ${name}`)
  return resource
}
function settings({ dimensions }: Manifest) {
  if (dimensions.settings === null) throw new Error('no settings')
  return dimensions.settings
}
function modules({ dimensions }: Manifest) {
  if (dimensions.modules === null) throw new Error('no modules')
  return dimensions.modules.by_file
}

function note(manifest: Manifest) {
  return find(manifest, 'Note')
}
function user(manifest: Manifest) {
  return find(manifest, 'User')
}
