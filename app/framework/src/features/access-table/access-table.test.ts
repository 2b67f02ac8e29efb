import { type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { database, resource, withDatabase } from 'pergola'
import { accessTable } from 'pergola/database'
import { testDatabase } from 'pergola/testing'
import '../../../test/fixtures/user.ts'

declare module 'pergola' {
  interface Tables {
    choir_members: { id: Generated<number>; choir_id: number; user_id: number }
  }
}

const choirMembers = accessTable('choir_members')
const { db } = await testDatabase()
const member = { choir_id: 1, user_id: 7 }

beforeAll(async () => {
  await sql`create table choir_members (id bigint generated always as identity, choir_id bigint, user_id bigint)`.execute(
    db,
  )
})

describe('accessTable', () => {
  it('lets other code read the table, but not write it', () =>
    withDatabase(db, async () => {
      const writes = [
        database().insertInto('choir_members').values(member),
        database().updateTable('choir_members').set(member),
        database().deleteFrom('choir_members'),
        database()
          .with('added', (it) => it.insertInto('choir_members').values(member).returningAll())
          .selectFrom('added')
          .selectAll(),
      ]
      for (const write of writes)
        await expect(async () => write.execute()).rejects.toThrow(
          "choir_members decides about access. Write it with its accessTable's asSystem('why').",
        )
      expect(await database().selectFrom('choir_members').selectAll().execute()).toEqual([])
    }))

  it('writes the table as the system, and no table of a resource', () =>
    withDatabase(db, async () => {
      const system = choirMembers.asSystem('test')
      await system.insertInto('choir_members').values(member).execute()
      expect(await system.deleteFrom('choir_members').returningAll().execute()).toMatchObject([member])
      await expect(async () => system.deleteFrom('users').execute()).rejects.toThrow(
        'users belongs to a resource',
      )
      await expect(async () => sql`delete from choir_members`.execute(system)).rejects.toThrow(
        'A raw statement',
      )
    }))

  it('needs a reason', () => {
    expect(() => choirMembers.asSystem(' ')).toThrow(
      "choir_members: asSystem needs a reason, such as asSystem('add-member').",
    )
  })

  it('belongs to one declaration, and to no resource', () => {
    expect(() => accessTable('choir_members')).toThrow('choir_members already belongs to an access table.')
    expect(() => accessTable('users')).toThrow('users already belongs to a resource.')
    const input = z.strictObject({})
    expect(() =>
      resource('ChoirMember', { table: 'choir_members', input, columns: ['choir_id', 'user_id'] }),
    ).toThrow('ChoirMember: choir_members is an access table. Remove its accessTable.')
  })
})
