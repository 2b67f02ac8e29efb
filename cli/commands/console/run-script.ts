import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'

/**
 * Runs the input as a module of the project, with `globals`. Returns the value of a single expression, and undefined for
 * a longer script. Rethrows its errors.
 */
export async function runScript(input: NodeJS.ReadableStream, globals: object): Promise<unknown> {
  const script = await text(input)
  Object.defineProperties(globalThis, Object.getOwnPropertyDescriptors(globals))
  const module = await importText(isExpression(script) ? `export default (${script}\n)` : script)
  return module.default
}

// Loads the text as a file in the root of the project, so that Node strips types and resolves imports as in other files.
async function importText(source: string): Promise<{ default?: unknown }> {
  const { href } = pathToFileURL(resolve('stdin.ts'))
  registerHooks({
    resolve: (name, context, next) =>
      name === href ? { url: href, shortCircuit: true } : next(name, context),
    load: (url, context, next) =>
      url === href ? { format: 'module-typescript', source, shortCircuit: true } : next(url, context),
  })
  return (await import(href)) as { default?: unknown }
}

const AsyncFunction = (async () => {}).constructor as new (body: string) => unknown

/** Compiles the script without running it. */
function isExpression(script: string): boolean {
  try {
    void new AsyncFunction(`return (${script}\n)`)
    return script.trim() !== ''
  } catch {
    return false
  }
}
