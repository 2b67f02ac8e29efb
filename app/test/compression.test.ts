import { get, type IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { listRoutes } from 'pergola/manifest'
import { testApp } from './test-app.ts'

const app = await testApp()
const behindProxy = await testApp({ database: app.database, env: { SERVER__COMPRESS: 'false' } })

/** Returns the headers as sent: `fetch` would remove those of a compressed body. */
function headersOf(url: string): Promise<IncomingHttpHeaders> {
  const headers = { 'accept-encoding': 'gzip, br' }
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => resolve(response.resume().headers)).on('error', reject)
  })
}

async function paths(): Promise<string[]> {
  const { text } = await app.guest.get('/login')
  const [asset = ''] = /\/assets\/[0-9a-f]+\/app\.css/.exec(text) ?? []
  return ['/login', '/none', asset]
}

describe('server.compress', () => {
  it('compresses pages, errors and assets', async () => {
    for (const path of await paths()) {
      const { 'content-encoding': coding, vary } = await headersOf(app.url + path)
      expect([path, coding, vary]).toEqual([path, 'br', expect.stringContaining('Accept-Encoding')])
    }
  })

  it('compresses nothing if it is false, and names no Accept-Encoding in Vary', async () => {
    for (const path of await paths()) {
      const { 'content-encoding': coding, vary = '' } = await headersOf(behindProxy.url + path)
      expect([path, coding, vary]).toEqual([path, undefined, expect.not.stringContaining('Accept-Encoding')])
    }
  })
})

describe('pages', () => {
  // The length of a compressed page reveals parts of its content (BREACH).
  it('contain no cookie and no digest of a session', async () => {
    const admin = await app.newcomer({ roles: ['admin'] })
    const sessions = await app.db.selectFrom('sessions').select('token_digest').execute()
    const secrets = [...admin.cookies.values(), ...sessions.map((row) => row.token_digest)]
    expect(secrets.length).toBeGreaterThan(1)
    const pages = listRoutes(app.routes).filter(({ method, path }) => method === 'GET' && !path.includes(':'))
    for (const { path } of pages) {
      const { text } = await admin.get(path)
      for (const secret of secrets) expect(text).not.toContain(secret)
    }
  })
})
