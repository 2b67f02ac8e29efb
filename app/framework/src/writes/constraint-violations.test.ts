import { expect, it } from 'vitest'
import { z } from 'zod'
import { Invalid } from '../http/errors.ts'
import { resource } from '../resource/declare-resource.ts'
import { rethrowTakenValue } from './constraint-violations.ts'

declare module 'pergola' {
  interface Tables {
    pages: { id: number; slug: string; title: string }
  }
}

const input = z.strictObject({ slug: z.string(), title: z.string() })
const Page = resource('Page', { table: 'pages', input })

const violation = (table: string, detail: string) =>
  Object.assign(new Error('duplicate key'), { code: '23505', table, detail })

const rethrown = (error: unknown): unknown => {
  try {
    return rethrowTakenValue(Page)(error)
  } catch (thrown) {
    return thrown
  }
}

it('a unique violation of the table becomes an error of the fields in the key', () => {
  const error = rethrown(violation('pages', 'Key (author_id, slug)=(7, hops) already exists.'))
  expect(error).toBeInstanceOf(Invalid)
  expect(error).toMatchObject({ errors: [{ field: 'slug' }] })
})

it.each([
  ['of another table, which a hook wrote', violation('drafts', 'Key (slug)=(hops) already exists.')],
  ['of columns that clients don’t write', violation('pages', 'Key (author_id)=(7) already exists.')],
  ['of another kind', Object.assign(violation('pages', 'Key (slug)=(hops) …'), { code: '23503' })],
])('an error %s is thrown unchanged', (_what, error) => {
  expect(rethrown(error)).toBe(error)
})
