import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mail } from './mail.ts'

const parts = { data: z.object({ name: z.string() }), subject: () => 'Hello', example: { name: 'Alice' } }

describe('mail', () => {
  it('infers the type of the data', () => {
    const hello = mail('hello', {
      data: z.object({ name: z.string() }),
      subject: ({ name }) => name.toUpperCase(),
      example: { name: 'Alice' },
    })
    expect(hello.subject({ name: 'Bob' })).toBe('BOB')
    // @ts-expect-error -- the example doesn't fit the schema
    mail('hello', { ...parts, example: { name: 7 } })
  })

  it.each(['PasswordReset', 'password_reset', '', 'a--b', 'a/b'])('rejects the name %j', (name) => {
    expect(() => mail(name, parts)).toThrow('is not a valid mail name. Use lower-case letters')
  })
})
