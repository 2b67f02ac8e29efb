import { once } from 'node:events'
import { createServer } from 'node:http'
import getPort from 'get-port'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '#app/config.ts'
import { testApp } from '#app/test/test-app.ts'
import { endTelemetry, startTelemetry } from './telemetry.ts'

const port = await getPort({ host: '127.0.0.1' })
const config = readConfig({ NODE_ENV: 'test', TELEMETRY__METRICS_PORT: String(port) })
await startTelemetry(config, pino({ level: 'silent' }))
afterAll(endTelemetry)
const app = await testApp()

const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
/** Waits for the line of a metric that contains these texts. Returns its value. */
async function valueOf(metric: string, ...texts: string[]): Promise<number> {
  const find = async () =>
    (await read())
      .split('\n')
      .find((line) => line.startsWith(metric) && texts.every((text) => line.includes(text)))
  await expect.poll(find).toBeDefined()
  return Number((await find())?.split(' ').at(-1))
}

describe('the metrics', () => {
  it('count requests by their route and status', async () => {
    await app.guest.get('/users/7')
    await app.guest.get('/nothing')
    const requests = 'http_server_request_duration_count'
    const route = 'http_route="/users/:id"'
    const status = (code: number) => `http_response_status_code="${code}"`
    expect(await valueOf(requests, 'http_request_method="GET"', route, status(303))).toBe(1)
    expect(await valueOf(requests, status(404))).toBe(1)
    expect(await valueOf('http_server_request_duration_bucket', route, 'le="+Inf"')).toBe(1)
    expect(await read()).not.toContain('/users/7')
  })

  it('count statements, and those that fail', async () => {
    await sql`select 1`.execute(app.db)
    await expect(sql`insert into nothing values (${'canary'})`.execute(app.db)).rejects.toThrow('nothing')
    const statements = 'db_client_operation_duration_count'
    expect(await valueOf(statements, 'db_operation_name="select"')).toBe(1)
    expect(await valueOf(statements, 'db_operation_name="insert"', 'error_type="42P01"')).toBe(1)
  })

  it('count jobs', async () => {
    await app.guest.post('/signup', { form: { email: 'canary@example.org' } })
    expect(await app.mails()).toHaveLength(1)
    const jobs = 'messaging_process_duration_count'
    expect(await valueOf(jobs, 'messaging_destination_name="send-mail"')).toBe(1)
  })

  it('show the connections of each pool and the delay of the event loop', async () => {
    const pool = 'db_client_connection_pool_name="'
    const idle = 'db_client_connection_state="idle"'
    expect(await valueOf('db_client_connection_count', pool, idle)).toBeGreaterThanOrEqual(0)
    expect(await valueOf('db_client_connection_max', pool)).toBeGreaterThan(0)
    expect(await valueOf('db_client_connection_pending_requests', pool)).toBe(0)
    expect(await valueOf('nodejs_eventloop_delay_p99')).toBeGreaterThanOrEqual(0)
    expect(await read()).not.toContain('canary')
  })

  it('are not served by the application', async () => {
    expect((await app.guest.get('/metrics')).status).toBe(404)
  })
})

it('a port that is taken is an error in the log, and costs only the metrics', async () => {
  await endTelemetry()
  const taken = createServer().listen(port, '127.0.0.1')
  await once(taken, 'listening')
  const lines: string[] = []
  await startTelemetry(config, pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }))
  const other = await testApp({ database: app.database })
  expect((await other.guest.get('/login')).status).toBe(200)
  expect(lines.join()).toContain('set TELEMETRY__METRICS_PORT')
  taken.close()
})
