import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LoadedProcess } from './loaded-process.ts'

const answer = (port: string) => `process.send({ port: ${port} }); setInterval(() => {}, 1000)`
const WAITING = `
  process.once('disconnect', () => process.exit())
  process.once('message', (env) => { ${answer('Number(env.ANSWER)')} })`

/** A process that answers 1 if it was started anew, and the variable `ANSWER` if it was prepared. */
function prepared() {
  const folder = mkdtempSync(join(tmpdir(), 'loaded-'))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  let variables = 2
  const installed = file('installed', '')
  const loaded = new LoadedProcess({
    command: process.execPath,
    args: [file('server.cjs', answer('1'))],
    loader: file('loader.cjs', WAITING),
    installed,
    env: () => ({ ...process.env, ANSWER: String(variables) }),
  })
  onTestFinished(() => {
    loaded.discard()
    rmSync(folder, { recursive: true })
  })
  const startedWith = async () => {
    const child = loaded.start()
    const port = await child.listening
    await child.stop()
    return port
  }
  return { loaded, installed, startedWith, setAnswer: (answer: number) => (variables = answer) }
}

describe('LoadedProcess', () => {
  it('starts a new process if none is prepared', async () => {
    expect(await prepared().startedWith()).toBe(1)
  })

  it('starts the prepared process, with the environment of now', async () => {
    const { loaded, startedWith, setAnswer } = prepared()
    loaded.prepare()
    setAnswer(3)
    expect(await startedWith()).toBe(3)
    expect(await startedWith()).toBe(1)
  })

  it('starts a new process after discard, and after an installation', async () => {
    const { loaded, installed, startedWith } = prepared()
    loaded.prepare()
    loaded.discard()
    expect(await startedWith()).toBe(1)
    loaded.prepare()
    utimesSync(installed, 1, 1)
    expect(await startedWith()).toBe(1)
  })
})
