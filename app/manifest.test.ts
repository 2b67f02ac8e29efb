import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
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
import {
  type Manifest,
  manifestText,
  parseManifest,
  type RouteEntry,
  securityManifest,
} from 'pergola/manifest'
import { digestsOf } from './framework/src/manifest/rules.ts'
import { productionApp, productionManifest } from './manifest.ts'
import { Post } from './posts/post.ts'
import { resources } from './resources.ts'
import { testDatabase } from 'pergola/testing'
import { User } from './users/user.ts'

const database = await testDatabase()
const handler = function answer() {}

/** The manifest of an application of these tables, in front of everything else that is ours. */
function fold(parts: Partial<Parameters<typeof securityManifest>[0]>): Manifest {
  const { app, tables } = productionApp()
  const rest = { developmentTables: tables, resources, forbiddenResponse: '404', sources: [] }
  return securityManifest({ app, tables, ...rest, ...parts })
}

describe('productionManifest', () => {
  it('is the same bytes in every process, whatever its environment says', async () => {
    const environments = [
      { NODE_ENV: 'development', TZ: 'Asia/Tokyo', LANG: 'sv_SE.UTF-8', SECURITY__FORBIDDEN_RESPONSE: '403' },
      { NODE_ENV: 'production', TZ: 'UTC', ACCOUNTS__SIGN_UP: 'false', BASE_URL: 'http://elsewhere.test' },
    ]
    const printed = await Promise.all(environments.map((env) => printedBy(env)))
    const committed = readFileSync('security.manifest.json', 'utf8')
    expect(printed).toEqual([committed, committed])
  })

  it('is the same bytes in whichever order tables and resources are given', () => {
    const production = productionApp()
    const rest = {
      app: production.app,
      forbiddenResponse: '404',
      developmentTables: production.tables,
      sources: [],
    }
    const given = securityManifest({ ...rest, tables: production.tables, resources })
    const turned = securityManifest({
      ...rest,
      tables: production.tables.toReversed(),
      resources: resources.toReversed(),
    })
    expect(manifestText(turned)).toBe(manifestText(given))
  })

  it('survives being written and read', () => {
    expect(parseManifest(manifestText(productionManifest()))).toEqual(productionManifest())
  })

  it('names every route once, with a handler that has a name', () => {
    const { entries } = productionManifest().dimensions.routes
    expect(new Set(entries.map(({ method, path }) => `${method} ${path}`)).size).toBe(entries.length)
    expect(entries.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['posts.update', 'api.posts.show', 'login.create', 'framework.livez']),
    )
  })

  it('takes the headers from the middleware that sets them, as production has them', () => {
    const { headers, missing_on } = productionManifest().dimensions.security_headers
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' })
    expect(headers['strict-transport-security']).toContain('max-age')
    expect(missing_on).toEqual([])
  })

  it('exempts from the cross-origin check what comes before it, and lists what is mounted too early', () => {
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

  it('says what runs in development only, and who acts as the system', () => {
    const { as_system, development_only } = productionManifest().excluded
    expect(development_only).toEqual([{ route: 'GET /_dev/routes', reason: 'mounted in development only' }])
    expect(as_system.uses).toContainEqual({
      file: 'app/account/sign-up.controller.ts',
      repository: 'users',
      why: 'sign-up',
    })
    expect(as_system.uses.filter(({ file }) => /factory|test|framework/.test(file))).toEqual([])
  })
})

describe('securityManifest', () => {
  it('reads access, roles and decisions from the guards', () => {
    const table = routes('/x', {
      'GET /': [publicRoute(), handler],
      'POST /': [secured('editor' as never, 'admin'), authorize('create', Post), () => {}],
      'PUT /:id': [
        secured(),
        load(User),
        authorize('show', User),
        load(Post, { param: 'post', as: 'draft', below: { author_id: 'user', id: 'id' } }),
        authorize('update', Post, { from: 'draft' }),
        jsonBody(),
        { kind: 'body', run: () => {} },
        handler,
      ],
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
        policy: 'create Post',
        guards: ['secured admin editor', 'authorize create Post'],
      },
      {
        method: 'PUT',
        classification: 'gated',
        roles: [],
        policy: 'show User, update Post',
        guards: [
          'secured',
          'load User by id',
          'authorize show User',
          'load Post by post as draft below author_id=user and id=id',
          'authorize update Post from draft',
          'body',
          'own body',
        ],
      },
    ]
    expect(ours).toMatchObject(expected)
    expect(authorization_policies.entries).toEqual([
      { action: 'create', resource: 'Post', route: 'POST /x' },
      { action: 'update', resource: 'Post', route: 'PUT /x/:id' },
      { action: 'show', resource: 'User', route: 'PUT /x/:id' },
    ])
  })

  it('reads from a policy and a scope what reviewers must see', () => {
    const before = (ctx: { hasRole: (name: never) => boolean }) =>
      ctx.hasRole('root' as never) ? true : undefined
    const rules = { before, canBecome: () => true, canShow: () => true, canUpdate: () => false }
    const postPolicy = policy(Post, rules, { forbiddenResponse: 'auto' })
    const postScope = scope(Post, {
      where: (_ctx, is) => is.lit(true),
      variants: {
        mine: (ctx: PolicyContext) => sql<boolean>`${ctx.roles.includes('editor')}`,
        all: () => sql<boolean>`true`,
      },
    })
    const declared = [
      { repository: repository(Post, { api: '/api/p', policy: postPolicy, scope: postScope }) },
    ]
    const [found] = fold({ resources: declared }).dimensions.authorization_policies.resources
    expect(found).toMatchObject({
      actions: ['show', 'update'],
      before: true,
      can_become: true,
      forbidden_response: 'auto',
      roles: { provenance: 'declared', by_rule: { before: ['root'] } },
      digests: { provenance: 'declared', by_rule: digestsOf(rules) },
      scope: {
        variants: ['all', 'mine'],
        roles: { by_rule: { mine: ['editor'] } },
        digests: { by_rule: digestsOf({ where: postScope.where, ...postScope.variants }) },
      },
    })
  })

  it('reads from a resource what clients may write and see, and which verbs write', () => {
    const declared = { repository: repository(Post, { deletedBy: ['purge' as never] }) }
    const given = [declared, { repository: repository(User, { updatedBy: ['administer'] }) }]
    expect(fold({ resources: given }).dimensions.authorization_policies.resources).toMatchObject([
      {
        input: ['body', 'published', 'title'],
        hidden: [],
        immutable: ['author_id', 'created_at', 'id'],
        owner: 'author_id',
        references: { author_id: 'User' },
        updated_by: [],
        deleted_by: ['purge'],
      },
      {
        input: ['name'],
        hidden: ['email', 'password_digest'],
        immutable: ['created_at', 'id', 'version'],
        owner: null,
        references: {},
        updated_by: ['administer'],
        deleted_by: [],
      },
    ])
  })

  it('says which APIs any session may use', () => {
    const declared = [{ repository: repository(Post, { api: '/api/p' }) }]
    const { any_session, resources: facts } = fold({ resources: declared }).dimensions.authorization_policies
    expect([any_session, facts[0]?.has_policy, facts[0]?.scope]).toEqual([['/api/p'], false, null])
  })
})

describe('parseManifest', () => {
  const { schema_version: _, ...without } = productionManifest()

  it.each([
    ['{', 'it is no JSON'],
    ['null', 'it has no schema_version'],
    [JSON.stringify(without), 'it has no schema_version'],
    [JSON.stringify({ ...without, schema_version: 7 }), 'schema_version 7; this program reads version 1'],
    [JSON.stringify({ ...without, schema_version: 1, excluded: {} }), 'broken at excluded.as_system'],
  ])('refuses what it can’t read: %.20s', (text, sentence) => {
    expect(() => parseManifest(text)).toThrow(sentence)
  })
})

describe('app/server.ts', () => {
  // Runs before the server, and opens a way in as soon as the application is made.
  const backdoor = `
    import express from '${pathToFileURL(join(import.meta.dirname, '../node_modules/express/index.js')).href}'
    const { use } = express.application
    express.application.use = function (...given) {
      if (!this.locals.open) this.get('/backdoor', function letIn(_req, res) { res.end() })
      this.locals.open = true
      return use.apply(this, given)
    }`

  it.each(['production', 'test'])(
    'refuses to start in %s with a route that is in no table',
    async (profile) => {
      const env = {
        NODE_ENV: profile,
        PORT: '0',
        BASE_URL: 'https://example.org',
        SESSION__SECRET: 'a secret of more than thirty-two characters',
        DATABASE_URL: database.url,
      }
      const preload = `data:text/javascript,${encodeURIComponent(backdoor)}`
      const { code, output } = await run(['--import', preload, 'app/server.ts'], env)
      expect(output).toContain('GET /backdoor (letIn) is in no route table')
      expect(code).toBe(1)
      expect(output).not.toContain('Listening')
    },
  )
})

async function printedBy(env: Record<string, string>): Promise<string> {
  return (await run(['cli/main.ts', 'routes', 'audit', '--json'], env)).output
}

async function run(
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'] ?? '', ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const late = setTimeout(() => child.kill('SIGKILL'), 15_000)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(late)
  return { code, output }
}
