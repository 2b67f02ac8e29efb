import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

// Preloaded by a test into a server, in its process: writes the loaded modules to the file $REPORT when it exits.
const files = []
registerHooks({
  load(url, context, next) {
    files.push(url)
    return next(url, context)
  },
})
process.on('exit', () =>
  writeFileSync(process.env.REPORT, JSON.stringify({ files, builtin: process.moduleLoadList })),
)
