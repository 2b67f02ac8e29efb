import { describe, expect, it } from 'vitest'
import { type DeclaredResource, withDatabase } from 'pergola'
import { seedEmptyTables } from 'pergola/database'
import { testDatabase } from 'pergola/testing'
import { makeNote, notes } from './fixtures/note.ts'
import { makeUser, users } from './fixtures/user.ts'

const { db } = await testDatabase()
const seeded: string[] = []
const declared = [
  {
    repository: notes,
    seed: async ([author_id = 0]: readonly number[]) => {
      seeded.push('notes')
      await makeNote({ author_id })
    },
  },
  {
    repository: users,
    seed: async () => {
      seeded.push('users')
      await makeUser()
    },
  },
]
const owner = await withDatabase(db, () => makeUser())
const seed = () => withDatabase(db, () => seedEmptyTables(declared, [owner.id]))

describe('seedEmptyTables', () => {
  it('runs the seeds of empty tables only, and returns the tables that it filled', async () => {
    expect([await seed(), await seed(), seeded]).toEqual([['notes'], [], ['notes']])
    const rows = await withDatabase(db, () => notes.asSystem('test').findAll())
    expect(rows).toMatchObject([{ author_id: owner.id }])
  })

  it('runs the seeds of parents first', async () => {
    seeded.length = 0
    await db.deleteFrom('notes').execute()
    await db.deleteFrom('users').execute()
    const ids = async () =>
      (await withDatabase(db, () => users.asSystem('test').findAll())).map(({ id }) => id)
    const later = declared.map((each) =>
      each.repository === notes ? { ...each, seed: async () => each.seed(await ids()) } : each,
    )
    expect(await withDatabase(db, () => seedEmptyTables(later, []))).toEqual(['users', 'notes'])
    expect(seeded).toEqual(['users', 'notes'])
  })

  it('runs a seed again that wrote nothing before the other tables were filled', async () => {
    await db.deleteFrom('notes').execute()
    await db.deleteFrom('users').execute()
    const inOrder: DeclaredResource[] = [
      {
        repository: { ...notes, resource: { ...notes.resource, references: {} } },
        seed: async () => {
          const [user] = await users.asSystem('test').findAll()
          if (user !== undefined) await makeNote({ author_id: user.id })
        },
      },
      ...declared.filter(({ repository }) => repository !== notes),
    ]
    expect(await withDatabase(db, () => seedEmptyTables(inOrder, []))).toEqual(['users', 'notes'])
  })

  it('doesn’t return a table whose seed writes nothing', async () => {
    await db.deleteFrom('notes').execute()
    const idle = [{ repository: notes, seed: () => Promise.resolve() }]
    expect(await withDatabase(db, () => seedEmptyTables(idle, [owner.id]))).toEqual([])
  })
})
