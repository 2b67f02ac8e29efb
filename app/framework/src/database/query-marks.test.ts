import { Kysely, PostgresDialect } from 'kysely'
import { describe, expect, it } from 'vitest'
import { keysetMark, keysetOrder, listMark, readsList } from './query-marks.ts'

const db = new Kysely<{ notes: { id: number } }>({ dialect: new PostgresDialect({ pool: null as never }) })
const notes = db.selectFrom('notes').selectAll()
const nodeOf = (query: { toOperationNode(): object }) => query.toOperationNode() as never

describe('readsList', () => {
  it('finds the mark in a query, a subquery and a with clause', () => {
    const list = notes.modifyFront(listMark())
    expect(readsList(nodeOf(list))).toBe(true)
    expect(readsList(nodeOf(db.selectFrom(list.as('list')).selectAll()))).toBe(true)
    expect(
      readsList(
        nodeOf(
          db
            .with('list', () => list)
            .selectFrom('list')
            .selectAll(),
        ),
      ),
    ).toBe(true)
    expect(readsList(nodeOf(list.modifyFront(keysetMark('id desc')).limit(3)))).toBe(true)
  })

  it('is false without the mark', () => {
    expect(readsList(nodeOf(notes))).toBe(false)
    expect(readsList(nodeOf(notes.modifyFront(keysetMark('id desc'))))).toBe(false)
  })
})

describe('keysetOrder', () => {
  it('returns the order of a marked query', () => {
    const page = notes.modifyFront(listMark()).modifyFront(keysetMark('id desc'))
    expect(keysetOrder(nodeOf(page.limit(3)))).toBe('id desc')
  })

  it('returns null for other queries', () => {
    expect(keysetOrder(nodeOf(notes))).toBeNull()
    expect(keysetOrder(nodeOf(notes.modifyFront(listMark())))).toBeNull()
    expect(keysetOrder(nodeOf(db.deleteFrom('notes')))).toBeNull()
  })
})
