import { join } from 'node:path'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { health, listen, portOf } from 'pergola/app'
import { useHttp } from '../settings.ts'

async function serve(ready: () => Promise<boolean>) {
  const app = express()
  useHttp(app, {
    name: 'Health',
    views: join(import.meta.dirname, '../../../test/fixtures/views'),
    https: true,
    development: false,
    secret: 'a secret for tests that is long enough',
    signInPath: '/login',
    apiPrefix: '/api',
    viewer: () => Promise.resolve(null),
    assetUrl: (name) => name,
    nav: [],
  })
  app.use(health(ready))
  const server = await listen(app, { host: '127.0.0.1', port: 0, behindProxy: false })
  onTestFinished(() => void server.close())
  return async () => (await fetch(`http://127.0.0.1:${portOf(server)}/readyz`)).status
}

describe('/readyz', () => {
  it.each([
    ['true', () => Promise.resolve(true), 200],
    ['false', () => Promise.resolve(false), 503],
    ['an error', () => Promise.reject(new Error('down')), 503],
  ])('responds to %s with its status', async (_, ready, status) => {
    expect(await (await serve(ready))()).toBe(status)
  })

  it('responds with 503 while a check hangs, and begins no second one', async () => {
    let checks = 0
    const check = Promise.withResolvers<boolean>()
    const readyz = await serve(() => {
      checks++
      return check.promise
    })
    expect([await readyz(), await readyz(), checks]).toEqual([503, 503, 1])
    check.resolve(true)
    await expect.poll(readyz).toBe(200)
  })
})
