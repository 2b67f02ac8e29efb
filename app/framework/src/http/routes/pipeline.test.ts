import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { describe, expect, it } from 'vitest'
import { pipeline } from './pipeline.ts'

/** Runs the steps. Resolves to the argument of the last `next`. */
function outcomeOf(steps: readonly RequestHandler[]): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  void pipeline(steps)({} as Request, {} as Response, resolve as NextFunction)
  return promise
}

const passed: string[] = []
const step =
  (name: string): RequestHandler =>
  (_req, _res, next) => {
    passed.push(name)
    next()
  }

describe('pipeline', () => {
  it('runs the steps in their order, also after one that waits', async () => {
    passed.length = 0
    const waiting: RequestHandler = (_req, _res, next) => void setImmediate(next)
    expect(await outcomeOf([step('first'), waiting, step('second')])).toBeUndefined()
    expect(passed).toEqual(['first', 'second'])
  })

  it.each<[string, RequestHandler]>([
    [
      'throws',
      () => {
        throw new Error('failed')
      },
    ],
    ['rejects', () => Promise.reject(new Error('failed'))],
    ['passes an error to next', (_req, _res, next) => next(new Error('failed'))],
  ])('skips the rest if a step %s', async (_, failing) => {
    passed.length = 0
    expect(await outcomeOf([failing, step('never')])).toEqual(new Error('failed'))
    expect(passed).toEqual([])
  })

  it.each<[string, RequestHandler]>([
    ['null', (_req, _res, next) => next(null)],
    ['route', (_req, _res, next) => next('route')],
  ])('continues after next(%s), which is no error', async (_, first) => {
    passed.length = 0
    await outcomeOf([first, step('second')])
    expect(passed).toEqual(['second'])
  })

  it('treats a rejection without an error as an error', async () => {
    passed.length = 0
    // eslint-disable-next-line typescript/prefer-promise-reject-errors
    expect(await outcomeOf([() => Promise.reject(undefined), step('never')])).toBeInstanceOf(Error)
    expect(passed).toEqual([])
  })

  it('ends with a step that responds', async () => {
    passed.length = 0
    void outcomeOf([() => void passed.push('responded'), step('never')])
    await new Promise(setImmediate)
    expect(passed).toEqual(['responded'])
  })
})
