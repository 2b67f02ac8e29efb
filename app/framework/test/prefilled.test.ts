import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { field, formFor, type Handler, publicRoute, resource, routes } from 'pergola'
import { arrayField, prefilled } from 'pergola/features'
import { testApp } from './fixtures/test-app.ts'

declare module 'pergola' {
  interface Tables {
    leaflets: {
      id: number
      title: string
      pages: number
      starts_at: string
      days: readonly string[]
      done: boolean
      size: object | null
      secret: string
    }
  }
}

const Leaflet = resource('Leaflet', {
  table: 'leaflets',
  input: z.strictObject({
    title: field.string({ max: 10 }).default('Untitled'),
    pages: field.integer({ min: 1 }),
    starts_at: field.datetime(),
    days: arrayField.choices(['mon', 'tue']),
    done: field.boolean(),
    size: field.json().nullable(),
  }),
  columns: ['secret'],
})

const show: Handler = (req, res) => {
  const form = { ...formFor(Leaflet), omitted: 'omit' in req.query ? ['title'] : [] }
  res.json(prefilled(req, Leaflet, form).values)
}
const app = await testApp({ tables: [routes('/leaflets', { 'GET /new': [publicRoute(), show] })] })
const values = async (query: string) => (await app.guest.get(`/leaflets/new?${query}`)).json()

describe('prefilled', () => {
  it('returns the valid values of the query as the text of their form fields', async () => {
    expect(await values('title=Ferns&pages=7&starts_at=2026-01-02T03:04')).toEqual({
      title: 'Ferns',
      pages: 7,
      starts_at: expect.stringMatching(/^2026-01-02T03:04/),
    })
  })

  it('reads one value or several of a list', async () => {
    expect(await values('days=tue')).toMatchObject({ days: ['tue'] })
    expect(await values('days=tue&days=mon')).toMatchObject({ days: ['mon', 'tue'] })
    expect(await values('days=sun')).toEqual({ title: 'Untitled' })
  })

  it('reads a checkbox and JSON as a form sends them', async () => {
    expect(await values('done=on')).toMatchObject({ done: true })
    expect(await values('size=[7]')).toMatchObject({ size: '[\n  7\n]' })
    expect(await values('size=oops')).toEqual({ title: 'Untitled' })
  })

  it('keeps the default of a field whose value is missing or invalid', async () => {
    expect(await values('title=much+too+long&pages=0')).toEqual({ title: 'Untitled' })
    expect(await values('title[a]=1&title[b]=2&pages=1&pages=2')).toEqual({ title: 'Untitled' })
  })

  it('ignores other columns, inherited names, and fields that the form omits', async () => {
    expect(await values('secret=1&id=2&__proto__=3&toString=4')).toEqual({ title: 'Untitled' })
    expect(await values('omit&title=Ferns')).toEqual({ title: 'Untitled' })
  })
})
