import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { withDatabase } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { DEMO_ACCOUNTS } from '#app/users/demo-accounts.ts'
import { demoUserIds } from '#app/users/user.seed.ts'
import { seed } from './seed.ts'

const { db } = await testDatabase()
const emails = async () => (await db.selectFrom('users').select('email').orderBy('id').execute()).map(emailOf)
const emailOf = ({ email }: { email: string }) => email

describe('seed', () => {
  it('fills an empty database once, even if two processes run it concurrently', async () => {
    const filled = await Promise.all([seed(db), seed(db)])
    expect(filled.filter((tables) => tables.includes('users'))).toHaveLength(1)
    expect(await emails()).toEqual(DEMO_ACCOUNTS.map(emailOf))
    expect(await seed(db)).toEqual([])
  })

  it('inserts nothing if real users exist', async () => {
    await sql`update users set email = 'former-' || email`.execute(db)
    expect(await seed(db)).toEqual([])
    expect(await emails()).toEqual(DEMO_ACCOUNTS.map((account) => `former-${account.email}`))
    expect(await withDatabase(db, () => demoUserIds())).toEqual([])
  })
})
