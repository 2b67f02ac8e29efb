import { describe, expect, it } from 'vitest'
import { restartableServer, type RestartableServer } from './restartable-server.ts'

const LISTENS = "console.log('Listening'); setInterval(() => {}, 1000)"
const started: Record<string, RestartableServer> = { file: await restartableServer(['-e', LISTENS], {}) }

describe('restartableServer', () => {
  it('runs a server until the test ends that started it', async () => {
    started['test'] = await restartableServer(['-e', LISTENS], {})
    expect(started['test'].isRunning()).toBe(true)
  })

  it('runs the server of a file during all of its tests', () => {
    expect([started['test']?.isRunning(), started['file']?.isRunning()]).toEqual([false, true])
  })
})
