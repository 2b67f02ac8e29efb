import { expect, it } from 'vitest'
import { z } from 'zod'
import { Invalid } from '../http/errors.ts'
import { resource } from '../resource/declare-resource.ts'
import { rethrowViolation } from './constraint-violations.ts'

declare module 'pergola' {
  interface Tables {
    pages: { id: number; slug: string; title: string }
  }
}

const input = z.strictObject({ slug: z.string(), title: z.string() })
const Page = resource('Page', {
  table: 'pages',
  input,
  checks: { pages_short: { field: 'title', message: 'Use a shorter title.' } },
})

const violation = (table: string, detail: string) =>
  Object.assign(new Error('duplicate key'), { code: '23505', table, detail })

const rethrown = (error: unknown): unknown => {
  try {
    return rethrowViolation(Page)(error)
  } catch (thrown) {
    return thrown
  }
}

it('a unique violation of the table becomes an error of the fields in the key', () => {
  const error = rethrown(violation('pages', 'Key (author_id, slug)=(7, hops) already exists.'))
  expect(error).toBeInstanceOf(Invalid)
  expect(error).toMatchObject({ errors: [{ field: 'slug' }] })
})

const refusal = (constraint: string, table = 'pages') =>
  Object.assign(new Error('check'), { code: '23514', table, constraint })

it('a violated check becomes the error that the resource declares, with the row of a statement for several', () => {
  const inRow = Object.assign(refusal('pages_short'), { failedRow: 'row 3' })
  const messages = [refusal('pages_short'), inRow].map((error) => (rethrown(error) as Invalid).errors)
  expect(messages).toEqual([
    [{ field: 'title', messages: ['Use a shorter title.'] }],
    [{ field: 'title', messages: ['Use a shorter title (row 3).'] }],
  ])
})

it.each([
  ['of another check', refusal('pages_long')],
  ['of a check of another table', refusal('pages_short', 'drafts')],
  ['of another table, which a hook wrote', violation('drafts', 'Key (slug)=(hops) already exists.')],
  ['of columns that clients don’t write', violation('pages', 'Key (author_id)=(7) already exists.')],
  ['of another kind', Object.assign(violation('pages', 'Key (slug)=(hops) …'), { code: '23503' })],
])('an error %s is thrown unchanged', (_what, error) => {
  expect(rethrown(error)).toBe(error)
})
