import { describe, expect, it } from 'vitest'
import { DEMO_PASSWORD } from './demo-accounts.ts'
import { isOwnAddress, isWeakDigest, newPassword } from './password.ts'

describe('newPassword', () => {
  it.each([
    'password123',
    'Password123',
    'QWERTYUIOP',
    'ｐａｓｓｗｏｒｄ１２３',
    '1q2w3e4r5t',
    'basketball',
    '1111111111',
    'qwertyqwerty',
    '0987654321',
    'poiuytrewq',
  ])('rejects %s, which is common', (password) => {
    expect(newPassword.safeParse(password).error?.issues[0]?.message).toMatch(/too common/)
  })

  it.each(['nine char', 'x'.repeat(257), 'correct horse\0battery'])('rejects %j', (password) => {
    expect(newPassword.safeParse(password).success).toBe(false)
  })

  it.each([DEMO_PASSWORD, 'correct horse battery', 'zehn Zeichen!', '🐴🔋📎🎲🎺🚲🌵🍉🧊🪁'])(
    'accepts %s',
    (password) => {
      expect(newPassword.safeParse(password).success).toBe(true)
    },
  )
})

describe('isOwnAddress', () => {
  it.each([
    ['alice.miller@example.org', true],
    ['Alice.Miller@Example.org', true],
    ['ALICE.MILLER', true],
    ['alice.miller@example', false],
    ['alice.miller!', false],
  ])('returns for %s: %s', (password, expected) => {
    expect(isOwnAddress(password, 'alice.miller@example.org')).toBe(expected)
  })
})

describe('isWeakDigest', () => {
  it.each([
    ['$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA', false],
    ['$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA', false],
    ['$argon2id$v=19$m=19455,t=2,p=1$c2FsdA$aGFzaA', true],
    ['$argon2id$v=19$m=19456,t=1,p=1$c2FsdA$aGFzaA', true],
    ['$argon2id$v=16$m=19456,t=2,p=1$c2FsdA$aGFzaA', true],
    ['$argon2i$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA', true],
    ['$2b$12$abcdefghijklmnopqrstuv', true],
  ])('returns for %s: %s', (digest, expected) => {
    expect(isWeakDigest(digest)).toBe(expected)
  })
})
