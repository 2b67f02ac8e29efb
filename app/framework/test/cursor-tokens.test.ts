import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type CursorPage,
  CursorRequest,
  database,
  inTransaction,
  repository,
  scope,
  scoped,
  withDatabase,
} from 'pergola'
import { encodeCursor, pageByCursor } from 'pergola/pagination'
import type { CursorPageOptions, CursorPages } from '../src/lists/cursor-pages.ts'
import { makeNote, Note, notePolicy, notes, noteScope } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, User } from './fixtures/user.ts'

const app = await testApp()
const all = notes.asSystem('test')
const within = <Result>(work: () => Promise<Result>) => withDatabase(app.db, work)
const page = (cursor: string | null, size = 3) =>
  within(() => all.cursorPage(new CursorRequest(cursor, size), { invalidCursor: 'refuse' }))
const idsOf = ({ content }: { content: readonly { id: number }[] }) => content.map(({ id }) => id)
const payloadOf = (token: string | null) =>
  JSON.parse(Buffer.from(token ?? '', 'base64url').toString()) as unknown[]

const author = await within(() => makeUser({ name: 'Alice' }))
const made: Note[] = []
beforeAll(() =>
  within(async () => {
    for (let number = 0; number < 10; number++) made.unshift(await makeNote({ author_id: author.id }))
  }),
)

describe('a cursor', () => {
  it('contains the exact text of its keys, its version and its direction', async () => {
    const { content, next_cursor } = await page(null)
    const last = content.at(-1)
    const digits = last?.created_at.replace('T', ' ').replace(/0*Z$/, '+00')
    expect(payloadOf(next_cursor)).toEqual([
      1,
      'next',
      expect.stringMatching(/^.{11}$/),
      [digits, String(last?.id)],
    ])
  })

  it('contains only the id without a declared order, and pages by it', async () => {
    const byId = repository(Note).asSystem('test')
    app.statements.length = 0
    const one = await within(() => byId.cursorPage(new CursorRequest(null, 3)))
    const two = await within(() => byId.cursorPage(new CursorRequest(one.next_cursor, 3)))
    expect(payloadOf(one.next_cursor)[3]).toEqual([String(idsOf(one).at(-1))])
    expect([...idsOf(one), ...idsOf(two)]).toEqual(idsOf({ content: made }).slice(0, 6))
    expect(app.statements.at(-1)).toContain('"id" < $1')
  })

  it('continues after its row is deleted', async () => {
    const { next_cursor } = await page(null)
    const [, , named, next] = made
    await within(() => all.delete(named?.id ?? 0))
    expect(idsOf(await page(next_cursor))[0]).toBe(next?.id)
    made.splice(2, 1)
  })

  it('remains valid when the size changes', async () => {
    const { next_cursor } = await page(null, 2)
    expect(idsOf(await page(next_cursor, 5))).toEqual(idsOf({ content: made.slice(2, 7) }))
  })

  it('works with every time zone and date style of the connection', async () => {
    const { next_cursor } = await page(null)
    const elsewhere = await within(() =>
      inTransaction(async () => {
        await sql`set local timezone = 'Asia/Kolkata'`.execute(database())
        await sql`set local datestyle = 'SQL, DMY'`.execute(database())
        return all.cursorPage(new CursorRequest(next_cursor, 3), { invalidCursor: 'refuse' })
      }),
    )
    expect(idsOf(elsewhere)).toEqual(idsOf(await page(next_cursor)))
  })

  it('of a full page leads to the rows directly before it, even if rows were added before them', async () => {
    const one = await page(null)
    const two = await page(one.next_cursor)
    const added = await within(() => makeNote({ author_id: author.id }))
    const back = await page(two.prev_cursor)
    expect([idsOf(back), back.has_previous, back.has_next]).toEqual([idsOf(one), true, true])
    expect(idsOf(await page(back.prev_cursor))[0]).toBe(added.id)
    await within(() => all.delete(added.id))
  })

  it('leads to a full first page if fewer rows remain before it', async () => {
    const one = await page(null)
    const two = await page(one.next_cursor)
    const removed = made.splice(0, 1)
    await within(() => all.delete(removed[0]?.id ?? 0))
    const back = await page(two.prev_cursor)
    expect(idsOf(back)).toEqual(idsOf({ content: made.slice(0, 3) }))
    expect([back.prev_cursor, back.has_previous, back.has_next]).toEqual([null, false, true])
  })

  it('leads to a page without a next page if the later rows were deleted', async () => {
    const two = await page((await page(null)).next_cursor)
    let back: CursorPage<Note> | undefined
    const read = within(() =>
      inTransaction(async () => {
        for (const { id } of made.slice(3)) await all.delete(id)
        back = await all.cursorPage(new CursorRequest(two.prev_cursor, 3))
        throw new Error('Taken back.')
      }),
    )
    await expect(read).rejects.toThrow('Taken back.')
    expect([idsOf(back ?? two), back?.has_next, back?.next_cursor]).toEqual([
      idsOf({ content: made.slice(0, 3) }),
      false,
      null,
    ])
  })

  it('leads from an empty page back to the last rows', async () => {
    const last = await within(() => makeNote({ author_id: author.id, created_at: '2001-01-01T00:00:00Z' }))
    const { next_cursor } = await page(null, made.length)
    await within(() => all.delete(last.id))
    const empty = await page(next_cursor)
    expect([empty.content, empty.next_cursor, empty.has_previous]).toEqual([[], null, true])
    expect(idsOf(await page(empty.prev_cursor))).toEqual(idsOf({ content: made.slice(-3) }))
  })

  it('is null after the last row, so that no empty page follows a full page', async () => {
    const whole = await page(null, made.length)
    expect([whole.has_next, whole.next_cursor, whole.has_previous]).toEqual([false, null, false])
    const half = await page(null, made.length - 1)
    expect(idsOf(await page(half.next_cursor, made.length))).toEqual([made.at(-1)?.id])
  })
})

