import { describe, expect, it } from 'vitest'
import { migrationName } from './migration-name.ts'

describe('migrationName', () => {
  const now = new Date('2026-11-21T10:11:12Z')
  it.each([
    [[], '20261121101112'],
    [['20260101000000_a', 'README.md'], '20261121101112'],
    [['20261121101112_a'], '20261121101113'],
    [['20271231235959_b', '20260101000000_a'], '20280101000000'],
    // A handwritten timestamp that is not a date.
    [['20269999999999_a'], '20270000000000'],
  ])('begins after %j with %s', (existing, digits) => {
    expect(migrationName('add_subtitle', existing, now)).toBe(`${digits}_add_subtitle`)
  })
})
