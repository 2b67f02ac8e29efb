import { join } from 'node:path'
import { unsafeMarkup } from 'pergola/testing'
import { expect, it } from 'vitest'

it('views contain no unsafe markup', () => {
  expect(unsafeMarkup(join(import.meta.dirname, '../../views'))).toEqual([])
})
