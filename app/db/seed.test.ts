import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { withDatabase } from 'pergola'
import { posts } from '#app/posts/post.repository.ts'
import { testDatabase } from 'pergola/testing'
import { seed } from './seed.ts'
import { thousandPosts } from './thousand-posts.ts'

const { db } = await testDatabase()

describe('thousandPosts', () => {
  const seeded = thousandPosts(3)

  it('gives the same thousand posts every time, a third of them drafts', () => {
    expect(thousandPosts(3)).toEqual(seeded)
    expect(seeded).toHaveLength(1_000)
    expect(seeded.filter(({ published }) => !published)).toHaveLength(333)
  })

  it('spreads them over the authors and over two years, oldest first, with microseconds', () => {
    const times = seeded.map(({ created_at }) => created_at)
    expect(times).toEqual(times.toSorted())
    expect(new Set(times.map((time) => time.slice(0, 7))).size).toBeGreaterThanOrEqual(24)
    expect(times.filter((time) => !time.endsWith('000Z')).length).toBeGreaterThan(900)
    for (const author of [0, 1, 2])
      expect(seeded.filter((post) => post.author === author).length).toBeGreaterThan(250)
  })

  it('has titles that break a page which trusts them', () => {
    const titles = seeded.map(({ title }) => title)
    for (const hostile of ['<script>', '">', '&', '🌿', 'שלום', 'حديقة']) {
      expect(titles.some((title) => title.includes(hostile))).toBe(true)
    }
    expect(Math.max(...titles.map((title) => title.length))).toBe(200)
  })
})

describe('seed', () => {
  const count = () => withDatabase(db, () => posts.asSystem('test').count())

  it('fills an empty database once, also when two do it at the same moment', async () => {
    const filled = await Promise.all([seed(db), seed(db)])
    expect(filled.toSorted((a, b) => b.length - a.length)).toEqual([['users', 'posts'], []])
    expect(await count()).toBe(1_000)
    expect(await seed(db)).toEqual([])
  })

  it('fills a table that is empty where there are users, with records of the demo accounts', async () => {
    await db.deleteFrom('posts').execute()
    expect(await seed(db)).toEqual(['posts'])
    expect(await count()).toBe(75)
    const authors = await db
      .selectFrom('posts')
      .innerJoin('users', 'users.id', 'author_id')
      .select('name')
      .distinct()
      .execute()
    expect(authors.map(({ name }) => name).toSorted()).toEqual(['Admin', 'Alice', 'Bob'])
  })

  it('makes nobody’s records where the demo accounts are gone', async () => {
    await db.deleteFrom('posts').execute()
    await db
      .updateTable('users')
      .set({ email: sql`'former-' || email` })
      .execute()
    expect(await seed(db)).toEqual([])
    expect(await count()).toBe(0)
  })
})
