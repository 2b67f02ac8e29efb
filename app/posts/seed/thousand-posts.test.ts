import { describe, expect, it } from 'vitest'
import { thousandPosts } from './thousand-posts.ts'

describe('thousandPosts', () => {
  const seeded = thousandPosts(3)

  it('returns the same thousand posts every time, a third of them drafts', () => {
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

  it('returns presentable titles', () => {
    for (const { title } of seeded) expect(title).toMatch(/^[\p{L}\d ,'’-]{10,80}$/u)
  })
})
