import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { listQuery, pageRequest } from 'pergola'
import { Note } from '../../test/fixtures/note.ts'
import { Tally } from '../../test/fixtures/tally.ts'
import { User } from '../../test/fixtures/user.ts'
import { orderOf, matching } from './query-conditions.ts'

const NOTHING = { sort: null, dir: 'desc', q: '', filters: {} }
const read = (query: string) => listQuery({ originalUrl: `/notes${query}` }, Note)

describe('listQuery', () => {
  it('parses the URL once, together with pageRequest', () => {
    const parse = vi.spyOn(globalThis, 'URLSearchParams')
    const req = { originalUrl: '/notes?page=3&q=parsed+once' }
    expect([pageRequest(req).page, listQuery(req, Note).q]).toEqual([3, 'parsed once'])
    const { length } = parse.mock.calls
    parse.mockRestore()
    expect(length).toBe(1)
  })

  it.each([
    ['', {}],
    ['?sort=title', { sort: 'title', dir: 'asc' }],
    ['?sort=title&dir=desc', { sort: 'title', dir: 'desc' }],
    ['?sort=created_at&dir=asc', { sort: 'created_at', dir: 'asc' }],
    ['?sort=t%69tle', { sort: 'title', dir: 'asc' }],
    ['?sort=-title', { sort: 'title', dir: 'desc' }],
    ['?sort=-title&dir=asc', { sort: 'title', dir: 'desc' }],
    [
      '?sort=-created_at,title',
      { sort: 'created_at', dir: 'desc', thenBy: [{ column: 'title', dir: 'asc' }] },
    ],
    [
      '?sort=title,-created_at',
      { sort: 'title', dir: 'asc', thenBy: [{ column: 'created_at', dir: 'desc' }] },
    ],
    [
      '?sort=title%2C%2Dcreated_at',
      { sort: 'title', dir: 'asc', thenBy: [{ column: 'created_at', dir: 'desc' }] },
    ],
    // A direction applies to the columns without a minus.
    [
      '?sort=title,created_at&dir=desc',
      { sort: 'title', dir: 'desc', thenBy: [{ column: 'created_at', dir: 'desc' }] },
    ],
    [
      '?sort=-title,created_at&dir=desc',
      { sort: 'title', dir: 'desc', thenBy: [{ column: 'created_at', dir: 'desc' }] },
    ],
    // Unknown and repeated columns are ignored.
    ['?sort=body,-title', { sort: 'title', dir: 'desc' }],
    ['?sort=title,-title,title', { sort: 'title', dir: 'asc' }],
    ['?sort=,title,', { sort: 'title', dir: 'asc' }],
    [
      '?sort=title,body,created_at',
      { sort: 'title', dir: 'asc', thenBy: [{ column: 'created_at', dir: 'asc' }] },
    ],
    ['?sort=--title', {}],
    ['?sort=-', {}],
    ['?sort=,,', {}],
    ['?sort=+title', {}],
    ['?sort=title,created_at&sort=-created_at', { sort: 'created_at', dir: 'desc' }],
    [
      '?sort=title,created_at&sort=body,-',
      { sort: 'title', dir: 'asc', thenBy: [{ column: 'created_at', dir: 'asc' }] },
    ],
    // Unknown columns and directions are ignored.
    ['?sort=body&dir=asc', {}],
    ['?sort=Title', {}],
    ['?sort=title%20desc', {}],
    ['?sort[]=title', {}],
    ['?sort[a]=title', {}],
    ['?sort=__proto__', {}],
    ['?sort=constructor', {}],
    ['?sort=title%00', {}],
    ['?sort=%zz', {}],
    ['?sort', {}],
    ['?dir=asc', {}],
    ['?sort=title&dir=DESC', { sort: 'title', dir: 'asc' }],
    ['?sort=title&dir=-1', { sort: 'title', dir: 'asc' }],
    // The last valid value is used.
    ['?sort=title&sort=created_at', { sort: 'created_at', dir: 'asc' }],
    ['?sort=title&sort=nothing', { sort: 'title', dir: 'asc' }],
    ['?sort=title&dir=desc&dir=up', { sort: 'title', dir: 'desc' }],
    ['?q=hops&q=', { q: 'hops' }],
    ['?q=hops&q=%00', { q: 'hops' }],
    ['?q=hops&q=beans', { q: 'beans' }],
    // White space is normalized to single spaces between words.
    ['?q=%20%20old%20%09%0Aroses%C2%A0', { q: 'old roses' }],
    ['?q=%20', {}],
    ['?q=a+b%2Bc', { q: 'a b+c' }],
    ['?q=100%', { q: '100%' }],
    ['?q=%E9', { q: '\ufffd' }],
    ['?q=\ud800', { q: '\ufffd' }],
    ['?q=a&q[]=b', { q: 'a' }],
    ['?published=true', { filters: { published: true } }],
    ['?published=false&published=perhaps', { filters: { published: false } }],
    ['?published=', {}],
    ['?published=true&author_id=7', { filters: { published: true, author_id: 7 } }],
    ['?author_id=', {}],
    ['?author_id=-1', {}],
    ['?author_id=1.5', {}],
    ['?author_id=99999999999999999999', {}],
    ['?author_id=7%00', {}],
    ['?body=x&id=7&__proto__=x&constructor=y', {}],
    ['?#?sort=title', {}],
    ['?q=a?sort=title', { q: 'a?sort=title' }],
  ])('reads %j as %j', (query, expected) => {
    expect(read(query)).toEqual({ ...NOTHING, ...expected })
  })

  it('truncates a search after 200 characters and 10 words, without splitting a character', () => {
    expect(read(`?q=${'x'.repeat(10_000)}`).q).toBe('x'.repeat(200))
    expect(read(`?q=${'x'.repeat(199)}+y`).q).toBe('x'.repeat(199))
    expect(read(`?q=${'a+'.repeat(5_000)}`).q).toBe('a a a a a a a a a a')
    expect(read(`?q=${encodeURIComponent('\u{1f600}'.repeat(300))}`).q).toBe('\u{1f600}'.repeat(200))
  })

  it('reads the parameters of one of several lists', () => {
    const req = {
      originalUrl: '/?sort=title&q=all&notes_sort=created_at&notes_dir=desc&notes_q=x&notes_published=true',
    }
    expect(listQuery(req, Note, { prefix: 'notes' })).toEqual({
      sort: 'created_at',
      dir: 'desc',
      q: 'x',
      filters: { published: true },
    })
  })

  it('ignores searches and filters that the resource doesn’t declare', () => {
    const req = { originalUrl: '/users?q=bob&email=bob@example.test&sort=email&id=1' }
    expect(listQuery(req, User)).toEqual({ ...NOTHING, q: 'bob' })
    expect(listQuery(req, Tally)).toEqual(NOTHING)
  })

  it('returns a deeply frozen object', () => {
    const query = read('?published=true&sort=title,created_at')
    const parts = [query, query.filters, query.thenBy, query.thenBy?.[0]]
    expect(parts.map((part) => Object.isFrozen(part))).toEqual([true, true, true, true])
  })

  it('never throws, for any query', () => {
    const piece = fc.constantFrom(
      'sort',
      'dir',
      'q',
      'published',
      'author_id',
      '=',
      '&',
      ',',
      '-',
      '%',
      '%00',
      '[',
      ']',
      'title',
      '9',
    )
    const query = fc
      .array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 3 })))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(query, (text) => {
        const { sort, dir, q, filters } = read(`?${text}`)
        expect([null, 'title', 'created_at']).toContain(sort)
        expect(['asc', 'desc']).toContain(dir)
        expect(q).not.toContain('\0')
        expect(['published', 'author_id', 'title']).toEqual(expect.arrayContaining(Object.keys(filters)))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a query that listQuery did not return', () => {
  it('is rejected if it sorts or filters by an undeclared column', () => {
    for (const sort of [
      { sort: 'password_digest' },
      { sort: 'name', thenBy: [{ column: 'password_digest', dir: 'asc' }] },
    ])
      expect(() => orderOf(User, { ...NOTHING, ...sort } as never)).toThrow('can’t be sorted by')
    for (const filters of [{ email: 'x' }, { constructor: 'x' }])
      expect(() => matching(User, { ...NOTHING, filters } as never)).toThrow('can’t be filtered by')
  })
})
