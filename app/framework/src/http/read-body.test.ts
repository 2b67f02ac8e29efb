import type { Request, Response } from 'express'
import { describe, expect, it, vi } from 'vitest'
import { readBody } from './read-body.ts'

const [req, res] = [{} as Request, { shouldKeepAlive: true } as Response]

describe('readBody', () => {
  it('rejects with a 408 if the body is not complete after 15 seconds', async () => {
    vi.useFakeTimers()
    const reading = readBody(() => undefined, req, res)
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
    await expect(readBody(parse, req, res)).rejects.toBe(broken)
  })

  it('rejects with the error of the parser', async () => {
    const broken = new Error('broken')
    await expect(readBody((_req, _res, next) => next(broken), req, res)).rejects.toBe(broken)
  })
})
