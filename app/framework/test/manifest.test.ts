import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  authorize,
  jsonBody,
  load,
  policy,
  type PolicyContext,
  publicRoute,
  repository,
  routes,
  scope,
  secured,
} from 'pergola'
import { fieldRules } from 'pergola/features'
import { refuseCrossOrigin } from 'pergola/app'
import {
  compareManifests,
  type Manifest,
  manifestText,
  parseManifest,
  type RouteEntry,
  securityManifest,
} from 'pergola/manifest'
import { productionApp, productionManifest, removeMiddleware } from './fixtures/manifest.ts'
import { Note } from './fixtures/note.ts'
import { resources } from './fixtures/resources.ts'
import { User } from './fixtures/user.ts'

const handler = function answer() {}

/** Returns the manifest of the fixture application, with some parts replaced. */
function fold(parts: Partial<Parameters<typeof securityManifest>[0]>): Manifest {
  const { app, tables } = productionApp()
  const rest = {
    developmentTables: tables,
    resources,
    allowsUnauthorizedApis: false,
    sources: [],
  }
  return securityManifest({ app, tables, ...rest, ...parts })
}

describe('productionManifest', () => {
  it('is the same text for every order of tables and resources', () => {
    const production = productionApp()
    const rest = {
      app: production.app,
      allowsUnauthorizedApis: false,
      developmentTables: production.tables,
      sources: [],
    }
    const ordered = securityManifest({ ...rest, tables: production.tables, resources })
    const turned = securityManifest({
      ...rest,
      tables: production.tables.toReversed(),
      resources: resources.toReversed(),
    })
    expect(manifestText(turned)).toBe(manifestText(ordered))
  })

  it('is equal after it is written and read', () => {
    expect(parseManifest(manifestText(productionManifest()))).toEqual(productionManifest())
  })

  it('writes each route and each use of a policy on a line', () => {
    const current = productionManifest()
    const { routes, authorization_policies } = current.dimensions
    const lines = manifestText(current).split('\n')
    const records = lines
      .flatMap((line) => /^ +(\{.*\}),?$/.exec(line)?.[1] ?? [])
      .map((text) => JSON.parse(text) as object)
    expect(records).toEqual(expect.arrayContaining([...routes.entries, ...authorization_policies.entries]))
  })

  it('contains every route once, with the name of its handler', () => {
    const { entries } = productionManifest().dimensions.routes
    expect(new Set(entries.map(({ method, path }) => `${method} ${path}`)).size).toBe(entries.length)
    expect(entries.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['notes.update', 'api.notes.show', 'login.create', 'framework.livez']),
    )
  })

  it('reads the headers of production from the middleware that sets them', () => {
    const { headers, missing_on } = productionManifest().dimensions.security_headers
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' })
    expect(headers['strict-transport-security']).toContain('max-age')
    expect(missing_on).toEqual([])
  })

  it('does not count a cross-origin check of one path', () => {
    const { app, ...production } = productionApp()
    removeMiddleware(app, 'refuseCrossOrigin')
    app.use(
      '/notes',
      refuseCrossOrigin(() => 'https://example.org'),
    )
    const { stack } = (app as unknown as { router: { stack: unknown[] } }).router
    stack.unshift(...stack.splice(-1))
    const { csrf } = productionManifest({ app, ...production }).dimensions
    expect([csrf.check, csrf.exempt]).toEqual([null, expect.arrayContaining(['GET /notes', 'POST /notes'])])
  })

  it('lists the routes before the cross-origin check as exempt', () => {
    const { csrf } = productionManifest().dimensions
    expect(csrf.check).toBe('refuseCrossOrigin')
    expect(csrf.exempt).toEqual(['GET /assets/:fingerprint/:name', 'GET /livez', 'GET /readyz'])
    const { app, ...production } = productionApp()
    app.get('/early', handler)
    const stack = (app as unknown as { router: { stack: unknown[] } }).router.stack
    stack.unshift(stack.pop())
    const { dimensions } = productionManifest({ app, ...production })
    expect(dimensions.csrf.exempt).toContain('GET /early')
    expect(dimensions.security_headers.missing_on).toEqual(['GET /early'])
  })
})

