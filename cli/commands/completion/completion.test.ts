import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../test-support/run-cli.ts'

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

describe('cli complete', () => {
  it.each([
    [['db', 'ro'], 'rollback'],
    [['db', 'rollback', '--j'], '--json'],
    [['routes', '--access', 'g'], 'gated'],
    [['routes', '--json', 'au'], 'audit'],
    [['generate', 'mi'], 'migration'],
    [['completion', 'f'], 'fish'],
  ])('completes %j', async (words, expected) => {
    const { stdout } = await runCli(['complete', '--', ...words])
    expect(stdout.split('\n').map((line) => line.split('\t')[0])).toContain(expected)
  })

  it('lists every command except itself', async () => {
    const { stdout } = await runCli(['complete', '--', ''])
    const words = stdout.split('\n').map((line) => line.split('\t')[0])
    expect(words).toEqual(expect.arrayContaining(['scaffold', 'db', 'task', 'upgrade', 'completion']))
    expect(words).not.toContain('complete')
  })
})

describe.each(['bash', 'zsh', 'fish'])('cli completion %s', (shell) => {
  it.skipIf(!isInstalled(shell))('prints a script that the shell can read', async () => {
    const { stdout } = await runCli(['completion', shell])
    const { status, stderr } = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })

  it('defines cli as an alias of npx cli', async () => {
    const { stdout } = await runCli(['completion', shell])
    expect(stdout.split('\n')[0]).toMatch(/npx cli/)
  })
})

it('prints a script for bash that can be loaded twice', async () => {
  const { stdout } = await runCli(['completion', 'bash'])
  const { status, stderr } = spawnSync('bash', { input: stdout + stdout, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})