/** Returns the token of the second page of a list, with three rows per page. */
const tokenOf = (list: CursorPages<typeof Note>, where?: CursorPageOptions<typeof Note>['where']) =>
  within(async () => (await list.cursorPage(new CursorRequest(null, 3), where && { where })).next_cursor)

const refusal = { status: 400, code: 'invalid_cursor' }

describe('a cursor of another list', () => {
  const byTitle = repository(Note, { order: '-title' }).asSystem('test')
  const oldestFirst = repository(Note, { order: 'created_at' }).asSystem('test')

  it.each([
    ['another order', byTitle],
    ['another direction', oldestFirst],
  ])('is refused: %s', async (_what, list) => {
    await expect(page(await tokenOf(list))).rejects.toMatchObject(refusal)
  })

  it('is refused: another resource', async () => {
    await within(() => makeUser())
    const people = repository(User, { order: '-created_at' }).asSystem('test')
    const { next_cursor } = await within(() => people.cursorPage(new CursorRequest(null, 1)))
    await expect(page(next_cursor)).rejects.toMatchObject(refusal)
  })

  it('is refused: another filter, another value of the same filter, and no filter', async () => {
    const by =
      (id: number): CursorPageOptions<typeof Note>['where'] =>
      (is) =>
        is('author_id', '=', id)
    const read = (token: string | null, where?: CursorPageOptions<typeof Note>['where']) =>
      within(() =>
        all.cursorPage(new CursorRequest(token, 3), { ...(where && { where }), invalidCursor: 'refuse' }),
      )
    const filtered = await tokenOf(all, by(author.id))
    expect((await read(filtered, by(author.id))).content).toHaveLength(3)
    await expect(read(filtered, by(author.id + 1))).rejects.toMatchObject(refusal)
    await expect(read(filtered, (is) => is('title', '!=', ''))).rejects.toMatchObject(refusal)
    await expect(read(filtered)).rejects.toMatchObject(refusal)
    await expect(read(await tokenOf(all), by(author.id))).rejects.toMatchObject(refusal)
  })

  it('is valid for another user, who sees the rows of their own scope', async () => {
    const reader = await within(() => makeUser())
    const mine = await tokenOf(all)
    const theirs = within(() =>
      notes
        .visibleTo(app.contextFor(reader))
        .cursorPage(new CursorRequest(mine, 3), { invalidCursor: 'refuse' }),
    )
    expect(idsOf(await theirs)).toEqual(idsOf(await page(mine)))
  })
})

