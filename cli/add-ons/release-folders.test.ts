import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

const scriptOf = (name: string) =>
  readFileSync(join(import.meta.dirname, 'deploy-systemd/files/deploy', name), 'utf8')

// `mv -T` is of Linux, like systemd.
describe.skipIf(process.platform !== 'linux')('deploy/switch.sh', () => {
  it('switches to a release, and back to the previous one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pergola-releases-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const name of ['releases/one', 'releases/two', 'bin'])
      mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, 'bin/systemctl'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 })
    const script = scriptOf('switch.sh').replaceAll('/opt/app-name', folder)
    const env = { PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter) }
    const failing = () =>
      execFileSync('sh', ['-c', script, 'switch.sh', 'three'], { env, encoding: 'utf8', stdio: 'pipe' })
    expect(failing).toThrow('There is no release three.')
    for (const release of ['one', 'two', 'one']) {
      const restarted = execFileSync('sh', ['-c', script, 'switch.sh', release], { env, encoding: 'utf8' })
      expect(restarted).toBe('restart app-name app-name-worker\n')
      expect(readlinkSync(join(folder, 'current'))).toBe(`releases/${release}`)
    }
  })
})

describe('deploy/release.sh', () => {
  it('touches no file of the running release before the switch', () => {
    const lines = scriptOf('release.sh').trim().split('\n')
    expect(lines.at(-1)).toBe('sh deploy/switch.sh "$release"')
    expect(lines.filter((line) => line.includes('current'))).toEqual([])
    execFileSync('sh', ['-n', '-c', lines.join('\n')])
  })
})
