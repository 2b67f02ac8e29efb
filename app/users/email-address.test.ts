import { describe, expect, it } from 'vitest'
import { emailAddress } from './email-address.ts'

const firstMessage = (address: string) => emailAddress.safeParse(address).error?.issues[0]?.message
const mailbox = (length: number) => 'a'.repeat(length)

describe('emailAddress', () => {
  it('returns the address in lower case, without spaces around it', () => {
    expect(emailAddress.parse(' Ann.Lee@Example.ORG ')).toBe('ann.lee@example.org')
  })

  it('accepts 64 characters before the @, and 254 in all', () => {
    const label = mailbox(60)
    const longest = `${mailbox(64)}@${label}.${label}.${label}.abcdef`
    expect([longest.length, firstMessage(longest)]).toEqual([254, undefined])
    expect(firstMessage(`${longest}g`)).toBe('This email address is too long.')
  })

  it('rejects 65 characters before the @', () => {
    expect(firstMessage(`${mailbox(65)}@example.org`)).toBe(
      'The part before the @ is too long. Use 64 characters or fewer.',
    )
  })

  it.each(['ann', 'ann@', '@example.org', 'a b@example.org', 'ann@exämple.org', 'a@b@example.org'])(
    'rejects %s',
    (address) => {
      expect(firstMessage(address)).toBe('Enter a valid email address.')
    },
  )
})
