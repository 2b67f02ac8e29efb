import { describe, expect, it } from 'vitest'
import { parsed } from './parsed-source.ts'

describe('parsed', () => {
  it('parses each source object once', () => {
    const source = { file: 'app/x.ts', text: 'const one = 1' }
    expect(parsed(source)).toBe(parsed(source))
  })

  it('returns the line of a syntax error', () => {
    expect(parsed({ file: 'app/x.ts', text: 'const one = 1\nconst = 2' })).toEqual({ errorLine: 2 })
  })
})
