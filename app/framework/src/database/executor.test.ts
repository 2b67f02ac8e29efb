import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { connect } from './connect.ts'
import { database, withDatabase } from './executor.ts'

const nowhere = connect({
  url: 'postgres://nobody@127.0.0.1:1/nothing',
  poolSize: 2,
  maxWaiting: 10,
  connectTimeout: 500,
  statementTimeout: 500,
  lockTimeout: 500,
  onConnectionError: () => {},
})

describe('a unit of work', () => {
  it('releases its connections if they could not be opened', async () => {
    await withDatabase(nowhere, async () => {
      for (let count = 0; count < 10; count++)
        await expect(sql`select 1`.execute(database())).rejects.toThrow('ECONNREFUSED')
    })
  })
})
