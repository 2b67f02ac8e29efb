import { describe, expect, it } from 'vitest'
import { testApp } from './fixtures/test-app.ts'

const app = await testApp()
const typeFor = async (accept: string) =>
  (await app.guest.get('/nowhere', { headers: { accept } })).headers.get('content-type')?.split(';')[0]

describe('the type of an error', () => {
  it.each([
    '*/*',
    'text/html, application/json;q=0.9',
    'application/json;q=0.9, text/html',
    'application/json;q=0.1, */*;q=0.2',
    'application/problem+json;q=0.5, text/html;q=0.6',
    'application/json;q=0, */*',
    'text/html;q=0, application/json;q=0',
  ])('is HTML for %s', async (accept) => {
    expect(await typeFor(accept)).toBe('text/html')
  })

  it.each([
    'application/json',
    'application/json, text/plain, */*',
    'text/html;q=0.8, application/json;q=0.9',
    'text/html;q=0.2, application/*;q=0.3',
    'text/html;q=0, */*',
    'application/problem+json',
    'text/html;q=0.6, application/problem+json;q=0.7',
  ])('is JSON for %s', async (accept) => {
    expect(await typeFor(accept)).toBe('application/problem+json')
  })
})
