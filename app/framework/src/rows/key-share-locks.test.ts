import { type Compilable, type Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from 'pergola/testing'
import { keyShareLocks } from './key-share-locks.ts'
import { scopeMark } from '../database/query-marks.ts'

interface Tables {
  notes: { id: number; title: string; author_id: number }
  users: { id: number; name: string }
}

const { db } = await testDatabase()
const locking = db.withPlugin(keyShareLocks) as unknown as Kysely<Tables>
const notes = locking.selectFrom('notes')

const lockOf = (query: Compilable): string | null =>
  / for key share.*$/.exec(query.compile().sql)?.[0] ?? null

it.each<[what: string, query: Compilable & { execute(): Promise<unknown> }, lock: string]>([
  ['a table', notes.selectAll(), '"notes"'],
  ['an alias', locking.selectFrom('notes as n').select('n.id'), '"n"'],
  [
    'a subquery that counts',
    notes.select((is) => is.selectFrom('users').select(is.fn.countAll().as('n')).as('n')),
    '"notes"',
  ],
  ['an inner join', notes.innerJoin('users as u', 'u.id', 'author_id').select('u.name'), '"notes", "u"'],
  ['a literal', notes.select((is) => is.lit(1).as('one')), '"notes"'],
  ['a left join', notes.leftJoin('users', 'users.id', 'author_id').select('title'), '"notes"'],
])('locks the rows of %s', async (_what, query, tables) => {
  expect(lockOf(query)).toBe(` for key share of ${tables}`)
  await query.execute()
})

it.each<[what: string, query: Compilable & { execute(): Promise<unknown> }]>([
  ['an aggregate', notes.select(({ fn }) => fn.countAll().as('count'))],
  ['raw SQL, which may be an aggregate', notes.select(sql<number>`count(*)`.as('count'))],
  ['a group', notes.select('author_id').groupBy('author_id')],
  ['distinct rows', notes.select('author_id').distinct()],
  ['a union', notes.select('id').union(locking.selectFrom('users').select('id'))],
  ['a right join', notes.rightJoin('users', 'users.id', 'author_id').select('name')],
  [
    'a subquery in from',
    locking.selectFrom(locking.selectFrom('users').select('id').limit(1).as('one')).select('id'),
  ],
])('only reads %s', async (_what, query) => {
  expect(lockOf(query)).toBeNull()
  await query.execute()
})

describe('a query that evaluates a scope', () => {
  const scoped = notes.modifyFront(scopeMark()).select('title')
  const allLocks = (query: Compilable) =>
    [...query.compile().sql.matchAll(/ for key share of [^)]*/g)].map(([lock]) => lock)

  it.each<[what: string, query: Compilable & { execute(): Promise<unknown> }, locks: string[]]>([
    ['not its own rows', scoped, []],
    [
      'the rows of exists',
      scoped.where((is) =>
        is.exists(is.selectFrom('users as u').select('u.id').whereRef('u.id', '=', 'author_id')),
      ),
      ['"u"'],
    ],
    [
      'the rows of `in`, also within an expression',
      scoped.where((is) =>
        is.or([is('title', '=', ''), is('author_id', 'in', is.selectFrom('users').select('id'))]),
      ),
      ['"users"'],
    ],
    [
      'the rows of a subquery in a subquery, by the name in the outer one',
      scoped.where((is) =>
        is.exists(is.selectFrom(is.selectFrom('users').selectAll().as('u')).select(is.lit(1).as('one'))),
      ),
      ['"u"'],
    ],
    [
      'the rows of both levels',
      scoped.where((is) =>
        is.exists(
          is
            .selectFrom('users')
            .select('users.id')
            .where((inner) => inner.exists(inner.selectFrom('notes as n').select('n.id'))),
        ),
      ),
      ['"n"', '"users"'],
    ],
    [
      'no groups',
      scoped.where((is) =>
        is.exists(
          is.selectFrom(is.selectFrom('users').select('name').groupBy('name').as('u')).select('u.name'),
        ),
      ),
      [],
    ],
    [
      'no aggregates',
      scoped.where((is) => is(is.selectFrom('users').select(is.fn.countAll().as('n')), '=', 0 as never)),
      [],
    ],
  ])('locks %s', async (_what, query, locks) => {
    expect(allLocks(query)).toEqual(locks.map((names) => ` for key share of ${names}`))
    await query.execute()
  })
})
