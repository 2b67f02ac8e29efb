import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../test-support/run-cli.ts'
import { isUntouched, scaffoldNamed } from './project/record.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sample = existsSync(join(root, 'app/posts/companions.json')) ? scaffoldNamed(root, 'post') : null

describe.skipIf(sample === null)('the sample', () => {
  it('equals the output of the command in the README', async () => {
    const [, command = ''] = /^npx cli scaffold (post .*)$/m.exec(read('README.md')) ?? []
    const words = command.replaceAll("'", '').split(' ')
    const { code, stdout } = await runCli(['scaffold', ...words, '--dry-run', '--json'])
    const { files } = JSON.parse(stdout) as { files: { path: string; verb: string }[] }
    expect([code, files.filter(({ verb }) => verb !== 'same')]).toEqual([0, []])
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining([...Object.keys(sample?.scaffold.files ?? {}), 'app/resources.ts']),
    )
  })

  it('has a digest for each of these files, so that it can grow', () => {
    const paths = Object.keys(sample?.scaffold.files ?? {})
    expect(paths.length).toBeGreaterThan(12)
    expect(paths.filter((path) => sample && !isUntouched(sample.scaffold, path, read(path)))).toEqual([])
  })
})
