import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { type Makers, probe } from 'pergola/testing'
import { makeUser } from '#app/users/user.factory.ts'
import { testApp } from './test-app.ts'

const app = await testApp()

/** Creates records of the resources that have no seed. */
const makers: Makers = {
  User: () => makeUser(),
  '/account/sessions/:id': ({ id }) => {
    const values = { user_id: id, token_digest: randomBytes(8).toString('hex') }
    return app.db.insertInto('sessions').values(values).returning('id').executeTakeFirstOrThrow()
  },
}

it('every route about a record admits exactly the users whom its policy allows', async () => {
  expect(await probe(app, makers)).toEqual([])
  // The duration grows with the number of resources.
}, 120_000)
