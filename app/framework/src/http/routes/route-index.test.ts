import { describe, expect, it } from 'vitest'
import { RouteIndex } from './route-index.ts'

const PATHS = [
  'GET /',
  'GET /posts',
  'POST /posts',
  'GET /posts/:id',
  'PUT /posts/:id',
  'GET /posts/new',
  'GET /posts/:post/comments/:id',
  'GET /files/*rest',
  'HEAD /files/list',
]

function indexOf(keys: readonly string[]) {
  const index = new RouteIndex<string>()
  for (const key of keys) {
    const [method = '', path = ''] = key.split(' ')
    index.add({ method, path, handle: key })
  }
  return index
}

const index = indexOf(PATHS)

describe('RouteIndex', () => {
  it.each([
    ['GET', '/', 'GET /', {}],
    ['GET', '/posts', 'GET /posts', {}],
    ['GET', '/posts/', 'GET /posts', {}],
    ['HEAD', '/posts', 'GET /posts', {}],
    ['HEAD', '/files/list', 'HEAD /files/list', {}],
    ['GET', '/posts/7', 'GET /posts/:id', { id: '7' }],
    ['GET', '/posts/7/', 'GET /posts/:id', { id: '7' }],
    ['GET', '/posts/a%20b%2Fc', 'GET /posts/:id', { id: 'a b/c' }],
    ['GET', '/posts/new', 'GET /posts/new', {}],
    ['PUT', '/posts/new', 'PUT /posts/:id', { id: 'new' }],
    ['GET', '/posts/7/comments/8', 'GET /posts/:post/comments/:id', { post: '7', id: '8' }],
    ['GET', '/posts/new/comments/8', 'GET /posts/:post/comments/:id', { post: 'new', id: '8' }],
    ['GET', '/posts/__proto__', 'GET /posts/:id', { id: '__proto__' }],
    ['GET', '/files/a/b%20c', 'GET /files/*rest', { rest: ['a', 'b c'] }],
    ['GET', '/files/list', 'GET /files/*rest', { rest: ['list'] }],
  ])('finds %s %s', (method, path, handle, params) => {
    expect(index.find(method, path)).toEqual({ route: expect.objectContaining({ handle }), params })
  })

  it.each(['/nothing', '/Posts', '/posts//', '/posts/7/8', '/posts/7/comments/', '/files', '//posts', ''])(
    'finds nothing for GET %s',
    (path) => expect(index.find('GET', path)?.route ?? null).toBe(path === '' ? index.routes[0] : null),
  )

  it.each([
    ['DELETE', '/posts', ['GET', 'POST']],
    ['DELETE', '/posts/7', ['GET', 'PUT']],
    ['DELETE', '/posts/new', ['GET']],
    ['constructor', '/posts', ['GET', 'POST']],
  ])('returns the other methods for %s %s', (method, path, methods) => {
    expect(index.find(method, path)).toEqual({ route: null, methods })
  })

  it('throws a 400 for a malformed parameter', () => {
    expect(() => index.find('GET', '/posts/%E0%A4%A')).toThrow(expect.objectContaining({ status: 400 }))
  })

  it.each(['/posts{/:id}', '/files/*', '/posts/:id.json', '/a*b', '/posts/(\\d+)', '/*rest/edit'])(
    'refuses the pattern %s',
    (path) => expect(() => indexOf([`GET ${path}`])).toThrow(`GET ${path} has a pattern`),
  )

  it('refuses a route that it has, and one that differs only in the names of its parameters', () => {
    expect(() => indexOf(['GET /posts/:id', 'GET /posts/:post'])).toThrow('GET /posts/:post is mounted twice')
  })

  it('keeps the routes in their order', () => {
    expect(index.routes.map(({ handle }) => handle)).toEqual(PATHS)
  })
})
