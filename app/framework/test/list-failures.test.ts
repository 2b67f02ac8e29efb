import { sql } from 'kysely'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { CursorRequest, database, PageRequest, scope } from 'pergola'
import { pageByCursor } from 'pergola/pagination'
import { lockTable } from 'pergola/testing'
import { makeNote, Note, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'

const lines: string[] = []
const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
const app = await testApp()
await app.within(() => makeNote())
const withScope = (where: Parameters<typeof scope<typeof Note>>[1]['where']) =>
  testApp({ database: app, log, scopes: [[Note, scope(Note, { where })]] })

const MISTAKES: Record<string, [code: string, where: Parameters<typeof withScope>[0]]> = {
  'a syntax error': ['42601', () => sql`notes.id = = 1`],
  'an unknown column': ['42703', (_ctx, is) => is('no_such_column' as 'title', '=', 'x')],
  'an operator that does not exist': ['42883', () => sql`notes.created_at = notes.id`],
  'a value of another type': ['22P02', (_ctx, is) => is('published', '=', 'perhaps' as never)],
  'a division by zero': ['22012', () => sql`1 / (notes.id - notes.id) = 1`],
  'a subquery with several rows': ['21000', () => sql`notes.id = (select n from generate_series(1, 2) n)`],
}

describe.each(Object.entries(MISTAKES))('a list with %s', (_what, [code, where]) => {
  it('causes a 500 with its cause in the log', async () => {
    const broken = await withScope(where)
    for (const path of ['/notes', '/feed', '/feed/scroll', '/api/notes', '/api/notes?cursor=']) {
      lines.length = 0
      const answer = await broken.guest.get(path)
      expect([path, answer.status]).toEqual([path, 500])
      expect(lines.join()).toContain(`"code":"${code}"`)
      expect(answer.text).not.toMatch(/no_such_column|perhaps|syntax/)
    }
  })

  it('throws in every method of a list', async () => {
    const broken = await withScope(where)
    const lists = notes.visibleTo(broken.contextFor(null))
    for (const read of [
      () => lists.findAll(),
      () => lists.count(),
      () => lists.page(new PageRequest(), { count: { cap: 1 } }),
      () => lists.cursorPage(new CursorRequest()),
      () => lists.findInBatches(5).nextBatch(),
      () => lists.findEach(5).next(),
      () => lists.findEach(5, { snapshot: true }).next(),
    ])
      await expect(broken.within<unknown>(read)).rejects.toMatchObject({ cause: { code } })
  })
})

describe('pageByCursor', () => {
  it('does not blame the caller for a mistake in its query', async () => {
    const read = app.within(() =>
      pageByCursor(
        database()
          .selectFrom('notes')
          .select('id')
          .where(sql<boolean>`1 / (id - id) = 1`),
        new CursorRequest(),
        { name: 'notes', keys: [{ column: 'notes.id', direction: 'desc' }] },
      ),
    )
    await expect(read).rejects.toMatchObject({ cause: { code: '22012' } })
  })
})

describe('a list that the database can’t read now', () => {
  it('causes a 503 after a lost connection', async () => {
    const broken = await withScope(() => sql`pg_terminate_backend(pg_backend_pid())`)
    for (const path of ['/notes', '/api/notes'])
      expect([path, (await broken.guest.get(path)).status]).toEqual([path, 503])
  })

  it('causes a 503 after a timeout', async () => {
    const release = await lockTable(app.db, 'notes')
    try {
      expect((await app.guest.get('/api/notes')).status).toBe(503)
    } finally {
      await release()
    }
    const slow = await withScope(() => sql`pg_sleep(6) is not null`)
    expect((await slow.guest.get('/api/notes')).status).toBe(503)
  })
})

describe('a list with an id beyond 2^53', () => {
  it('causes a 500, because the row can’t be read later either', async () => {
    await sql`insert into notes (id, title, body, published, author_id) overriding system value
      select 9007199254740993, 'Far', 'Away', true, min(id) from users`.execute(app.db)
    expect((await app.guest.get('/api/notes')).status).toBe(500)
    expect((await app.guest.get('/api/notes/9007199254740993')).status).toBe(404)
    await sql`delete from notes where id = 9007199254740993`.execute(app.db)
  })
})
