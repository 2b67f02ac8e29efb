import { createRequire } from 'node:module'
import express, { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { liveLayers } from './live-layers.ts'

const { version } = createRequire(import.meta.url)('express/package.json') as { version: string }
const answer: express.RequestHandler = (_req, res) => void res.end()

describe('liveLayers', () => {
  // It reads layers that Express doesn't document. Check the parts in `StackLayer` before you change the version.
  it('was checked with this version of Express', () => {
    expect(version).toBe('5.3.0')
  })

  it('returns the functions of routers with their paths', () => {
    const app = express()
    app.use(answer)
    app.use('/x', Router().all('/:id', answer).use('/y', answer))
    app.post(['/a', '/b'], answer)
    expect(liveLayers(app).map(({ is, method, path, name }) => [is, method, path, name])).toEqual([
      ['middleware', 'ALL', '/', 'answer'],
      ['route', 'ALL', '/x/:id', 'answer'],
      ['middleware', 'ALL', '/x/y', 'answer'],
      ['route', 'POST', '(/a|/b)', 'answer'],
    ])
  })
})
