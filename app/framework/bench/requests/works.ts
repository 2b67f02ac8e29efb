import { bodyOf, type Session } from './check.ts'

/** One request of a caller. */
export interface WorkRequest {
  method: 'GET' | 'PUT'
  path: string
  headers: Record<string, string>
  body?: string
}

/** Returns the requests of a work, which a connection sends in this order, again and again. */
type Work = (session: Session) => WorkRequest[]

const get = ({ cookie }: Session, path: string): WorkRequest => ({ method: 'GET', path, headers: { cookie } })

/** The works by name. */
export const WORKS = {
  'one record, JSON': (session) => {
    const { published, caller } = session.expected
    // Each caller begins at another record.
    const ids = Array.from({ length: 250 }, (_, turn) => published[(caller * 25 + turn) % published.length])
    return ids.map((id) => get(session, `/api/posts/${id}`))
  },
  'first cursor page, JSON': (session) => [get(session, '/api/posts?cursor=&size=20')],
  'cursor page at depth, JSON': (session) => [
    get(session, `/api/posts?cursor=${session.deepCursor}&size=20`),
  ],
  'page with total, JSON': (session) => [get(session, '/api/posts?page=1&size=20')],
  'list as a page, HTML': (session) => [get(session, '/posts?page=5')],
  'update, JSON': (session) => {
    const { own } = session.expected
    // Each update of a record changes its title.
    return Array.from({ length: own.length * 20 }, (_, turn) => ({
      method: 'PUT',
      path: `/api/posts/${own[turn % own.length]}`,
      headers: { cookie: session.cookie, 'content-type': 'application/json', 'if-match': '*' },
      body: bodyOf(`Title ${turn} <b>&</b> more`),
    }))
  },
} satisfies Record<string, Work>

export type WorkName = keyof typeof WORKS
export const WORK_NAMES = Object.keys(WORKS) as WorkName[]

/** Works that are only measured for their growth. */
export const DEEP_WORKS = {
  'page with total at depth, JSON': (session) => [
    get(session, `/api/posts?page=${session.expected.depth / 20 + 1}&size=20`),
  ],
} satisfies Record<string, Work>
