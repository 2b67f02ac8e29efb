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
  it('reads boxes, numbers and empty fields as their schema means them', () => {
    expect(decodeForm(schema, { title: 'T', published: 'on', pages: '7', subtitle: '' })).toEqual({
      title: 'T',
      published: true,
      pages: 7,
      subtitle: null,
    })
  })

  it('reads an unchecked box as false, whatever its default', () => {
    expect(decodeForm(schema, { title: 'T' })).toEqual({ title: 'T', published: false })
  })

  it.each(['7x', '0x10', '1e3', ' 7', '', 'NaN'])('leaves %o for the schema to refuse', (pages) => {
    expect(decodeForm(schema, { title: 'T', pages })).toMatchObject({ pages })
  })

  it('takes control fields out and leaves strangers in', () => {
    const sent = { title: 'T', _method: 'PUT', return_to: '/', admin: 'on' }
    expect(decodeForm(schema, sent)).toEqual({ title: 'T', published: false, admin: 'on' })
  })

  it('reads an unchanged text as stored, although browsers send CRLF', () => {
    expect(decodeForm(schema, { title: 'one\r\ntwo' })).toMatchObject({ title: 'one\ntwo' })
  })

  it('leaves a box that was sent twice, or with another value, for the schema to refuse', () => {
    for (const published of [['on', 'on'], 'yes'])
      expect(decodeForm(schema, { published })).toEqual({ published })
  })

  it('reads no body as an empty form', () => {
    expect(decodeForm(schema, undefined)).toEqual({ published: false })
  })

  it('reads names that every object has as plain fields', () => {
    const sent = JSON.parse('{"title":"T","__proto__":"x","constructor":"y"}') as object
    const decoded = decodeForm(schema, sent)
    expect(Object.keys(decoded).toSorted()).toEqual(['__proto__', 'constructor', 'published', 'title'])
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype)
  })
})

describe('readForm', () => {
  it('gives the input of a valid form', () => {
    const form = readForm(sent({ title: ' T ', subtitle: '' }), schema)
    expect(form).toMatchObject({ valid: true, input: { title: 'T', published: false, subtitle: null } })
  })

  it('gives the values and the sentences of one that is not, unknown fields by their own name', () => {
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

  it('refuses a field that was sent twice', () => {
    expect(readForm(sent({ title: ['a', 'b'], subtitle: '' }), schema)).toMatchObject({ valid: false })
  })
})
