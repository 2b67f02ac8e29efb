import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname } from 'node:path'
import { freePort } from 'pergola/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { faultBed } from './fault-bed.ts'

const { settings } = await faultBed()

describe('npm start', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('passes %s on, and ends after the server', async (signal) => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const npm = spawn('npm', ['start'], {
      env: {
        ...process.env,
        // npm starts the first `node` of the path.
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        ...settings,
        NODE_ENV: 'production',
        BASE_URL: url,
        HOST: '127.0.0.1',
        PORT: String(port),
        SERVER__LINGER_SECONDS: '0',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
      // A process group of its own, with which the test ends the server if npm doesn't.
      detached: true,
    })
    onTestFinished(() => {
      if (npm.pid !== undefined) endGroup(npm.pid)
    })
    const isListening = () =>
      fetch(`${url}/livez`).then(
        ({ ok }) => ok,
        () => false,
      )
    await expect.poll(isListening).toBe(true)
    const exit = once(npm, 'exit')
    npm.kill(signal)
    expect(await exit).toEqual([0, null])
    expect(await isListening()).toBe(false)
  })
})

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of its processes have ended.
  }
}
