import { verify } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import {
  consistsOf,
  hashPassword,
  isWeakDigest,
  newPassword,
  randomDigest,
  verifyPassword,
} from './password.ts'

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
    'aaaaaaaaaaaaaaab',
    'ababababababababa',
    '111122223333444455556666',
    'passwordpassword1234567890',
    'abcdefghijklmnop2024',
    'dragon dragon dragon',
    'password pass-word',
    '1q2w3e4r5t6y7u8i',
    'zaq12wsxcde34rfv',
    'thisismypassword',
    'welcometomyworld',
    'letmeinletmein12',
    'mynameismichael',
    'michaeljordan23',
    'summer2024summer',
    'sunshine20242024',
    '2024-01-01-2024',
    'P4ssw0rd!P4ssw0rd',
    `${'a'.repeat(100)} correct horse`,
  ])('rejects %s, which is easy to guess', (password) => {
    expect(newPassword.safeParse(password).error?.issues.map(({ message }) => message)).toEqual([
      'This password is easy to guess. Use another one.',
    ])
  })

  it.each([
    ['fourteen chars', 'Use 15 characters or more.'],
    // Two code points each, which NFC composes to one.
    ['e\u0301'.repeat(8), 'Use 15 characters or more.'],
    ['a b c '.repeat(43), 'Use 256 characters or fewer.'],
    ['x'.repeat(1_025), 'Use 256 characters or fewer.'],
    ['correct horse\0battery', 'Use no NUL characters.'],
    // A search for repetitions would take minutes.
    [`${'a'.repeat(100_000)}b`, 'Use 256 characters or fewer.'],
  ])('rejects %j', (password, message) => {
    expect(newPassword.safeParse(password).error?.issues[0]?.message).toBe(message)
  })

  it.each([
    'correct horse battery',
    '  spaces around it  ',
    'fünfzehn Zeichen',
    'только буквы без цифр',
    'property of the first abbot',
    'никто не знает этого',
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

  it('compares all characters, spaces included', async () => {
    const digest = await hashPassword(' a long password with spaces ')
    expect(await verifyPassword(digest, ' a long password with spaces ')).toBe(true)
    expect(await verifyPassword(digest, 'a long password with spaces')).toBe(false)
  })

  it('returns false without a digest', async () => {
    expect(await verifyPassword(undefined, 'correct horse battery')).toBe(false)
  })
})

describe('randomDigest', () => {
  it('returns a digest that passwords are compared with, and that matches none', async () => {
    const digest = randomDigest()
    expect(await verify(digest, '')).toBe(false)
    expect(isWeakDigest(digest)).toBe(false)
    expect(randomDigest()).not.toBe(digest)
  })
})

describe('consistsOf', () => {
  const texts = ['Pergola', 'Ann Miller', 'ann.miller-1985@mail.example.org']

  it.each([
    'ann.miller-1985@mail.example.org',
    'Ann.Miller-1985@MAIL.example.org',
    'ANN.MILLER-1985',
    'annmillerannmiller',
    'Miller, Ann 2024!',
    'pergolapergola1',
    'Pergola Pergola Pergola',
    'pergola password123',
    'ann loves pergola',
  ])('is true for %s', (password) => {
    expect(consistsOf(password, texts)).toBe(true)
  })

  it.each(['ann and the red balloon', 'a pergola of green wood', 'correct horse battery'])(
    'is false for %s',
    (password) => {
      expect(consistsOf(password, texts)).toBe(false)
    },
  )
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
