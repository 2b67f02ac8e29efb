import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { exampleApplication } from './screenshots/example-application.ts'
import { takeScreenshots } from './screenshots/take-screenshots.ts'
import { root } from './test/tools.ts'

// `npm run screenshots` takes the pictures of the documents, of the last commit. `-- --to <folder>` writes elsewhere.
const { values } = parseArgs({ options: { to: { type: 'string' } } })
const folder = values.to === undefined ? join(root, 'e2e/screenshots') : resolve(values.to)
mkdirSync(folder, { recursive: true })

const scratch = mkdtempSync(join(tmpdir(), 'pergola-screenshots-'))
try {
  const application = await exampleApplication(root, join(scratch, 'clone'))
  try {
    for (const file of await takeScreenshots(application.url, folder)) console.log(file)
  } finally {
    await application.stop()
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
