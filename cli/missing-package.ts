import { readFileSync } from 'node:fs'

/** The package that an import didn't find; null for every other error. */
export function missingPackage(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) return null
  return /^Cannot find package '([^']+)'/.exec(error.message)?.[1] ?? null
}

/** What to do where this package is not installed. */
export function howToInstall(name: string): string {
  const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const { devDependencies } = JSON.parse(file) as { devDependencies: Record<string, string> }
  return Object.hasOwn(devDependencies, name)
    ? `This is for development, where ${name} is installed: npm ci --include=dev`
    : `${name} is not installed: npm ci`
}
