import type { Request, Response } from 'express'
import { expect, it } from 'vitest'
import { securityHeaders } from 'pergola/app'

type Options = Parameters<typeof securityHeaders>[0]

/** Returns the directives of the Content-Security-Policy. */
function directivesFor(options: Options): string[] {
  const headers = new Map<string, string>()
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => {},
  }
  securityHeaders(options)({} as Request, response as unknown as Response, () => {})
  return headers.get('Content-Security-Policy')?.split(';') ?? []
}

it('adds origins to a directive, and to no other one', () => {
  const strict = directivesFor({ https: true })
  const images = directivesFor({ https: true, sources: { 'img-src': ['https://images.example.org'] } })
  expect(strict).toContain("img-src 'self' data:")
  expect(images).toContain("img-src 'self' data: https://images.example.org")
  expect(images.filter((directive) => !strict.includes(directive))).toHaveLength(1)
  expect(images).toHaveLength(strict.length)
})

it.each([
  "'unsafe-inline'",
  '*',
  'https:',
  "https://a.example 'unsafe-eval'",
  "https://a.example; script-src 'self'",
])('rejects a source that is not an origin: %s', (source) => {
  const sources = { 'script-src': [source] }
  expect(() => securityHeaders({ https: true, sources })).toThrow('is not an origin')
})
