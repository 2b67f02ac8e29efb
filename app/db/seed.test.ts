import { describe, expect, it } from 'vitest'
import { withDatabase } from '#framework'
import { posts } from '#app/posts/post.repository.ts'
import { testDatabase } from '#app/test/test-database.ts'
import { seedPosts } from './seed-posts.ts'
import { seed } from './seed.ts'

const { db } = await testDatabase()

describe('seedPosts', () => {
  const seeded = seedPosts(3)

  it('gives the same thousand posts every time, a third of them drafts', () => {
    expect(seedPosts(3)).toEqual(seeded)
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
  it('fills an empty database once, also when two do it at the same moment', async () => {
    expect((await Promise.all([seed(db), seed(db)])).toSorted((a, b) => Number(a) - Number(b))).toEqual([
      false,
      true,
    ])
    expect(await withDatabase(db, () => posts.asSystem('test').count())).toBe(1_000)
    expect(await seed(db)).toBe(false)
  })
})
