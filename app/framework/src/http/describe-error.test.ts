import { describe, expect, it } from 'vitest'
import { describeError } from './describe-error.ts'

describe('describeError', () => {
  it('returns type, message and stack without the values that the driver adds', () => {
    const detail = 'Key (email)=(alice@example.test) already exists.'
    const error = Object.assign(new Error('duplicate key', { cause: new Error('below') }), {
      code: '23505',
      detail,
    })
    expect(describeError(error)).toMatchObject({
      message: 'duplicate key',
      code: '23505',
      cause: { message: 'below' },
    })
    expect(JSON.stringify(describeError(error))).not.toContain('alice')
  })

  it.each(['text with a password', undefined, { secret: 1 }])(
    'does not repeat a thrown value that is not an Error: %o',
    (thrown) => {
      expect(describeError(thrown)).toEqual({
        type: typeof thrown,
        message: 'the thrown value is not an Error',
      })
    },
  )

  it('omits a message that contains a value', () => {
    const message = 'invalid input syntax for type integer: "canary"'
    const described = describeError(Object.assign(new Error(message), { code: '22P02' }))
    expect(JSON.stringify(described)).not.toContain('canary')
    expect(described).toMatchObject({
      code: '22P02',
      stack: expect.stringContaining('describe-error.test') as string,
    })
  })
})
