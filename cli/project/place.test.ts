import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { gitText } from './git.ts'
import { publicPlace, withoutCredentials } from './place.ts'

const temporary = mkdtempSync(join(tmpdir(), 'pergola-place-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))
const clone = join(temporary, 'clone')
gitText(['init', '--quiet', clone])
gitText(['remote', 'add', 'origin', 'https://me:token@example.com/x.git'], { cwd: clone })

describe('publicPlace', () => {
  it.each([
    ['https://me:token@example.com/x.git', 'https://example.com/x.git'],
    ['https://token@example.com/x.git', 'https://example.com/x.git'],
    ['https://me:p@ss@example.com/x.git', 'https://example.com/x.git'],
    ['https://example.com/@scope/x.git', 'https://example.com/@scope/x.git'],
    ['ssh://git:secret@example.com/x.git', 'ssh://git@example.com/x.git'],
    ['git@example.com:me/x.git', 'git@example.com:me/x.git'],
  ])('leaves the password out of %s', (place, expected) => expect(publicPlace(place)).toBe(expected))

  it.each(['/home/me/pergola', '../pergola', 'pergola', 'file:///home/me/pergola', 'C:\\pergola', 'C:/x'])(
    'is unknown of %s',
    (place) => expect(publicPlace(place)).toBeNull(),
  )

  it('returns the remote of a clone, but not that of a parent folder', () => {
    expect(publicPlace(clone)).toBe('https://example.com/x.git')
    const inner = join(clone, 'unpacked')
    mkdirSync(inner)
    expect(publicPlace(inner)).toBeNull()
    gitText(['remote', 'set-url', 'origin', '/srv/pergola.git'], { cwd: clone })
    expect(publicPlace(clone)).toBeNull()
  })
})

it('omits passwords from messages', () => {
  expect(withoutCredentials("unable to access 'http://me:token@[::1]/x.git/': failed")).toBe(
    "unable to access 'http://[::1]/x.git/': failed",
  )
})
