import { hash } from '@node-rs/argon2'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { lockWait, TestClient } from 'pergola/testing'
import { testApp } from '#app/test/test-app.ts'
import { DEMO_PASSWORD } from './demo-accounts.ts'
import { hashPassword } from './password.ts'
import { rehash } from './rehash.ts'
import { makeUser } from './user.factory.ts'
import { users } from './user.repository.ts'

const app = await testApp()
const ARGON2I = 1
const WEAK = { algorithm: ARGON2I, memoryCost: 1_024, timeCost: 1, parallelism: 1 }
const STRONG = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/

async function userWithWeakDigest() {
  const password_digest = await hash(DEMO_PASSWORD, WEAK)
  const user = await app.within(() => makeUser())
  await app.within(() => users.asSystem('test').update(user.id, { password_digest }))
  return { ...user, password_digest }
}

const digestOf = async ({ id }: { id: number }) => {
  const { password_digest } = await app.db
    .selectFrom('users')
    .select('password_digest')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return password_digest
}
const signIn = (email: string, password = DEMO_PASSWORD) =>
  new TestClient(app.url).post('/login', { form: { email, password } })

describe('a sign-in', () => {
  it('rehashes a weaker digest, and the password remains valid', async () => {
    const user = await userWithWeakDigest()
    expect((await signIn(user.email)).status).toBe(303)
    expect(await digestOf(user)).toMatch(STRONG)
    expect((await signIn(user.email)).status).toBe(303)
  })

  it('keeps a weaker digest after a wrong password, and a digest at the cost of today', async () => {
    const user = await userWithWeakDigest()
    expect((await signIn(user.email, 'wrong')).status).toBe(422)
    expect(await digestOf(user)).toBe(user.password_digest)
    await signIn(user.email)
    const rehashed = await digestOf(user)
    await signIn(user.email)
    expect(await digestOf(user)).toBe(rehashed)
  })

  it('succeeds if the digest can’t be replaced', async () => {
    const user = await userWithWeakDigest()
    await sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused'; end $$`.execute(app.db)
    await sql`create trigger refuse before update of password_digest on users
      for each row execute function refuse()`.execute(app.db)
    const { status } = await signIn(user.email)
    await sql`drop trigger refuse on users`.execute(app.db)
    expect([status, await digestOf(user)]).toEqual([303, user.password_digest])
  })

  it('succeeds if a concurrent one replaced the digest after the password was verified', async () => {
    const user = await userWithWeakDigest()
    const password_digest = await hashPassword(DEMO_PASSWORD)
    const { answer } = await app.db.transaction().execute(async (transaction) => {
      await transaction.updateTable('users').set({ password_digest }).where('id', '=', user.id).execute()
      const answer = signIn(user.email)
      await lockWait(app.db)
      return { answer }
    })
    expect((await answer).status).toBe(303)
    expect(await digestOf(user)).toBe(password_digest)
  })
})

describe('rehash', () => {
  it('doesn’t overwrite a password that was changed since it was verified', async () => {
    const user = await userWithWeakDigest()
    const changed = await hash('another password', WEAK)
    await app.within(() => users.asSystem('test').update(user.id, { password_digest: changed }))
    await app.within(() => rehash(user, DEMO_PASSWORD))
    expect(await digestOf(user)).toBe(changed)
  })
})
