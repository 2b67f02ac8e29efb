import { describe, expect, it } from 'vitest'
import { repeatedStatements, type StatementStep } from './request-record.ts'

const sent = (text: string, caller: string | null = 'app/a.ts:1'): StatementStep => ({
  at: 0,
  ms: 1,
  text,
  caller,
})

describe('repeatedStatements', () => {
  it('returns a statement that was sent more than twice, with its lines', () => {
    const statements = [
      sent('select 1'),
      sent('select 1', 'app/b.ts:2'),
      sent('select 1', null),
      sent('select 2'),
    ]
    expect(repeatedStatements({ statements })).toEqual([
      { text: 'select 1', times: 3, callers: ['app/a.ts:1', 'app/b.ts:2'] },
    ])
  })

  it('ignores a statement that was sent twice', () => {
    expect(repeatedStatements({ statements: [sent('select 1'), sent('select 1')] })).toEqual([])
  })

  it('ignores writes of the framework, and not those of the application', () => {
    const writes = (caller: string | null) => [1, 2, 3].map(() => sent('insert into "a"', caller))
    expect(repeatedStatements({ statements: writes(null) })).toEqual([])
    expect(repeatedStatements({ statements: writes('app/a.ts:1') })).toHaveLength(1)
  })

  it.each([
    'begin',
    'BEGIN; set local x = 1',
    'commit',
    'rollback',
    'savepoint "a"',
    'release savepoint "a"',
  ])('ignores %s', (text) => {
    expect(repeatedStatements({ statements: [sent(text), sent(text), sent(text)] })).toEqual([])
  })
})