describe('securityManifest', () => {
  it('reads access, roles and decisions from the guards', () => {
    const table = routes('/x', {
      'GET /': [publicRoute(), handler],
      'POST /': [secured('editor' as never, 'admin'), authorize('create', Note), () => {}],
      'PUT /:id': [
        secured(),
        load(User),
        authorize('show', User),
        load(Note, { param: 'note', as: 'draft', below: { author_id: 'user', id: 'id' } }),
        authorize('update', Note, { from: 'draft' }),
        jsonBody(),
        { kind: 'body', run: () => {} },
        handler,
      ],
      'DELETE /:id': [secured(), load(User, { withTrashed: true }), authorize('delete', User), handler],
    })
    const { routes: found, authorization_policies } = fold({ tables: [table] }).dimensions
    const ours = found.entries.filter(({ path }) => path.startsWith('/x'))
    const expected: Partial<RouteEntry>[] = [
      {
        method: 'GET',
        name: 'x.answer',
        classification: 'public',
        roles: [],
        policy: null,
        guards: ['public'],
      },
      {
        method: 'POST',
        name: 'x.post',
        classification: 'gated',
        roles: ['admin', 'editor'],
        policy: 'create Note',
        guards: ['secured admin editor', 'authorize create Note'],
      },
      {
        method: 'DELETE',
        policy: 'delete User',
        guards: ['secured', 'load User by id with trashed', 'authorize delete User'],
      },
      {
        method: 'PUT',
        classification: 'gated',
        roles: [],
        policy: 'show User, update Note',
        guards: [
          'secured',
          'load User by id',
          'authorize show User',
          'load Note by note as draft below author_id=user and id=id',
          'authorize update Note from draft',
          'body',
          'own body',
        ],
      },
    ]
    expect(ours).toMatchObject(expected)
    expect(authorization_policies.entries).toEqual([
      { action: 'create', resource: 'Note', route: 'POST /x' },
      { action: 'update', resource: 'Note', route: 'PUT /x/:id' },
      { action: 'delete', resource: 'User', route: 'DELETE /x/:id' },
      { action: 'show', resource: 'User', route: 'PUT /x/:id' },
    ])
  })

  it('reads the response to denials from the running application', () => {
    const production = productionApp({ forbiddenResponse: 'auto' })
    const { authorization_policies } = productionManifest(production).dimensions
    expect(authorization_policies.forbidden_response).toBe('auto')
  })

  it('reads the roles of policies and scopes', () => {
    const before = (ctx: { hasRole: (name: never) => boolean }) =>
      ctx.hasRole('root' as never) ? true : undefined
    const rules = { before, canBecome: () => true, canShow: () => true, canUpdate: () => false }
    const notePolicy = policy(Note, rules, { forbiddenResponse: 'auto' })
    const noteScope = scope(Note, {
      where: (_ctx, is) => is.lit(true),
      variants: {
        mine: (ctx: PolicyContext) => sql<boolean>`${ctx.roles.includes('editor')}`,
        all: () => sql<boolean>`true`,
      },
    })
    const declared = [
      { repository: repository(Note, { api: '/api/p', policy: notePolicy, scope: noteScope }) },
    ]
    const [resource] = fold({ resources: declared }).dimensions.authorization_policies.resources
    expect(resource).toMatchObject({
      actions: ['show', 'update'],
      before: true,
      can_become: true,
      forbidden_response: 'auto',
      roles: { provenance: 'declared', by_rule: { before: ['root'] } },
      scope: {
        variants: ['all', 'mine'],
        roles: { by_rule: { mine: ['editor'] } },
      },
    })
  })

  it('reads the rules of fields with their roles', () => {
    const body = {
      see: (ctx: PolicyContext) => ctx.roles.includes('editor'),
      set: (ctx: PolicyContext) => ctx.owns(1),
    }
    const published = { set: (ctx: PolicyContext) => ctx.roles.includes('admin') }
    const notePolicy = policy(Note, {}, { fields: fieldRules(Note, { body, published }) })
    const declared = [{ repository: repository(Note, { policy: notePolicy }) }]
    const [resource] = fold({ resources: declared }).dimensions.authorization_policies.resources
    expect(resource?.fields).toMatchObject({
      rules: ['body.see', 'body.set', 'published.set'],
      roles: { by_rule: { 'body.see': ['editor'], 'published.set': ['admin'] } },
    })
  })

  it('reads the writable, shown, hidden and immutable columns of a resource, and its writing actions', () => {
    const declared = { repository: repository(Note, { deletedBy: ['purge' as never] }) }
    const resources = [declared, { repository: repository(User, { updatedBy: ['administer'] }) }]
    expect(fold({ resources }).dimensions.authorization_policies.resources).toMatchObject([
      {
        input: ['body', 'published', 'title'],
        shown: ['author_id', 'body', 'created_at', 'id', 'published', 'title'],
        hidden: [],
        immutable: ['author_id', 'created_at', 'id'],
        owner: 'author_id',
        references: { author_id: 'User' },
        updated_by: [],
        deleted_by: ['purge'],
      },
      {
        input: ['name'],
        shown: ['created_at', 'disabled_at', 'id', 'name', 'notes_count', 'roles', 'version'],
        hidden: ['email'],
        immutable: ['created_at', 'id', 'version'],
        owner: null,
        references: {},
        updated_by: ['administer'],
        deleted_by: [],
      },
    ])
  })

  it('lists the reads of resource tables past the repositories, without lines', () => {
    const text = `db.selectFrom('notes').leftJoin('users', on)\ndb.selectFrom('sessions')`
    const { direct_use } = fold({ sources: [{ file: 'src/x.ts', text }] }).excluded
    expect(direct_use).toEqual({
      provenance: 'declared',
      uses: [
        { file: 'src/x.ts', kind: 'table', what: 'notes' },
        { file: 'src/x.ts', kind: 'table', what: 'users' },
      ],
    })
  })

  it('lists the decisions that code makes itself', () => {
    const text =
      "await authorizeRecord(req, 'create', Note, draft)\nawait pergola.authorizeRecord(req, action, User, 1)"
    const { in_code } = fold({ sources: [{ file: 'src/x.ts', text }] }).dimensions.authorization_policies
    expect(in_code).toEqual([
      { file: 'src/x.ts', decision: '(any action) User' },
      { file: 'src/x.ts', decision: 'create Note' },
    ])
  })

  it('has a digest of each file with a direct use, and of the files that decide about every request', () => {
    const text = "db.selectFrom('notes')"
    const { modules } = fold({
      sources: [
        { file: 'src/x.ts', text },
        { file: 'src/y.ts', text: 'export const y = 1' },
      ],
      requestSources: [{ file: 'config.toml', text: 'idle_minutes = 5' }],
    }).dimensions
    expect(Object.keys(modules?.by_file ?? {})).toEqual(['src/x.ts', 'config.toml'])
  })

  it('lists the APIs without a policy', () => {
    const declared = [{ repository: repository(Note, { api: '/api/p' }) }]
    const { any_session, resources: facts } = fold({ resources: declared }).dimensions.authorization_policies
    expect([any_session, facts[0]?.has_policy, facts[0]?.scope]).toEqual([['/api/p'], false, null])
  })
})

