import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { encodeCursor, encodeSigned } from './cursor.ts'
import { requestsCursorPage, CursorRequest, cursorRequest } from './cursor-request.ts'

const read = (query: string) => {
  const { cursor, size } = cursorRequest({ originalUrl: `/feed${query}` })
  return [cursor, size]
}

describe('cursorRequest', () => {
  it.each([
    ['', null, 20],
    ['?cursor=', null, 20],
    ['?cursor=abc', 'abc', 20],
    ['?cursor=abc&size=5', 'abc', 5],
    ['?cursor=a&cursor=b', 'a,b', 20],
    ['?cursor=a&cursor=', 'a,', 20],
    ['?cursor=&cursor=', ',', 20],
    ['?c%75rsor=abc&size=500', 'abc', 100],
    ['?size=x&cursors=a&cursor[]=a', null, 20],
    ['?cursor=%E0%A4%A', '\ufffd%A', 20],
  ])('reads %j as cursor %j of size %d', (query, cursor, size) => {
    expect(read(query)).toEqual([cursor, size])
  })

  it('reads the parameters with the prefix of a list', () => {
    const req = { originalUrl: '/notes/7?cursor=a&size=5&comments_cursor=b&comments_size=3' }
    expect(cursorRequest(req, { prefix: 'comments' })).toEqual(new CursorRequest('b', 3))
    expect(cursorRequest(req, { prefix: 'tags' })).toEqual(new CursorRequest())
  })
})

describe('the size of a cursor request', () => {
  it.each([
    ['', 50],
    ['?cursor=abc&size=200', 200],
    ['?size=201', 200],
    ['?size=-1', 50],
  ])('in %j is within the page sizes of the list: %d', (query, size) => {
    const list = { pageSize: { default: 50, max: 200 } }
    expect(cursorRequest({ originalUrl: `/feed${query}` }, list).size).toBe(size)
  })
})

describe('a repeated cursor', () => {
  it('is never a valid token', () => {
    const token = encodeCursor(7)
    for (const query of [
      `?cursor=${token}&cursor=${token}`,
      `?cursor=${token}&cursor=`,
      `?cursor=&cursor=${token}`,
    ])
      expect(cursorRequest({ originalUrl: query }).decode(z.number())).toBeNull()
  })
})

describe('requestsCursorPage', () => {
  it.each([
    ['', false],
    ['?page=2', false],
    ['?cursor=', true],
    ['?cursor', true],
    ['?size=3&cursor=x', true],
  ])('returns for %j: %j', (query, expected) => {
    expect(requestsCursorPage({ originalUrl: `/api/notes${query}` })).toBe(expected)
  })
})

describe('CursorRequest', () => {
  const Key = z.number()
  const ring = ['a key of thirty-two characters or more']

  it('limits its size as PageRequest does', () => {
    expect([0, 1.5, 7, 1_000].map((size) => new CursorRequest(null, size).size)).toEqual([20, 20, 7, 100])
    expect(new CursorRequest()).toEqual(new CursorRequest('', 20))
  })

  it('returns the value of a token, and null for an invalid one', () => {
    expect(new CursorRequest(encodeCursor(7)).decode(Key)).toBe(7)
    expect(new CursorRequest(encodeCursor('7')).decode(Key)).toBeNull()
    expect(new CursorRequest().decode(Key)).toBeNull()
    expect(new CursorRequest(encodeSigned(7, ring)).decodeSigned(Key, ring)).toBe(7)
    expect(new CursorRequest(encodeCursor(7)).decodeSigned(Key, ring)).toBeNull()
    expect(new CursorRequest().decodeSigned(Key, ring)).toBeNull()
  })
})
