import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { decodeForm, readForm } from './form.ts'

/** Returns the form as a handler receives it. */
const sent = (body: object, type: string | false = 'urlencoded') =>
  ({ is: () => type, body }) as unknown as Request

const schema = z.strictObject({
  title: z.string().trim().min(1),
  published: z.boolean().default(true),
  pages: z.number().int().optional(),
  subtitle: z.string().nullable(),
  email: z.string().toLowerCase().pipe(z.email()).optional(),
})

describe('decodeForm', () => {
  it('reads checkboxes, numbers and empty fields by the types of the schema', () => {
    expect(decodeForm(schema, { title: 'T', published: 'on', pages: '7', subtitle: '' })).toEqual({
      title: 'T',
      published: true,
      pages: 7,
      subtitle: null,
    })
  })

  it('reads an unchecked checkbox as false, even if its default is true', () => {
    expect(decodeForm(schema, { title: 'T' })).toEqual({ title: 'T', published: false })
  })

  it.each(['7x', '0x10', '1e3', ' 7', '', 'NaN'])(
    'returns %o unchanged, so that the schema rejects it',
    (pages) => {
      expect(decodeForm(schema, { title: 'T', pages })).toMatchObject({ pages })
    },
  )

  it('removes control fields and keeps unknown fields', () => {
    const sent = { title: 'T', _method: 'PUT', return_to: '/', admin: 'on' }
    expect(decodeForm(schema, sent)).toEqual({ title: 'T', published: false, admin: 'on' })
  })

  it('converts CRLF, which browsers send, to LF', () => {
    expect(decodeForm(schema, { title: 'one\r\ntwo' })).toMatchObject({ title: 'one\ntwo' })
  })

  it('returns a repeated checkbox or one with another value unchanged, so that the schema rejects it', () => {
    for (const published of [['on', 'on'], 'yes'])
      expect(decodeForm(schema, { published })).toEqual({ published })
  })

  it('reads a missing body as an empty form', () => {
    expect(decodeForm(schema, undefined)).toEqual({ published: false })
  })

  it('reads names of Object.prototype as ordinary fields', () => {
    const sent = JSON.parse('{"title":"T","__proto__":"x","constructor":"y"}') as object
    const decoded = decodeForm(schema, sent)
    expect(Object.keys(decoded).toSorted()).toEqual(['__proto__', 'constructor', 'published', 'title'])
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype)
  })
})

describe('readForm', () => {
  it('returns the input of a valid form', () => {
    const form = readForm(sent({ title: ' T ', subtitle: '' }), schema)
    expect(form).toMatchObject({ valid: true, input: { title: 'T', published: false, subtitle: null } })
  })

  it('returns the values and the error messages of an invalid form, including those of unknown fields', () => {
    const form = readForm(sent({ title: ' ', subtitle: '', admin: 'on' }), schema)
    expect(form).toMatchObject({
      valid: false,
      values: { title: ' ' },
      errors: { admin: ['Unknown field.'] },
    })
    expect(form).toHaveProperty('errors.title')
  })

  it('rejects a body that is not a form, instead of reading it as an empty form', () => {
    expect(() => readForm(sent({ title: 'T' }, false), schema)).toThrow('Send a form.')
  })

  it('rejects a field that was sent twice', () => {
    expect(readForm(sent({ title: ['a', 'b'], subtitle: '' }), schema)).toMatchObject({ valid: false })
  })
})
