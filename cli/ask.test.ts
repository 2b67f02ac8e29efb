import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { ask } from './ask.ts'
import { EXIT } from './exit.ts'

const terminal = (isTTY: boolean) => {
  const input = Object.assign(new PassThrough(), { isTTY })
  return { input, output: new PassThrough() }
}

describe('ask', () => {
  it('gives what is typed, after the question was shown', async () => {
    const streams = terminal(true)
    const answered = ask('Which? ', 'Say --which.', streams)
    streams.input.write('that one\n')
    expect(await answered).toBe('that one')
    expect(String(streams.output.read())).toContain('Which? ')
  })

  it('says what to write where there is no terminal', async () => {
    await expect(ask('Which? ', 'Say --which.', terminal(false))).rejects.toMatchObject({
      code: EXIT.inputNeeded,
      message: 'There is no terminal to ask on. Say --which.',
    })
  })

  it('ends when the terminal goes away before there is an answer', async () => {
    const streams = terminal(true)
    const answered = ask('Which? ', 'Say --which.', streams)
    streams.input.end()
    await expect(answered).rejects.toMatchObject({ code: EXIT.inputNeeded })
  })
})
