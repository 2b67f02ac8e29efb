import { setTimeout as sleep } from 'node:timers/promises'
import { rawConnection, withstand } from 'pergola/lab'
import { describe, expect, it } from 'vitest'
import { faultBed, newNote } from './fault-bed.ts'

const { server, client, load, sql, startServer, clientOf } = await faultBed()
const { host } = new URL(server.url)
const cookie = [...client.cookies].map((pair) => pair.join('=')).join('; ')

const LIST = `GET /api/test-notes HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
const UNFINISHED_HEAD = `POST /api/test-notes HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n`
const postOf = (body: string) =>
  `${UNFINISHED_HEAD}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

describe('clients', () => {
  it('keep a process busy, sixty-four at once: no request is refused while waits are short', async () => {
    // This machine may be slow. The time of a wait is a matter of benchmarks.
    const busy = clientOf(await startServer({ SERVER__QUEUE_TIMEOUT_MS: '60000' }))
    const statuses: number[] = []
    const oneAfterTheOther = async () => {
      for (let count = 0; count < 50; count++) statuses.push((await busy.get('/api/test-notes')).status)
    }
    await Promise.all(Array.from({ length: 64 }, oneAfterTheOther))
    expect(statuses).toEqual(Array.from({ length: 64 * 50 }, () => 200))
  })

  it('send fifteen hundred requests at once, twice', (test) =>
    withstand(test, load, async () => {
      for (let round = 0; round < 2; round++) {
        const flood = await Promise.all(Array.from({ length: 1_500 }, () => rawConnection(server.url, LIST)))
        const answers = await Promise.all(flood.map(({ closed }) => closed))
        const others = answers.filter((answer) => !/^HTTP\/1\.1 (?:200|503) /.test(answer))
        expect(others, 'other responses than 200 and 503').toEqual([])
      }
    }))

  it('send headers and bodies slowly, three hundred at once', (test) =>
    withstand(test, load, async () => {
      const unfinished = [UNFINISHED_HEAD, postOf(JSON.stringify(newNote())).slice(0, -20)]
      const slow = await Promise.all(
        Array.from({ length: 300 }, (_, index) => rawConnection(server.url, unfinished[index % 2])),
      )
      // The server closes all of them: headers after ten seconds, bodies after fifteen.
      await Promise.all(slow.map(({ closed }) => closed))
    }))

  it('disconnect in the middle of a request, five hundred times', async (test) => {
    await withstand(test, load, async () => {
      for (let round = 0; round < 50; round++) {
        const requests = Array.from({ length: 10 }, (_, index) =>
          // Every second request is complete, so that its client leaves before the response.
          postOf(JSON.stringify(newNote())).slice(0, index % 2 === 0 ? -20 : undefined),
        )
        const leaving = await Promise.all(requests.map((request) => rawConnection(server.url, request)))
        await sleep(round % 10)
        for (const { socket } of leaving) socket.resetAndDestroy()
        await Promise.all(leaving.map(({ closed }) => closed))
      }
    })
    const open = await sql(`select state from pg_stat_activity
      where application_name = 'pergola' and datname = 'app' and state like 'idle in transaction%'`)
    expect(open, 'transactions that nobody ends').toEqual([])
  })
})
