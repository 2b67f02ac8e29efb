import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { release } from './release/release.ts'

// `npm run release 0.3.0`: checks, stamps the version, commits and tags. Nothing is pushed.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
})

try {
  const root = join(import.meta.dirname, '..')
  const version = (positionals[0] ?? '').replace(/^v/, '')
  const done = release(root, version, { from: values.from, dryRun: values['dry-run'] })
  console.log(done.join('\n'))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
