import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER, referencePages } from './docs/reference.ts'
import { root } from './test/tools.ts'

// `npm run pergola -- docs` writes the reference. `npm run pergola -- test:cli` fails if a page is outdated.
const folder = join(root, FOLDER)
const pages = await referencePages()
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const [name, text] of pages) writeFileSync(join(folder, name), text)
console.log(`Wrote ${pages.size} pages.`)
