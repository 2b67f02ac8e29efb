import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

interface LockedPackage {
  readonly link?: boolean
  readonly integrity?: string
  readonly resolved?: string
}

describe('package-lock.json', () => {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  const installed = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.startsWith('node_modules/') && link !== true,
  )

  it('has the digest of every package, so that npm refuses a changed one', () => {
    expect(installed.length).toBeGreaterThan(100)
    expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([])
  })

  // npm writes the registry of an application's own packages.
  it('names no registry for the packages of the framework', () => {
    const { dependencies } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../app/framework/package.json'), 'utf8'),
    ) as { dependencies: object }
    const own = installed.filter(([path]) => Object.hasOwn(dependencies, path.slice('node_modules/'.length)))
    expect(own.length).toBeGreaterThan(10)
    expect(own.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })
})
