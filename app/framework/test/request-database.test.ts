import { describe, expect, it } from 'vitest'
import { inDatabase } from 'pergola/scale'
import { testDatabase } from 'pergola/testing'
import type { Request, Response } from 'express'
import { currentDatabaseContext } from '../src/database/executor.ts'

const { db } = await testDatabase()

describe('inDatabase', () => {
  it('refuses requests until the database was checked', () => {
    let isStarted = false
    const middleware = inDatabase(db, { isStarted: () => isStarted })
    const databases: unknown[] = []
    const send = () =>
      void middleware({} as Request, {} as Response, () => databases.push(currentDatabaseContext()?.unit.db))
    expect(send).toThrow(expect.objectContaining({ status: 503 }))
    expect(databases).toEqual([])
    isStarted = true
    send()
    expect(databases).toEqual([db])
  })
})
