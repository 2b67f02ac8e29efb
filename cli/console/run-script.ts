import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'

/**
 * Runs what comes in as a module of the project, with `known` at hand. Of a single expression the value is given;
 * a longer script says what it has to say, and gives undefined. Throws what it throws.
 */
export async function runScript(input: NodeJS.ReadableStream, known: object): Promise<unknown> {
  const script = await text(input)
  Object.defineProperties(globalThis, Object.getOwnPropertyDescriptors(known))
  const module = await importText(isExpression(script) ? `export default (${script}\n)` : script)
  return module.default
}

// As if it were a file in the root, so that types are stripped and imports lead where they do elsewhere.
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

/** Compiled, not run. */
function isExpression(script: string): boolean {
  try {
    void new AsyncFunction(`return (${script}\n)`)
    return script.trim() !== ''
  } catch {
    return false
  }
}
