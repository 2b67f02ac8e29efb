import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { release } from './release/release.ts'

// `npm run pergola -- release 0.3.0`: runs checks, writes the version, commits and tags. Doesn't push.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
})

try {
  const root = join(import.meta.dirname, '..')
  const version = (positionals[0] ?? '').replace(/^v/, '')
  const lines = release(root, version, { from: values.from, dryRun: values['dry-run'] })
  console.log(lines.join('\n'))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
