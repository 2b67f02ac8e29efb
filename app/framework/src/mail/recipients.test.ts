import { describe, expect, it } from 'vitest'
import { checkedRecipients, checkedSubject, mailboxOf } from './recipients.ts'

describe('checkedRecipients', () => {
  it('returns one address, an address with a name, or several', () => {
    expect(checkedRecipients('a@example.org')).toEqual([{ name: '', address: 'a@example.org' }])
    expect(checkedRecipients({ name: 'Ärger, "A"', address: 'a@example.org' })).toEqual([
      { name: 'Ärger, "A"', address: 'a@example.org' },
    ])
    expect(checkedRecipients(['a@example.org', 'b@example.org'])).toHaveLength(2)
  })

  it.each([
    'a@example.org\r\nBcc: b@example.org',
    'a@example.org\n',
    'a@example.org,b@example.org',
    'a@example.org b@example.org',
    'Alice <a@example.org>',
    '<a@example.org>',
    'a@b@example.org',
    'a@example.org\0',
    'a@exämple.org',
    `${'a'.repeat(250)}@example.org`,
    `${'a'.repeat(65)}@example.org`,
    '@example.org',
    'a',
    '',
  ])('rejects %j, which the error does not repeat', (address) => {
    expect(() => checkedRecipients(address)).toThrow(
      'A recipient is not an email address. Pass a single address without a name, like alice@example.org.',
    )
  })

  it.each(['A\r\nBcc: b@example.org', 'A\nB', 'A\u2028B', 'A\0B', 'A\u0085B'])(
    'rejects the name %j',
    (name) => {
      expect(() => checkedRecipients({ name, address: 'a@example.org' })).toThrow(
        'The name of a recipient contains a line break or another control character. Replace it by a space.',
      )
    },
  )

  it('rejects an empty list, a long list and a long name', () => {
    const all = (count: number) => Array.from({ length: count }, (_, n) => `user${n}@example.org`)
    expect(() => checkedRecipients([])).toThrow('The mail has no recipient. Pass at least one')
    expect(checkedRecipients(all(50))).toHaveLength(50)
    expect(() => checkedRecipients(all(51))).toThrow('The mail has 51 recipients. Pass up to 50 at a time')
    expect(() => checkedRecipients({ name: 'a'.repeat(101), address: 'a@example.org' })).toThrow(
      'Shorten it to 100.',
    )
  })
})

describe('checkedSubject', () => {
  it('returns one line of text', () => {
    expect(checkedSubject('Set a new password', 'reset')).toBe('Set a new password')
    expect(checkedSubject('Ärger 🎉', 'reset')).toBe('Ärger 🎉')
  })

  it.each([
    ['Hi\r\nBcc: b@example.org', 'The subject of reset contains a line break'],
    ['Hi\nyou', 'The subject of reset contains a line break'],
    [' ', 'The subject of reset is empty.'],
    [undefined as unknown as string, 'The subject of reset is empty.'],
    ['a'.repeat(201), 'The subject of reset has 201 characters. Shorten it to 200.'],
  ])('rejects %j', (subject, message) => {
    expect(() => checkedSubject(subject, 'reset')).toThrow(message)
  })
})

describe('mailboxOf', () => {
  it.each([
    ['Pergola <no-reply@example.org>', { name: 'Pergola', address: 'no-reply@example.org' }],
    ['"Pergola, Inc." <no-reply@example.org>', { name: 'Pergola, Inc.', address: 'no-reply@example.org' }],
    ['no-reply@example.org', { name: '', address: 'no-reply@example.org' }],
    ['no-reply@localhost', { name: '', address: 'no-reply@localhost' }],
  ])('reads %s', (text, mailbox) => {
    expect(mailboxOf(text)).toEqual(mailbox)
  })

  it.each([
    'Pergola',
    'Pergola <>',
    'a@example.org, b@example.org',
    'A\n<a@example.org>',
    'A <a@example.org> B',
    'Pergola <no-reply@exämple.org>',
    'x@my_host.org',
  ])('returns null for %j', (text) => {
    expect(mailboxOf(text)).toBeNull()
  })
})
