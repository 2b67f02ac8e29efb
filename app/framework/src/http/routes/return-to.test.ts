import { describe, expect, it } from 'vitest'
import { localPath } from './return-to.ts'

describe('localPath', () => {
  it.each(['/', '/notes', '/notes/1?x=1#f', '/notes?q=50%25', '/notes?q=%zz', '/a//b'])(
    'keeps %s',
    (path) => {
      expect(localPath(path)).toBe(path)
    },
  )

  it.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https:evil.example',
    'https://evil.example',
    '/%09/evil.example',
    '/%5cevil.example',
    '/%2fevil.example',
    '/%252fevil.example',
    '/%25252fevil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://good@evil.example',
    '/ok\r\nX: y',
    '/ok%0d%0aX:%20y',
    '////evil.example',
    ' /notes',
    '',
    `/${'x'.repeat(5_000)}`,
    undefined,
    ['/notes'],
    7,
  ])('returns / instead of %o', (value) => {
    expect(localPath(value)).toBe('/')
  })
})
