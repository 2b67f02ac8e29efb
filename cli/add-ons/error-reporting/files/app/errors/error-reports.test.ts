import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '#app/config.ts'
import { makeLog } from '#app/log.ts'
import { withErrorReports } from './error-reports.ts'

/** Starts a service that receives reports. Returns its DSN, and the events that it received. */
async function service() {
  const events: Record<string, unknown>[] = []
  const receive = async (req: IncomingMessage, res: ServerResponse) => {
    // An envelope: its header, the header of an item, the item.
    const [, , event = ''] = (await text(req)).split('\n')
    events.push({ url: req.url, ...(JSON.parse(event) as object) })
    res.end('{}')
  }
  const server = createServer((req, res) => void receive(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { dsn: `http://public@127.0.0.1:${(server.address() as AddressInfo).port}/7`, events }
}

function logFor(dsn?: string) {
  const config = readConfig({
    NODE_ENV: 'test',
    SERVER__LOG_LEVEL: 'info',
    ERRORS__RELEASE: '1.4.0',
    ...(dsn !== undefined && { ERRORS__DSN: dsn }),
  })
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  return { log: makeLog(config, withErrorReports(destination, config)), lines, destination, config }
}

describe('an error in the log', () => {
  it('is reported with its causes, its request, its user and the release', async () => {
    const { dsn, events } = await service()
    const { log, lines } = logFor(dsn)
    const err = new TypeError('The rule broke.', { cause: new Error('It read nothing.') })
    const req = { id: '0b6f4a52', method: 'GET', path: '/posts/7' }
    log.error({ req, err, user: 3, shard: 'eu', password: 'canary' }, 'request errored')
    await expect.poll(() => events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      level: 'error',
      logentry: { message: 'request errored' },
      release: '1.4.0',
      request: { method: 'GET', url: '/posts/7' },
      tags: { request_id: '0b6f4a52' },
      user: { id: 3 },
      extra: { shard: 'eu', password: '[redacted]' },
      exception: {
        values: [
          { type: 'Error', value: 'It read nothing.' },
          { type: 'TypeError', value: 'The rule broke.' },
        ],
      },
    })
    expect(JSON.stringify(events[0])).toContain('error-reports.test.ts')
    expect(events[0]?.['url']).toMatch(/^\/api\/7\/envelope\/\?.*sentry_key=public/)
    expect(lines).toHaveLength(1)
  })

  it('is reported without a request or an error object, and as fatal', async () => {
    const { dsn, events } = await service()
    const { log } = logFor(dsn)
    log.fatal({ job: 'send-mail' }, 'the job failed for the last time')
    await expect.poll(() => events).toHaveLength(1)
    expect(events[0]).toMatchObject({ level: 'fatal', extra: { job: 'send-mail' } })
    expect(events[0]).not.toHaveProperty('exception')
  })

  it('is the only line that is reported', async () => {
    const { dsn, events } = await service()
    const { log, lines } = logFor(dsn)
    log.info('fine')
    log.warn({ err: new Error('tried again') }, 'slow')
    log.error('broken')
    log.error('broken again')
    await expect.poll(() => events.length).toBeGreaterThan(1)
    const messages = events.map(({ logentry }) => (logentry as { message: string }).message)
    expect(messages.toSorted()).toEqual(['broken', 'broken again'])
    expect(lines).toHaveLength(4)
  })

  it('is in the log if the service can’t be reached', async () => {
    const { log, lines } = logFor('http://public@127.0.0.1:9/7')
    log.error('broken')
    log.error('broken again')
    await new Promise(setImmediate)
    expect(lines).toHaveLength(2)
  })
})

it.each(['https://sentry.example.org/1', 'https://key@sentry.example.org', 'sentry'])(
  'is not configured with the DSN %s',
  (dsn) => {
    expect(() => logFor(dsn)).toThrow('Expected: a DSN like https://key@sentry.example.org/1.')
  },
)

it('returns the destination itself without a DSN', () => {
  const { destination, config } = logFor()
  expect(withErrorReports(destination, config)).toBe(destination)
})
