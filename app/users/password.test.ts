import { hash } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { hashPassword, isOwnAddress, isWeakDigest, newPassword, verifyPassword } from './password.ts'

describe('newPassword', () => {
  it.each([
    'password123password123',
    'Password123Password123',
    'QWERTYUIOPASDFGHJKL',
    'ｐａｓｓｗｏｒｄ１２３ｐａｓｓｗｏｒｄ１２３',
    'basketballbasketball',
    '1111111111111111',
    'qwertyqwertyqwerty',
    '12345678901234567890',
    'poiuytrewq0987654321',
    'zyxwvutsrqponmlkj',
  ])('rejects %s, which is common', (password) => {
    expect(newPassword.safeParse(password).error?.issues.map(({ message }) => message)).toEqual([
      'This password is too common. Use another one.',
    ])
  })

  it.each([
    ['fourteen chars', 'Use 15 characters or more.'],
    // Two code points each, which NFC composes to one.
    ['e\u0301'.repeat(8), 'Use 15 characters or more.'],
    ['a b c '.repeat(43), 'Use 256 characters or fewer.'],
    ['x'.repeat(1_025), 'Use 256 characters or fewer.'],
    ['correct horse\0battery', 'Use no NUL characters.'],
  ])('rejects %j', (password, message) => {
    expect(newPassword.safeParse(password).error?.issues[0]?.message).toBe(message)
  })

  it.each([
    'correct horse battery',
    '  spaces around it  ',
    'fünfzehn Zeichen',
    'только буквы без цифр',
    '🐴🔋📎🎲🎺🚲🌵🍉🧊🪁🐙🌶🧩🪐🎻',
    Array.from({ length: 256 }, (_, index) => String.fromCodePoint(0x1_f300 + index)).join(''),
  ])('accepts %s', (password) => {
    expect(newPassword.safeParse(password).success).toBe(true)
  })
})

describe('verifyPassword', () => {
  it('accepts the same characters in another normal form', async () => {
    const digest = await hashPassword('caf\u00e9 au lait, s\u2019il te pla\u00eet')
    expect(await verifyPassword(digest, 'cafe\u0301 au lait, s\u2019il te plai\u0302t')).toBe(true)
    expect(await verifyPassword(digest, "caf\u00e9 au lait, s'il te pla\u00eet")).toBe(false)
  })

  it('distinguishes characters that only NFKC equates', async () => {
    const digest = await hashPassword('a ﬁrst long password')
    expect(await verifyPassword(digest, 'a first long password')).toBe(false)
    expect(await verifyPassword(digest, 'a ﬁrst long password')).toBe(true)
  })

  it('accepts a digest of an earlier version, which is of the form NFKC', async () => {
    const digest = await hash('a ﬁrst long password'.normalize('NFKC'))
    expect(await verifyPassword(digest, 'a ﬁrst long password')).toBe(true)
  })

  it('compares all characters, spaces included', async () => {
    const digest = await hashPassword(' a long password with spaces ')
    expect(await verifyPassword(digest, ' a long password with spaces ')).toBe(true)
    expect(await verifyPassword(digest, 'a long password with spaces')).toBe(false)
  })

  it('returns false without a digest', async () => {
    expect(await verifyPassword(undefined, 'correct horse battery')).toBe(false)
  })
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
