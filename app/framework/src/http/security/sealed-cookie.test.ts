import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { productionApp } from '../../../test/fixtures/manifest.ts'
import { sealIn } from './sealed-cookie.ts'

const { app } = productionApp()
const sealOf = (cookie?: string) => sealIn({ app, headers: { cookie } } as unknown as Request, 'sid')

describe('sealIn', () => {
  it.each([
    ['__Host-sid=one', 'one'],
    ['theme=dark; __Host-sid=one', 'one'],
    ['theme=dark; __Host-sid=one; other=b', 'one'],
  ])('returns the cookie of %s', (header, seal) => expect(sealOf(header)).toBe(seal))

  it.each([
    undefined,
    'sid=one',
    'theme=__Host-sid=one',
    // A sibling domain may set a cookie with this value.
    'a=1 __Host-sid=one',
    'theme=dark; a=1 __Host-sid=one; b=2',
    '__Host-sid=one; __Host-sid=two',
    'my__Host-sid=one',
    '__Host-sid.0=one',
  ])('returns nothing for %s', (header) => expect(sealOf(header)).toBeNull())
})
