import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER, referencePages } from './docs/reference.ts'
import { root } from './test/tools.ts'

// `npm run docs` writes the reference. `npm run docs -- --check` exits with 1 if a page is outdated.
const folder = join(root, FOLDER)
const pages = await referencePages()
const textAt = (name: string) =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : null
const outdated = [...pages].filter(([name, text]) => textAt(name) !== text)
const removed = globSync('*.md', { cwd: folder }).filter((name) => !pages.has(name))

if (process.argv.includes('--check')) {
  for (const name of [...outdated.map(([name]) => name), ...removed])
    console.error(`${FOLDER}/${name} is outdated.`)
  if (outdated.length + removed.length > 0) {
    console.error('Run npm run docs.')
    process.exitCode = 1
  }
} else {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of outdated) writeFileSync(join(folder, name), text)
  for (const name of removed) rmSync(join(folder, name))
  console.log(`${outdated.length + removed.length} of ${pages.size} pages changed.`)
}
