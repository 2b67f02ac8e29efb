import { type Kysely, sql } from 'kysely'
import type { Pool } from 'pg'
import { z } from 'zod'
import { CursorRequest, PageRequest, type Tables, withDatabase } from 'pergola'
import { decodeCursor, encodeCursor } from 'pergola/pagination'
import { notes } from '../test/fixtures/note.ts'

const SIZE = 20
const all = notes.asSystem('bench')

export interface Notes {
  db: Kysely<Tables>
  pool: Pool
}

/** The note after which a page begins. */
export interface Place {
  offset: number
  created_at: string
  id: string
  /** The cursor of Pergola for this note. */
  cursor: string
}

export async function placeAt({ db, pool }: Notes, offset: number): Promise<Place> {
  const { rows } = await pool.query<Omit<Place, 'cursor'>>(
    `select $1::int as offset, created_at::text, id::text from notes order by created_at desc, id desc
     limit 1 offset $1::int - 1`,
    [offset],
  )
  const [place] = rows
  if (place === undefined) throw new Error(`There are fewer than ${offset} notes. Fill the table first.`)
  return { ...place, cursor: await cursorAt(db, [place.created_at, place.id]) }
}

/**
 * Returns a cursor for these keys. It changes the cursor of the first page, since a walk to a deep page takes too long.
 */
async function cursorAt(db: Kysely<Tables>, keys: string[]): Promise<string> {
  const { next_cursor } = await withDatabase(db, () => all.cursorPage(new CursorRequest(null, 1)))
  const [version, way, list] = decodeCursor(next_cursor ?? '', z.array(z.unknown())) ?? []
  return encodeCursor([version, way, list, keys])
}

/** Returns a hand-written statement for the page after this note, and its parameters. */
export type Statement = (place: Place) => [sql: string, parameters: unknown[]]

const ORDER = 'order by created_at desc, id desc limit'

/** The statements for one page, in three forms. */
export const forms: Record<'offset' | 'row comparison' | 'or', Statement> = {
  offset: ({ offset }) => [`select * from notes ${ORDER} ${SIZE} offset $1`, [offset]],
  'row comparison': ({ created_at, id }) => [
    `select * from notes where (created_at, id) < ($1, $2) ${ORDER} ${SIZE + 1}`,
    [created_at, id],
  ],
  or: ({ created_at, id }) => [
    `select * from notes where created_at < $1 or (created_at = $1 and id < $2) ${ORDER} ${SIZE + 1}`,
    [created_at, id],
  ],
}

export type Form = keyof typeof forms

/** The functions to measure: each reads a page with a library (`by`) in a form. */
export const contestants: [by: string, form: Form, ask: (notes: Notes, place: Place) => Promise<unknown>][] =
  [
    ['pg', 'offset', ({ pool }, place) => pool.query(...forms.offset(place))],
    ['Kysely', 'offset', ({ db }, { offset }) => newest(db).limit(SIZE).offset(offset).execute()],
    ['Pergola', 'offset', ({ db }, { offset }) => withDatabase(db, () => offsetPage(offset))],
    ['pg', 'row comparison', ({ pool }, place) => pool.query(...forms['row comparison'](place))],
    ['Kysely', 'row comparison', ({ db }, place) => cursorPage(db, place)],
    ['Pergola', 'row comparison', ({ db }, place) => withDatabase(db, () => behindCursor(place))],
    ['pg', 'or', ({ pool }, place) => pool.query(...forms.or(place))],
  ]

const newest = (db: Kysely<Tables>) =>
  db.selectFrom('notes').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc')

/** Reads a page by its number. `page()` also counts the rows. */
const offsetPage = (offset: number) => all.page(new PageRequest(offset / SIZE + 1, SIZE))

const behindCursor = ({ cursor }: Place) =>
  all.cursorPage(new CursorRequest(cursor, SIZE), { invalidCursor: 'refuse' })

const cursorPage = (db: Kysely<Tables>, { created_at, id }: Place) =>
  newest(db)
    .where(sql<boolean>`(created_at, id) < (${created_at}, ${id})`)
    .limit(SIZE + 1)
    .execute()

export const counts: [by: string, what: string, ask: (notes: Notes) => Promise<unknown>][] = [
  ['pg', 'exact', ({ pool }) => pool.query(EXACT)],
  ['Pergola', 'exact', ({ db }) => withDatabase(db, () => all.count())],
  ['pg', 'capped', ({ pool }) => pool.query(CAPPED)],
]

export const EXACT = 'select count(*) from notes'
export const CAPPED = 'select count(*) from (select from notes limit 10001) as counted'
