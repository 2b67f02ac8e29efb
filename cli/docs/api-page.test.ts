import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ColumnType, type Generated, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { field, policy, repository, resource, scope } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { makeUser } from '#app/users/user.factory.ts'
import { testApp } from '#app/test/test-app.ts'

interface TestTicketTable {
  id: Generated<number>
  title: string
  body: string
  author_id: number
  created_at: ColumnType<string, string | undefined, never>
  version: ColumnType<number, number | undefined, never>
}

declare module 'pergola' {
  interface Tables {
    test_tickets: TestTicketTable
  }
}

const TestTicket = resource('TestTicket', {
  table: 'test_tickets',
  input: z.strictObject({ title: field.string({ max: 200 }), body: field.text() }),
  columns: ['created_at'],
  owner: 'author_id',
  sort: ['title', 'created_at'],
  search: ['title', 'body'],
  version: true,
})

const signedIn = (ctx: { userId: number | null }) => ctx.userId !== null
const tickets = repository(TestTicket, {
  api: '/api/tickets',
  policy: policy(TestTicket, {
    canShow: signedIn,
    canCreate: signedIn,
    canUpdate: (ctx, ticket) => ctx.owns(ticket.author_id),
    canDelete: (ctx, ticket) => ctx.owns(ticket.author_id),
  }),
  scope: scope(TestTicket, { where: (ctx, is) => is.lit(ctx.userId !== null) }),
  order: '-created_at',
})

const run = promisify(execFile)
const page = join(import.meta.dirname, '../../docs/api.md')

interface Exchange {
  command: string
  /** The lines of the response that the document shows, and its body, if it shows one. */
  head: string[]
  body: string | undefined
}

/** Returns the requests of the document, each with the response below it. */
function exchanges(): Exchange[] {
  const document = readFileSync(page, 'utf8')
  return [...document.matchAll(/```sh\n(curl .*?)\n```\n\n```http\n(.*?)\n```/gs)].map(
    ([, command = '', response = '']) => {
      const [head = '', body] = response.split('\n\n')
      return { command, head: head.split('\n'), body }
    },
  )
}

/** Parses a body, without the values that differ between two runs. */
function comparable(body: string): unknown {
  const masked = body
    .replaceAll(/"\d{4}-\d\d-\d\dT[^"]+Z"/g, '"<time>"')
    .replaceAll(/"request_id": ?"[^"]+"/g, '"request_id":"<id>"')
  return JSON.parse(masked)
}

it.runIf(existsSync(page))('returns the responses that docs/api.md shows', async () => {
  const database = await testDatabase()
  await sql`create table test_tickets (id bigint generated always as identity primary key, title text not null,
    body text not null, author_id bigint not null references users(id),
    created_at timestamptz not null default now(), version integer not null default 1)`.execute(database.db)
  const app = await testApp({ database, resources: [{ repository: tickets }] })
  const alice = await app.within(() => makeUser())
  const folder = await mkdtemp(join(tmpdir(), 'api-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const documented = exchanges()
  expect(documented).toHaveLength(8)
  for (const { command, head, body } of documented) {
    const line = command
      .replaceAll('http://localhost:3000', app.url)
      .replaceAll('alice@example.test', alice.email)
    const { stdout } = await run('bash', ['-c', line], { cwd: folder })
    const [sentHead = '', sentBody = ''] = stdout.split('\r\n\r\n')
    expect(sentHead.split('\r\n')).toEqual(expect.arrayContaining(head))
    expect(body && comparable(sentBody)).toEqual(body && comparable(body))
  }
})
