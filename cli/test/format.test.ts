import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { formatArguments } from './format.ts'
import { scriptOf } from './tools.ts'

/** Runs prettier on a file with this text. Returns the exit code, the output, and the text afterwards. */
async function format(text: string, env: NodeJS.ProcessEnv) {
  const folder = mkdtempSync(join(tmpdir(), 'format-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'post.ts')
  writeFileSync(file, text)
  const { code, stdout } = await new Promise<{ code: number; stdout: string }>((resolve) => {
    const args = [scriptOf('prettier'), ...formatArguments(env), file]
    const child = execFile(process.execPath, args, (_error, stdout) =>
      resolve({ code: child.exitCode ?? 1, stdout }),
    )
  })
  return { code, stdout, text: readFileSync(file, 'utf8') }
}

describe('formatArguments', () => {
  it('formats a file, and prints its name', async () => {
    const { code, stdout, text } = await format('const  one=1', {})
    expect([code, text]).toEqual([0, 'const one = 1;\n'])
    expect(stdout).toContain('post.ts')
  })

  it('prints nothing about a formatted file', async () => {
    expect(await format('const one = 1;\n', {})).toMatchObject({ code: 0, stdout: '' })
  })

  it('fails for a file with a syntax error', async () => {
    expect(await format('const = 1', {})).toMatchObject({ code: 2, text: 'const = 1' })
  })

  it('checks in CI and changes nothing', async () => {
    expect(await format('const  one=1', { CI: 'true' })).toMatchObject({ code: 1, text: 'const  one=1' })
  })
})
