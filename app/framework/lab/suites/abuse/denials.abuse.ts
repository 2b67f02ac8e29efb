import { randomUUID } from 'node:crypto'
import { sealData } from 'iron-session'
import { attackTargets, objections, recordFigures } from 'pergola/lab'
import { type Answer, probe, TestClient } from 'pergola/testing'
import { describe, expect, it } from 'vitest'
import { abuseBed } from './abuse-bed.ts'

const { app, insider, makers, secrets } = await abuseBed()
const MISSING_ID = '999999999'

it('every route about a record admits exactly the users whom its policy allows', async () => {
  expect(await probe(app, makers)).toEqual([])
})

describe('a denied record', () => {
  it.for(['guest', 'stranger'])('is identical to a missing record for a %s', async (caller, test) => {
    const client = caller === 'guest' ? app.guest : await app.newcomer()
    const problems: string[] = []
    let requests = 0
    for (const target of await attackTargets(app, insider, makers)) {
      if (!target.pattern.includes(':')) continue
      const missing = target.pattern.replaceAll(/:\w+/g, () => MISSING_ID)
      const denied = await client.send(target.method, target.path, content(target))
      if (denied.status < 400 && !isSignIn(denied)) continue
      const none = await client.send(target.method, missing, content(target))
      requests += 2
      const name = `${target.method} ${target.path}`
      problems.push(...objections(denied, secrets).map((problem) => `${name}: ${problem}`))
      if (imprint(denied, target.path) !== imprint(none, missing))
        problems.push(`${name}: the response differs from that of ${missing}`)
    }
    recordFigures(test, { requests, failed: problems.length })
    expect(problems).toEqual([])
    expect(requests).toBeGreaterThan(0)
  })
})

describe('a session', () => {
  it('is not valid if its cookie was forged', async (test) => {
    const { cookies } = await app.signInAs(insider.email)
    // Behind the tilde is the version of the format.
    const [sealed = ''] = (cookies.get(SESSION) ?? '').split('~')
    const foreign = await sealData({ token: 'a'.repeat(43) }, { password: { 1: `sid ${'b'.repeat(64)}` } })
    const forged = ['', 'x', 'null', '{"token":"x"}', sealed.slice(0, -1), `${sealed}x`, changed(sealed)]
    await expectDenied(test, [...forged, foreign, '%00'])
  })

  it('is not valid after its user signed out', async (test) => {
    const client = await app.signInAs(insider.email)
    const sealed = client.cookies.get(SESSION) ?? ''
    expect((await client.get('/account')).status).toBe(200)
    await client.post('/logout')
    await expectDenied(test, [sealed])
  })
})

const SESSION = '__Host-sid'

/** Expects that every route that needs a session denies these cookies. */
async function expectDenied(test: Parameters<typeof recordFigures>[0], values: string[]): Promise<void> {
  const problems: string[] = []
  const targets = (await attackTargets(app, insider, makers)).filter(({ isSecured }) => isSecured)
  for (const target of targets) {
    for (const value of values) {
      const client = new TestClient(app.url)
      client.cookies.set(SESSION, value)
      const answer = await client.send(target.method, target.path, content(target))
      const wrong = [401, 404].includes(answer.status) || isSignIn(answer) ? [] : [`status ${answer.status}`]
      for (const problem of [...objections(answer, secrets), ...wrong])
        problems.push(`${target.method} ${target.path} with ${value.slice(0, 50)}: ${problem}`)
    }
  }
  recordFigures(test, { requests: targets.length * values.length, failed: problems.length })
  expect(problems).toEqual([])
  expect(targets).not.toEqual([])
}

const content = ({ method, isApi }: { method: string; isApi: boolean }) =>
  method === 'GET' ? {} : isApi ? { json: {} } : { form: {} }

const isSignIn = ({ status, headers }: Answer) =>
  status === 303 && (headers.get('location') ?? '').startsWith('/login')

/** Returns the text with another character in the middle. */
const changed = (text: string) => {
  const middle = Math.floor(text.length / 2)
  return text.slice(0, middle) + (text[middle] === 'A' ? 'B' : 'A') + text.slice(middle + 1)
}

/** Returns the status, the headers and the body of a response, without its path, its date and its request id. */
function imprint({ status, headers, text }: Answer, path: string): string {
  const id = headers.get('x-request-id') ?? randomUUID()
  const shown = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return JSON.stringify([status, shown, text])
    .replaceAll(id, '')
    .replaceAll(encodeURIComponent(path), '')
    .replaceAll(path, '')
    .replaceAll(/"request_id\\*":\\*"[^"]*"/g, '')
}
