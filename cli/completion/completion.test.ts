import { execFileSync, spawnSync } from 'node:child_process'
import { Command, Option } from 'commander'
import { describe, expect, it } from 'vitest'
import { runCli } from '../test-support/run-cli.ts'
import { wordsAfter } from './words.ts'

describe('wordsAfter', () => {
  it('says for every command what may follow it, but what is hidden', () => {
    const program = new Command('cli').helpCommand(false)
    const fruit = program.command('fruit').alias('f').description('sweet').helpCommand(false)
    fruit.command('secret', { hidden: true })
    fruit.addOption(new Option('--colour <name>', 'which').choices(['red', 'green']))
    const places = wordsAfter(program)
    expect(places.map(({ path }) => path.join(' '))).toEqual(['', 'fruit', 'fruit secret', 'f', 'f secret'])
    expect(places[0]?.words).toEqual([
      { word: 'fruit', description: 'sweet' },
      { word: '--help', description: 'display help for command' },
    ])
    expect(places[1]?.words.map(({ word }) => word)).toEqual(['--colour', '--help'])
    expect(places[1]?.values).toEqual([{ option: '--colour', words: ['red', 'green'] }])
  })
})

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0
const scriptFor = async (shell: string) => (await runCli(['completion', shell])).stdout

describe.skipIf(!has('bash'))('cli completion bash', async () => {
  const script = await scriptFor('bash')
  const complete = (...words: string[]) => {
    const ask = `${script}
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); if [ "$1" = npx ]; then _pergola_npx; else _pergola; fi; echo "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['--norc', '-c', ask, 'bash', ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] },
    }).trim()
  }

  it.each([
    [['npx', 'cli', 'db', 'ro'], 'rollback'],
    [['cli', 'db', 'rollback', '--j'], '--json'],
    [['cli', 'routes', '--access', 'g'], 'gated'],
    [['cli', 'routes', '--json', 'au'], 'audit'],
    [['cli', 'g', 'mi'], 'migration'],
    [['cli', 'help', 'do'], 'doctor'],
    [['cli', 'completion', 'f'], 'fish'],
    [['npx', 'vitest', 'db', 'ro'], ''],
  ])('completes %j', (words, wanted) => {
    expect(complete(...words)).toBe(wanted)
  })
})

describe.skipIf(!has('fish'))('cli completion fish', async () => {
  const script = await scriptFor('fish')

  it.each([
    ['npx cli db ro', 'rollback'],
    ['cli db rollback --j', '--json'],
    ['cli routes --access g', 'gated'],
    ['cli g mi', 'migration'],
  ])('completes %s', (line, wanted) => {
    const lines = execFileSync('fish', ['--no-config', '-c', `${script}\ncomplete -C '${line}'`], {
      encoding: 'utf8',
    })
    expect(lines.split('\n').map((one) => one.split('\t')[0])).toEqual([wanted, ''])
  })
})

describe.skipIf(!has('zsh'))('cli completion zsh', () => {
  it('is a script that zsh can read', async () => {
    const read = spawnSync('zsh', ['-f', '-n'], { input: await scriptFor('zsh'), encoding: 'utf8' })
    expect([read.status, read.stderr]).toEqual([0, ''])
  })
})
