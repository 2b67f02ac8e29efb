import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { type Makers, probe } from 'pergola/testing'
import { makeUser } from '#app/users/user.factory.ts'
import { testApp } from './test-app.ts'

const app = await testApp()

/** How to make the records that no seed makes. */
const makers: Makers = {
  User: () => makeUser(),
  '/account/sessions/:id': ({ id }) => {
    const values = { user_id: id, token_digest: randomBytes(8).toString('hex') }
    return app.db.insertInto('sessions').values(values).returning('id').executeTakeFirstOrThrow()
  },
}

it('every route about a record lets in the people whom its policy allows, and nobody else', async () => {
  expect(await probe(app, makers)).toEqual([])
  // It takes longer with every resource.
}, 120_000)
