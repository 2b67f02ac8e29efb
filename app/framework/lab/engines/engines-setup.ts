import { afterAll } from 'vitest'
import { refused } from './refuse-postgres-words.ts'

// Processes that tests start, such as servers, refuse the statements too.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${import.meta.resolve('./refuse-postgres-words.ts')}`

afterAll(() => {
  if (refused.length > 0) throw new Error(`Statements that other engines refuse:\n${refused.join('\n')}`)
})
