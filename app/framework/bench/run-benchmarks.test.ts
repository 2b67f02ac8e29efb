import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BENCHMARKS } from './run-benchmarks.ts'

interface Ended {
  readonly code: number | string | null | undefined
  readonly stdout: string
  readonly stderr: string
}

const run = (script: string, ...args: string[]) =>
  new Promise<Ended>((resolve) => {
    execFile(process.execPath, [join(import.meta.dirname, script), ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    )
  })

describe('npm run pergola -- bench', () => {
  it('describes each benchmark', async () => {
    const files = globSync('*.bench.ts', { cwd: import.meta.dirname })
    expect(Object.keys(BENCHMARKS).toSorted()).toEqual(
      files.map((file) => file.replace('.bench.ts', '')).toSorted(),
    )
    const { code, stdout } = await run('run-benchmarks.ts', '--help')
    expect(code).toBe(0)
    for (const text of Object.entries(BENCHMARKS).flat()) expect(stdout).toContain(text)
  })

  it('rejects an unknown name, with the names', async () => {
    const { code, stderr } = await run('run-benchmarks.ts', 'request')
    expect(code).toBe(2)
    expect(stderr).toMatch(/^No benchmark is named request\.\n[^]+ requests /)
  })
})

describe('contestant/add.ts', () => {
  const add = (...args: string[]) => run('contestant/add.ts', ...args)

  it('prints its usage', async () => {
    const { code, stdout } = await add('--help')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Usage: node app\/framework\/bench\/contestant\/add\.ts <folder>/)
  })

  it('names the problem of its arguments, and changes nothing', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'bench-'))
    onTestFinished(() => rmSync(empty, { recursive: true }))
    for (const [args, problem] of [
      [[], 'The folder of the benchmark is missing.'],
      [[empty], `${join(empty, 'contestants.json')} does not exist. Pass the folder of the benchmark.`],
      [[join(empty, 'absent')], 'does not exist. Pass the folder of the benchmark.'],
      [[empty, '--databse', 'x'], "Unknown option '--databse'"],
    ] as const) {
      const { code, stderr } = await add(...args)
      expect(code).toBe(2)
      expect(stderr).toContain(problem)
      expect(stderr).toContain('Usage:')
      expect(stderr).not.toContain('    at ')
    }
    expect(globSync('*', { cwd: empty })).toEqual([])
  })
})
