import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fetchVersion, openStore } from './source.ts'

const SOURCE = join(import.meta.dirname, 'source.ts')

describe('openStore', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('removes its folder after %s', async (signal) => {
    const program = `
      import { openStore } from ${JSON.stringify(SOURCE)}
      console.log(openStore(process.cwd()).folder)
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [printed] = (await once(child.stdout, 'data')) as [Buffer]
    const folder = printed.toString().trim()
    expect(existsSync(folder)).toBe(true)
    child.kill(signal)
    const [code] = (await once(child, 'exit')) as [number | null]
    expect([code, existsSync(folder)]).toEqual([130, false])
  })
})

describe('fetchVersion', () => {
  it('omits the password of a URL from its message', async () => {
    const store = openStore(tmpdir())
    try {
      const read = () => fetchVersion(store, 'http://me:token@127.0.0.1:1/x.git', null)
      expect(read).toThrow("http://127.0.0.1:1/x.git can't be read")
      expect(read).not.toThrow('token')
    } finally {
      await store.close()
    }
  })
})
