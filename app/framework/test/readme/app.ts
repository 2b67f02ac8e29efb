import { join } from 'node:path'
import { type Generated, sql } from 'kysely'
import {
  type DeclaredResource,
  field,
  type Handler,
  listQuery,
  pageRequest,
  policy,
  policyContext,
  publicRoute,
  render,
  repository,
  resource,
  routes,
  scope,
} from 'pergola'
import {
  endInOrder,
  formBody,
  listen,
  ownOriginOf,
  portOf,
  refuseCrossOrigin,
  requestChecks,
  requestLog,
  routesOfResources,
  securityHeaders,
  webApplication,
} from 'pergola/app'
import { connect, frameworkMigrations, migrate } from 'pergola/database'
import { inDatabase } from 'pergola/scale'
import { pino } from 'pino'
import { z } from 'zod'

// A resource: its table, its policy, its scope and its repository.
interface BookTable {
  id: Generated<number>
  title: string
  published: boolean
}

declare module 'pergola' {
  interface Tables {
    books: BookTable
  }
}

const Book = resource('Book', {
  table: 'books',
  label: 'title',
  input: z.strictObject({ title: field.string({ max: 200 }), published: field.boolean() }),
  sort: ['title'],
})
const bookPolicy = policy(Book, {
  canShow: (ctx, book) => book.published || ctx.userId !== null,
  canCreate: (ctx) => ctx.userId !== null,
})
const bookScope = scope(Book, {
  where: (ctx, is) => (ctx.userId === null ? is('published', '=', true) : is.lit(true)),
})
const books = repository(Book, { api: '/api/books', policy: bookPolicy, scope: bookScope })

// Its pages: a route table of guards and handlers.
const index: Handler = async (req, res) => {
  const visible = books.visibleTo(await policyContext(req))
  const page = await visible.page(pageRequest(req), { query: listQuery(req, Book) })
  await render(res, 'books/index', { page })
}
const bookRoutes = routes('/books', { 'GET /': [publicRoute(), index] })

const resources: DeclaredResource[] = [{ repository: books, routes: { bookRoutes }, nav: 'Books' }]

// The database. An application also has its own folder of migrations.
const log = pino({ level: 'warn' })
const db = connect({
  url: process.env.DATABASE_URL ?? '',
  poolSize: 10,
  maxWaiting: 200,
  connectTimeout: 2_000,
  statementTimeout: 5_000,
  lockTimeout: 2_000,
  onConnectionError: (error) => log.warn(error),
})
await migrate(db, [frameworkMigrations])
await sql`create table if not exists books (
  id bigint generated always as identity primary key,
  title text not null,
  published boolean not null
)`.execute(db)

// The application.
const host = '127.0.0.1'
const { isOwnHost, ownOrigin } = ownOriginOf({ baseUrl: undefined, host })
const app = webApplication(
  { db, log, resources, ready: () => Promise.resolve(true) },
  {
    name: 'Library',
    views: join(import.meta.dirname, 'views'),
    signInPath: '/login',
    apiPrefix: '/api',
    development: true,
    https: false,
    secret: process.env.SECRET ?? 'a secret of 32 characters or more',
    assetUrl: (name) => `/assets/${name}`,
    forbiddenResponse: '404',
    // All callers are guests here. An application looks up the session of sessionToken(req).
    findSession: () => Promise.resolve(null),
    middleware: [
      requestLog(log),
      securityHeaders({ https: false }),
      requestChecks(isOwnHost),
      inDatabase(db),
      refuseCrossOrigin(ownOrigin),
      formBody,
    ],
    tables: routesOfResources(resources),
  },
)

const server = await listen(app, { host, port: Number(process.env.PORT ?? 3000), behindProxy: false, log })
endInOrder({ server, log, grace: 10_000, begin: () => {}, finish: () => db.destroy() })
process.stdout.write(`http://${host}:${portOf(server)}/books\n`)
