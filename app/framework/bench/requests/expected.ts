import type { Client } from 'pg'

/** The users whose sessions send the requests in turn. A server shares more work between the requests of one user. */
export const CALLERS = Array.from({ length: 200 }, (_, place) => 42 + place)

/** The answers that a caller must get, read from Postgres with SQL. All lists are of ids, newest first. */
export interface Expected {
  caller: number
  total: number
  first: number[]
  /** The 20 posts after `depth` others. */
  deep: number[]
  depth: number
  /** The posts of page 5, 20 per page. */
  fifth: number[]
  own: number[]
  /** Published posts of the whole table. */
  published: number[]
  /** A draft of another user. */
  hidden: number
  /** A published post of another user. */
  foreign: number
}

const VISIBLE = '(published or author_id = $1)'
const NEWEST = 'order by created_at desc, id desc'

export async function expectedOf(client: Client, caller: number, depth: number): Promise<Expected> {
  const ids = async (rest: string, values: number[] = [caller]) => {
    const { rows } = await client.query<{ id: string }>(`select id from posts where ${rest}`, values)
    return rows.map(({ id }) => Number(id))
  }
  const page = (offset: number) => ids(`${VISIBLE} ${NEWEST} limit 20 offset $2`, [caller, offset])
  const { rows } = await client.query<{ total: string }>(
    `select count(*) as total from posts where ${VISIBLE}`,
    [caller],
  )
  const others = 'author_id <> $1 order by id limit 1'
  return {
    caller,
    depth,
    total: Number(rows[0]?.total),
    first: await page(0),
    deep: await page(depth),
    fifth: await page(80),
    own: await ids(`author_id = $1 ${NEWEST} limit 50`),
    published: await ids('published order by hashint8(id) limit 200', []),
    hidden: only(await ids(`not published and ${others}`)),
    foreign: only(await ids(`published and ${others}`)),
  }
}

function only([id]: number[]): number {
  if (id === undefined) throw new Error('There are too few posts for this benchmark.')
  return id
}
