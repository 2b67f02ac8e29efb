import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The benchmarks, by the beginning of their file's name. */
export const BENCHMARKS = {
  requests: 'requests per second, CPU and memory, beside two programs by hand (docs/performance.md)',
  pagination: 'pages by their depth, by number and by cursor (docs/lists.md)',
  authorization: 'the time of each part of authorization',
  denial: 'whether a denied record takes as long as a missing one',
  jobs: 'jobs per second, beside pg-boss alone',
  overload: 'a server with more clients than it has capacity for',
}

const USAGE = [
  'Usage: npm run pergola -- bench <name>...',
  '',
  'Without a name, all benchmarks run, one after the other.',
  '',
  ...Object.entries(BENCHMARKS).map(([name, text]) => `  ${name.padEnd(15)}${text}`),
  '',
  'QUICK=1 tries requests with few rows. app/framework/bench/contestant/add.ts --help adds this clone to a benchmark of others.',
].join('\n')

/** Runs the benchmarks with these names, which options of Vitest may follow. Returns the exit code. */
function main(words: readonly string[]): number {
  if (words.includes('--help') || words.includes('-h')) {
    console.log(USAGE)
    return 0
  }
  const options = words.findIndex((word) => word.startsWith('-'))
  const names = options < 0 ? words : words.slice(0, options)
  const unknown = names.find((name) => !Object.hasOwn(BENCHMARKS, name))
  if (unknown !== undefined) {
    console.error(`No benchmark is named ${unknown}.\n\n${USAGE}`)
    return 2
  }
  const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')))
  const args = [vitest, 'run', '--mode', 'bench', ...words]
  const cwd = join(import.meta.dirname, '..')
  return spawnSync(process.execPath, args, { cwd, stdio: 'inherit' }).status ?? 1
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2))
