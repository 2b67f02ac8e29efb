import { PassThrough } from 'node:stream'
import type { Request, RequestHandler, Response } from 'express'
import { describe, expect, it, vi } from 'vitest'
import { bodyReader } from './read-body.ts'

const LIMIT = 1_000
const newRequest = (headers: object = {}) =>
  Object.assign(new PassThrough(), { headers }) as unknown as Request & PassThrough
const newResponse = () => ({ shouldKeepAlive: true }) as Response
const [req, res] = [newRequest(), newResponse()]
/** A parser that never calls back. */
const pending: RequestHandler = (sent) => void sent.resume()

describe('bodyReader', () => {
  it('rejects with a 408 if the body is not complete after 15 seconds', async () => {
    vi.useFakeTimers()
    const reading = bodyReader(LIMIT, () => pending)(req, res)
    const settled = vi.fn<() => void>()
    reading.catch(settled)
    await vi.advanceTimersByTimeAsync(14_999)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await expect(reading).rejects.toMatchObject({ status: 408 })
    expect(res.shouldKeepAlive).toBe(false)
    vi.useRealTimers()
  })

  it('rejects with the error that the parser throws', async () => {
    const broken = new Error('broken')
    const parse = () => {
      throw broken
    }
    await expect(bodyReader(LIMIT, () => parse)(req, res)).rejects.toBe(broken)
  })

  it('rejects with the error of the parser', async () => {
    const broken = new Error('broken')
    await expect(bodyReader(LIMIT, () => (_req, _res, next) => next(broken))(req, res)).rejects.toBe(broken)
  })

  it('rejects with a 413 as soon as a body without a length is too large', async () => {
    const [sent, answer] = [newRequest(), newResponse()]
    const reading = bodyReader(LIMIT, () => pending)(sent, answer)
    sent.write('x'.repeat(LIMIT + 1))
    await expect(reading).rejects.toMatchObject({ status: 413 })
    expect(answer.shouldKeepAlive).toBe(false)
  })

  it('rejects with a 413 before it reads a body whose length is too large', async () => {
    const sent = newRequest({ 'content-length': String(LIMIT + 1) })
    await expect(bodyReader(LIMIT, () => pending)(sent, newResponse())).rejects.toMatchObject({ status: 413 })
  })

  it('leaves a body of another type to the application', async () => {
    const sent = newRequest({ 'content-length': String(LIMIT + 1) })
    await bodyReader(LIMIT, () => (_req, _res, next) => next())(sent, newResponse())
    expect([sent.readableFlowing, sent.listenerCount('data')]).toEqual([null, 0])
  })
})