describe('parseManifest', () => {
  const { schema_version: _, ...without } = productionManifest()

  it('reads a manifest without the entries that older versions lack', () => {
    const { direct_use: _, ...excluded } = productionManifest().excluded
    const { settings: _settings, modules: _modules, ...dimensions } = productionManifest().dimensions
    const old = parseManifest(JSON.stringify({ schema_version: 1, dimensions, excluded }))
    expect([old.excluded.direct_use.uses, old.dimensions.settings, old.dimensions.modules]).toEqual([
      [],
      null,
      null,
    ])
    expect(compareManifests(old, productionManifest())).toEqual({
      wider: [
        'The settings of the application are new in the manifest: review them.',
        'The digests of modules are new in the manifest, or missing: review the code.',
        'src/sign-up.ts now reads the table users directly.',
      ],
      narrower: [],
      other: [],
    })
  })

  it.each([
    ['{', 'it is not JSON'],
    ['null', 'it has no schema_version'],
    [JSON.stringify(without), 'it has no schema_version'],
    [
      JSON.stringify({ ...without, schema_version: 7 }),
      'schema_version 7, but this program only reads version 1',
    ],
    [JSON.stringify({ ...without, schema_version: 1, excluded: {} }), 'invalid at excluded.as_system'],
  ])('throws for unreadable text: %.20s', (text, sentence) => {
    expect(() => parseManifest(text)).toThrow(sentence)
  })
})