describe('an invalid cursor', () => {
  const { length } = 'eleven text'
  const forged = async () => {
    const [version, way, madeFor, [at, id]] = payloadOf(await tokenOf(all)) as [
      number,
      string,
      string,
      string[],
    ]
    expect(madeFor).toHaveLength(length)
    return [
      [version, way, madeFor, [at]],
      [version, way, madeFor, [at, id, id]],
      [version, way, madeFor, null],
      [version, way, madeFor, [at, null]],
      [version, way, madeFor, [null, id]],
      [version, way, madeFor, [at, Number(id)]],
      [version, way, madeFor, [at, '1; drop table notes']],
      [version, way, madeFor, [at, '9'.repeat(40)]],
      [version, way, madeFor, [at, '1e400']],
      [version, way, madeFor, ['yesterday-ish', id]],
      [version, way, madeFor, ['2024-02-31 00:00:00+00', id]],
      [version, way, madeFor, ['300000-01-01', id]],
      [version, way, madeFor, ['\0', id]],
      [version, way, madeFor, [{}, id]],
      [2, way, madeFor, [at, id]],
      [version, 'sideways', madeFor, [at, id]],
      [version, way, '', [at, id]],
      { id: 7 },
      null,
      [],
    ].map(encodeCursor)
  }
  const garbage = ['garbage', '===', 'e30', 'bnVsbA', 'x'.repeat(10_000), '%00', '%ff', "'--", 'undefined']

  it('is a 400 in the API, and shows the first page in a page', async () => {
    const first = (await app.guest.get('/api/notes?cursor=&size=3')).json() as CursorPage<Note>
    for (const token of [...garbage, ...(await forged())]) {
      const answer = await app.guest.get(`/api/notes?size=3&cursor=${token}`)
      expect([answer.status, (answer.json() as { code?: string }).code, token]).toEqual([
        400,
        'invalid_cursor',
        token,
      ])
      const shown = await within(() => all.cursorPage(new CursorRequest(decodeURIComponentOr(token), 3)))
      expect([idsOf(shown), token]).toEqual([idsOf(first), token])
    }
  })

  it('is a repeated parameter, even if one of its values is valid or empty', async () => {
    const token = await tokenOf(all)
    for (const query of [
      `${token}&cursor=`,
      `&cursor=${token}`,
      `${token}&cursor=${token}`,
      'x&cursor=',
      '&cursor=',
    ]) {
      const answer = await app.guest.get(`/api/notes?size=3&cursor=${query}`)
      expect([query, answer.status, (answer.json() as { code?: string }).code]).toEqual([
        query,
        400,
        'invalid_cursor',
      ])
      expect([query, (await app.guest.get(`/feed?cursor=${query}`)).status]).toEqual([query, 200])
    }
  })

  it('has the response that the repository declares', async () => {
    const cursor = { order: '-created_at' } as const
    const strict = repository(Note, { ...cursor, cursorErrors: { pages: 'refuse' } }).asSystem('test')
    await expect(within(() => strict.cursorPage(new CursorRequest('x')))).rejects.toMatchObject(refusal)
    const lenient = repository(Note, {
      ...cursor,
      api: '/api/notes',
      policy: notePolicy,
      scope: noteScope,
      cursorErrors: { api: 'restart' },
    })
    const other = await testApp({ resources: [{ repository: lenient }], database: app })
    expect((await other.guest.get('/api/notes?cursor=x')).status).toBe(200)
    expect((await other.guest.get('/api/notes?cursor=x&cursor=')).status).toBe(200)
  })
})

describe('a cursor of a list whose scope fails', () => {
  it('causes a 500, and not the 400 of an invalid cursor', async () => {
    const failing = scope(Note, { where: () => sql`1 / (notes.id - notes.id) = 1` })
    const broken = await testApp({ database: app, scopes: [[Note, failing]] })
    const token = await tokenOf(all)
    for (const path of ['/feed', '/feed/scroll', '/api/notes'])
      expect([path, (await broken.guest.get(`${path}?cursor=${token}`)).status]).toEqual([path, 500])
  })
})

const decodeURIComponentOr = (text: string) => new URLSearchParams(`t=${text}`).get('t')

