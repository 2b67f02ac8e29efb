import { describe, expect, it } from 'vitest'
import { publicRoute } from '../../policy/access.ts'
import { pathTo } from './path-to.ts'
import type { Handler } from './route-types.ts'
import { routes } from './routes.ts'

const handler: Handler = (_req, res) => void res.end()
const route = [publicRoute(), handler] as const

const posts = routes('/posts', {
  'GET /': route,
  'GET /:id': route,
  'PUT /:id': route,
  'GET /:id/edit': route,
})
const comments = routes('/posts/:post/comments', { 'GET /': route, 'DELETE /:id': route })
const home = routes('', { 'GET /': route, 'POST /logout': route })

describe('pathTo', () => {
  it('returns the path of a route below its base', () => {
    expect(pathTo(posts, 'GET /')).toBe('/posts')
    expect(pathTo(posts, 'GET /:id/edit', { id: 7 })).toBe('/posts/7/edit')
    expect(pathTo(home, 'GET /')).toBe('/')
    expect(pathTo(home, 'POST /logout')).toBe('/logout')
  })

  it('takes the parameters from a record, and those of the base', () => {
    const post = { id: 12n, title: 'Hops' }
    expect(pathTo(posts, 'PUT /:id', post)).toBe('/posts/12')
    expect(pathTo(comments, 'GET /', { post: 3 })).toBe('/posts/3/comments')
    expect(pathTo(comments, 'DELETE /:id', { post: 3, id: 9 })).toBe('/posts/3/comments/9')
  })

  it('encodes the parameters', () => {
    expect(pathTo(posts, 'GET /:id', { id: '../users?a=b#c' })).toBe('/posts/..%2Fusers%3Fa%3Db%23c')
  })

  it('encodes the rest of a path as one parameter', () => {
    const files = routes('/files', { 'GET /*rest': route })
    const pathToFile = (record: object) =>
      (pathTo as (...args: unknown[]) => string)(files, 'GET /*rest', record)
    expect(pathToFile({ rest: 'a/b' })).toBe('/files/a%2Fb')
    expect(() => pathToFile({})).toThrow('as rest, got undefined')
  })

  it('takes no parameters from the prototype of objects', () => {
    const table = routes('/x', { 'GET /:toString': route })
    expect(() => pathTo(table, 'GET /:toString', {} as never)).toThrow('as toString, got function')
  })

  it.each([undefined, null, '', {}])('throws for the parameter %j', (id) => {
    expect(() => pathTo(posts, 'GET /:id', { id } as never)).toThrow(
      'The path /posts/:id needs a text or a number as id',
    )
  })

  it('is checked by TypeScript, and throws where a view is not', () => {
    // @ts-expect-error The table has no such route.
    expect(() => pathTo(posts, 'DELETE /:id', { id: 1 })).toThrow(
      "The routes of '/posts' have no 'DELETE /:id'. They have 'GET /', 'GET /:id', 'PUT /:id', 'GET /:id/edit'.",
    )
    // @ts-expect-error The parameter is missing.
    expect(() => pathTo(posts, 'GET /:id')).toThrow('as id, got undefined')
    // @ts-expect-error The parameter of the base is missing.
    expect(() => pathTo(comments, 'DELETE /:id', { id: 9 })).toThrow('as post, got undefined')
    // @ts-expect-error A parameter is a text or a number.
    expect(() => pathTo(posts, 'GET /:id', { id: true })).toThrow('as id, got true')
    // @ts-expect-error The route has no parameter.
    expect(pathTo(posts, 'GET /', { id: 1 })).toBe('/posts')
  })

  it('names its first argument if a view passes an unknown table', () => {
    const tables: Record<string, never> = {}
    expect(() => pathTo(tables['postRoutes'] as never, 'GET /' as never)).toThrow(
      "pathTo(…, 'GET /'): the first argument must be a route table.",
    )
  })
})
