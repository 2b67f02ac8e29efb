import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { ask } from './ask.ts'
import { EXIT } from './exit.ts'

const terminal = (isTTY: boolean) => {
  const input = Object.assign(new PassThrough(), { isTTY })
  return { input, output: new PassThrough() }
}

describe('ask', () => {
  it('prints the question and returns the answer', async () => {
    const streams = terminal(true)
    const answered = ask('Which? ', 'Pass --which.', streams)
    streams.input.write('that one\n')
    expect(await answered).toBe('that one')
    expect(String(streams.output.read())).toContain('Which? ')
  })

  it('throws with the option to pass if there is no terminal', async () => {
    await expect(ask('Which? ', 'Pass --which.', terminal(false))).rejects.toMatchObject({
      code: EXIT.inputNeeded,
      message: 'Input is required, but there is no terminal. Pass --which.',
    })
  })

  it('throws if the terminal closes before the answer', async () => {
    const streams = terminal(true)
    const answered = ask('Which? ', 'Pass --which.', streams)
    streams.input.end()
    await expect(answered).rejects.toMatchObject({ code: EXIT.inputNeeded })
  })
})