describe('GET /api/notes?cursor=', () => {
  const get = async (query: string) => (await app.guest.get(`/api/notes?${query}`)).json() as CursorPage<Note>

  it('returns the whole list, with exactly the fields of a cursor page', async () => {
    const ids: number[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const answer: CursorPage<Note> = await get(`size=4&cursor=${cursor}`)
      expect(Object.keys(answer)).toEqual([
        'content',
        'size',
        'next_cursor',
        'prev_cursor',
        'has_next',
        'has_previous',
      ])
      expect(Object.keys(answer.content[0] ?? {})).toEqual(Object.keys(made[0] ?? {}))
      ids.push(...idsOf(answer))
      cursor = answer.next_cursor
    }
    expect(ids).toEqual(idsOf({ content: made }))
  })

  it('uses the order and the filter of the request', async () => {
    const query = `size=4&sort=created_at&author_id=${author.id}`
    const one = await get(`cursor=&${query}`)
    const two = await get(`cursor=${one.next_cursor}&${query}`)
    expect([...idsOf(one), ...idsOf(two)]).toEqual(idsOf({ content: made.toReversed().slice(0, 8) }))
    expect((await get('cursor=&author_id=999999')).content).toEqual([])
    expect((await app.guest.get(`/api/notes?size=4&cursor=${one.next_cursor}`)).status).toBe(400)
  })

  it('returns an offset page without the parameter', async () => {
    expect(await get('size=4')).toMatchObject({ page: 1, total_elements: made.length })
  })

  it('limits the size as offset pages do', async () => {
    expect((await get('cursor=&size=100000')).size).toBe(100)
    expect((await get('cursor=&size=abc')).size).toBe(20)
  })

  it('never shows rows outside the scope, in pages or tokens', async () => {
    const draft = await within(() => makeNote({ author_id: author.id, published: false }))
    expect(idsOf(await get('cursor=&size=100'))).not.toContain(draft.id)
    const { next_cursor } = await page(null, 1)
    expect(payloadOf(next_cursor)[3]).toContain(String(draft.id))
    expect(idsOf(await get(`size=100&cursor=${next_cursor}`))).toEqual(idsOf({ content: made }))
    await within(() => all.delete(draft.id))
  })

  it('returns the newest rows first if no order is declared', async () => {
    const plain = repository(Note, { api: '/api/notes', policy: notePolicy, scope: noteScope })
    const other = await testApp({ resources: [{ repository: plain }], database: app })
    const first = (await other.guest.get('/api/notes?cursor=&size=4')).json() as CursorPage<Note>
    expect(idsOf(first)).toEqual(idsOf({ content: made.slice(0, 4) }))
  })
})

describe('pageByCursor', () => {
  const keys = [
    { column: 'notes.title', direction: 'asc' },
    { column: 'notes.id', direction: 'desc' },
  ] as const
  const read = (cursor: string | null, name = 'titles by author') =>
    within(() =>
      pageByCursor(
        database().selectFrom('notes').innerJoin('users', 'users.id', 'notes.author_id').select('users.name'),
        new CursorRequest(cursor, 3),
        { name, keys, invalidCursor: 'refuse' },
      ),
    )

  it('pages a query by keys that it doesn’t select, and returns rows without them', async () => {
    const one = await read(null)
    expect(one.content).toEqual(Array.from({ length: 3 }, () => ({ name: 'Alice' })))
    const two = await read(one.next_cursor)
    const three = await read(two.next_cursor)
    expect([one, two, three].map(({ content }) => content.length)).toEqual([3, 3, made.length - 6])
    expect(await read(two.prev_cursor)).toEqual(one)
    expect(payloadOf(two.next_cursor)[3]).not.toEqual(payloadOf(one.next_cursor)[3])
  })

  it.each(['users.email', 'email'])('refuses the key %s, which no row contains', async (column) => {
    const query = () => database().selectFrom('users').select('users.name')
    const keys = [{ column, direction: 'asc' } as const]
    await expect(
      within(() => pageByCursor(query(), new CursorRequest(null, 3), { name: 'by email', keys })),
    ).rejects.toThrow(`by email: no row contains '${column}'`)
  })

  it('pages a query whose condition is raw SQL with OR, to its end', async () => {
    const walk = (cursor: string | null) =>
      pageByCursor(
        database()
          .selectFrom('notes')
          .select('id')
          .where(sql<boolean>`id % 2 = 0 or id % 2 = 1`),
        new CursorRequest(cursor, 3),
        { name: 'either', keys: [{ column: 'id', direction: 'desc' }] },
      )
    const ids: number[] = []
    await within(async () => {
      for (let cursor: string | null = null, pages = 0; pages <= made.length; pages++) {
        const page = await walk(cursor)
        ids.push(...idsOf(page))
        cursor = page.next_cursor
        if (cursor === null) break
      }
    })
    expect(ids).toEqual(made.map(({ id }) => id).toSorted((a, b) => b - a))
  })

  it('rejects tokens of another name', async () => {
    const { next_cursor } = await read(null)
    await expect(read(next_cursor, 'another list')).rejects.toMatchObject(refusal)
  })

  it('keeps hidden columns of a scoped query hidden in every range', async () => {
    const admin = await within(() => makeUser({ roles: ['admin'] }))
    const walk = (cursor: string | null) =>
      within(() =>
        pageByCursor(scoped(User, app.contextFor(admin)), new CursorRequest(cursor, 1), {
          name: 'people',
          keys: [
            { column: 'name', direction: 'asc' },
            { column: 'id', direction: 'desc' },
          ],
        }),
      )
    const one = await walk(null)
    const two = await walk(one.next_cursor)
    for (const { content } of [one, two])
      expect(Object.keys(content[0] ?? {}).filter((column) => /email|digest|__/.test(column))).toEqual([])
  })
})

