import { recordFigures, startPulse } from 'pergola/lab'
import { TestClient } from 'pergola/testing'
import { describe, expect, it } from 'vitest'
import { abuseBed } from './abuse-bed.ts'
import { DEMO_PASSWORD } from '../application.ts'

const { app, insider, server: behindProxy, startServer } = await abuseBed()
const server = await startServer({ SERVER__TRUST_PROXY: '0' })

const FOREIGN = [
  'https://evil.example',
  '//evil.example',
  '////evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https:evil.example',
  'https://127.0.0.1@evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '/%09/evil.example',
  '/%5cevil.example',
  '/%255cevil.example',
  '/ok\r\nX-Evil: 1',
  '/ok%0d%0aX-Evil: 1',
  'evil.example',
  '',
  `/${'a'.repeat(5_000)}`,
]

describe('the sign-in form', () => {
  it('redirects to no other site', async (test) => {
    const client = await app.signInAs(insider.email)
    const locations: string[] = []
    for (const address of FOREIGN) {
      const form = { email: insider.email, password: DEMO_PASSWORD, return_to: address }
      const query = `return_to=${encodeURIComponent(address)}`
      for (const { headers } of [
        await new TestClient(app.url).post('/login', { form }),
        await client.get(`/login?${query}`),
      ])
        locations.push(headers.get('location') ?? 'none')
    }
    const { headers } = await client.get(`/login?return_to=${encodeURIComponent('/account?x=1#f')}`)
    const others = locations.filter((location) => location !== '/')
    recordFigures(test, { requests: locations.length, failed: others.length })
    expect(others).toEqual([])
    expect(headers.get('location')).toBe('/account?x=1#f')
  })

  it('refuses the sixth wrong password for an account, whatever X-Forwarded-For says', async (test) => {
    const { email } = await app.within(() => app.makeUser())
    const statuses = await guesses(server.url, Array<string>(6).fill(email))
    recordFigures(test, { requests: statuses.length, failed: 0 })
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429])
    const form = { email, password: DEMO_PASSWORD }
    const right = await new TestClient(server.url).post('/login', { form })
    expect(right.status, 'the status of the right password, which would confirm a guess').toBe(429)
  })

  it('refuses the twenty-first wrong password from an address, for all accounts', async (test) => {
    const emails = Array.from({ length: 25 }, (_, index) => `nobody-${index}@example.test`)
    // A proxy appends the address of its client to the text that the client sent.
    const statuses = await guesses(behindProxy.url, emails, ', 203.0.113.7')
    recordFigures(test, { requests: statuses.length, failed: 0 })
    expect(statuses).toEqual([...Array<number>(20).fill(422), ...Array<number>(5).fill(429)])
  })

  it('answers other requests during a flood of passwords from many addresses', async (test) => {
    const pulse = startPulse(behindProxy.url)
    const before = behindProxy.megabytes()
    const attempts = Array.from({ length: 300 }, async (_, index) => {
      const headers = { 'X-Forwarded-For': `192.0.2.${index % 250}` }
      const form = { email: `flood-${index}@example.test`, password: 'a'.repeat(250) }
      return (await new TestClient(behindProxy.url).post('/login', { headers, form })).status
    })
    const statuses = await Promise.all(attempts)
    const silent = await pulse.stop()
    const others = statuses.filter((status) => status !== 422 && status !== 503)
    const megabytes = `${before} → ${behindProxy.megabytes()}`
    recordFigures(test, { requests: statuses.length, failed: others.length, megabytes })
    expect(others, 'other responses than 422 and 503').toEqual([])
    expect(silent, 'unanswered requests to /livez').toBe(0)
    expect(behindProxy.megabytes() - before, 'MB more than before').toBeLessThan(300)
  })
})

describe('the sign-up form', () => {
  it('leaves other pages their places during a flood from many addresses', async (test) => {
    const { url } = behindProxy
    const reader = await app.signInAs(insider.email)
    const pages: number[] = []
    const signUps = Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const headers = { 'X-Forwarded-For': `192.0.2.${index % 250}` }
        const form = { email: `sign-up-${index}@example.test` }
        return (await new TestClient(url).post('/signup', { headers, form })).status
      }),
    )
    const end = new AbortController()
    const over = signUps.finally(() => end.abort())
    const read = async () => {
      while (!end.signal.aborted) pages.push((await reader.get('/users')).status)
    }
    const [statuses] = await Promise.all([over, read(), read(), read()])
    const others = statuses.filter((status) => status !== 303 && status !== 503)
    const failed = pages.filter((status) => status !== 200)
    recordFigures(test, { requests: statuses.length + pages.length, failed: failed.length + others.length })
    expect(others, 'other responses than 303 and 503').toEqual([])
    expect(failed, 'other responses of /users than 200').toEqual([])
  })
})

/** Signs in with a wrong password for each address, and with another X-Forwarded-For each time. */
async function guesses(url: string, emails: readonly string[], appended = ''): Promise<number[]> {
  const statuses: number[] = []
  for (const [index, email] of emails.entries()) {
    const headers = { 'X-Forwarded-For': `192.0.2.${index}${appended}`, 'X-Real-IP': `192.0.2.${index}` }
    const form = { email, password: 'a wrong password' }
    statuses.push((await new TestClient(url).post('/login', { headers, form })).status)
  }
  return statuses
}
