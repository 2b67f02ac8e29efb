import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** Load this file with `node --import`. Imports of packages that `npm ci --omit=dev` does not install then fail. */
const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
const { devDependencies } = JSON.parse(file) as { devDependencies: Record<string, string> }
const missing = Object.keys(devDependencies)

registerHooks({
  resolve(name, context, next) {
    const found = missing.find((one) => name === one || name.startsWith(`${one}/`))
    if (found === undefined) return next(name, context)
    const message = `Cannot find package '${found}' imported from ${context.parentURL}`
    throw Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})
