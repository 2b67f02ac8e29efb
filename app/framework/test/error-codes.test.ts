import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ERROR_CODES } from 'pergola/app'

const folder = join(import.meta.dirname, '../src')
const sources = globSync('**/*.ts', { cwd: folder })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(folder, file), 'utf8'))

/** Each `new HttpError(405, 'method_not_allowed')` of the framework, without redirects. */
const thrown = sources
  .flatMap((source) => [...source.matchAll(/\b(?:HttpError|super|refused)\((\d{3}), '(\w+)'/g)])
  .map(([, status, code = '']) => [code, Number(status)] as const)
  .filter(([, status]) => status >= 400)

describe('ERROR_CODES', () => {
  it.each(thrown)('has %s with the status %i', (code, status) => {
    expect(ERROR_CODES).toHaveProperty(code, expect.objectContaining({ status }))
  })

  it.each(Object.keys(ERROR_CODES))('has %s, which the framework uses', (code) => {
    const uses = sources.filter((source) => source.includes(`'${code}'`))
    expect(uses).not.toEqual([])
  })
})