describe('a list whose keys are too long for a token', () => {
  const long = (number: number) => 'é'.repeat(1_500) + number
  const walk = (cursor: string | null, { size = 2, where = '' } = {}) =>
    within(() =>
      pageByCursor(
        database()
          .selectFrom(sql<{ id: number; text: string }>`long_texts`.as('long_texts'))
          .select('id')
          .where(sql<boolean>`id::text <> ${where}`),
        new CursorRequest(cursor, size),
        {
          name: 'long texts',
          keys: [
            { column: 'text', direction: 'asc' },
            { column: 'id', direction: 'desc' },
          ],
          invalidCursor: 'refuse',
        },
      ),
    )
  beforeAll(async () => {
    await sql`create table long_texts (id bigint primary key, text text not null)`.execute(app.db)
    for (let id = 1; id <= 5; id++)
      await sql`insert into long_texts values (${id}, ${long(id % 3)})`.execute(app.db)
  })

  it('continues at the row that the token identifies, in both directions', async () => {
    const one = await walk(null)
    const two = await walk(one.next_cursor)
    const three = await walk(two.next_cursor)
    expect([one, two, three].map(idsOf)).toEqual([[3, 4], [1, 5], [2]])
    expect([three.has_next, payloadOf(two.next_cursor)[3]]).toEqual([
      false,
      [{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }, '5'],
    ])
    expect(await walk(three.prev_cursor)).toEqual(two)
    expect(await walk(two.prev_cursor)).toEqual(one)
  })

  it('rejects the token if the row no longer exists, and for malformed keys', async () => {
    const { next_cursor } = await walk(null)
    const [version, way, madeFor, place] = payloadOf(next_cursor)
    const [text, last] = place as unknown[]
    await expect(walk(next_cursor, { where: '4' })).rejects.toMatchObject(refusal)
    for (const id of ['99', 'x', '', '9'.repeat(40)])
      await expect(walk(encodeCursor([version, way, madeFor, [text, id]]))).rejects.toMatchObject(refusal)
    for (const digest of [{ sha256: 'x' }, { sha256: '' }, { md5: 'x' }, {}])
      await expect(walk(encodeCursor([version, way, madeFor, [digest, last]]))).rejects.toMatchObject(refusal)
    await expect(walk(encodeCursor([version, way, madeFor, last]))).rejects.toMatchObject(refusal)
  })
})

describe('a list whose key has no exact text', () => {
  it('throws instead of repeating the same page', async () => {
    const rounded = within(() =>
      inTransaction(async () => {
        await sql`set local extra_float_digits = -12`.execute(database())
        const numbers = sql<{ n: number }>`(select 1 + n / 1e9::float8 as n from generate_series(1, 9) n)`.as(
          'numbers',
        )
        const walk = (cursor: string | null) =>
          pageByCursor(database().selectFrom(numbers).select('n'), new CursorRequest(cursor, 3), {
            name: 'numbers',
            keys: [{ column: 'n', direction: 'asc' }],
          })
        return walk((await walk(null)).next_cursor)
      }),
    )
    await expect(rounded).rejects.toThrow(/don't advance/)
  })
})

describe('repository', () => {
  it.each(['', 'title,', '--title', 'title desc', 'title nulls', 'title nulls last first'])(
    'throws for the order %j, and shows a valid one',
    (order) => {
      expect(() => repository(Note, { order } as never)).toThrow(
        /Note: the order contains .*'-created_at,title'/,
      )
    },
  )

  it('throws for an order by a hidden column, which a cursor would show', () => {
    for (const order of ['email', 'name,-email nulls last'])
      expect(() => repository(User, { order } as never)).toThrow(/no row contains 'email'/)
  })
})
