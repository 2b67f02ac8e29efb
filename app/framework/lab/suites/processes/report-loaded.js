import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

// Preloaded by a test into a server, in its process: writes the imports of all modules to the file $REPORT when it exits.
const imports = []
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    imports.push({ by: context.parentURL ?? '', url: resolved.url })
    return resolved
  },
})
process.on('exit', () => writeFileSync(process.env.REPORT, JSON.stringify(imports)))
