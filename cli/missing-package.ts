import { readFileSync } from 'node:fs'

/** Returns the name of the package that could not be imported; null for any other error. */
export function missingPackage(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) return null
  return /^Cannot find package '([^']+)'/.exec(error.message)?.[1] ?? null
}

/** Returns the message about a package that is not installed. */
export function howToInstall(name: string): string {
  const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const { devDependencies } = JSON.parse(file) as { devDependencies: Record<string, string> }
  return Object.hasOwn(devDependencies, name)
    ? `This command needs the development dependency ${name}. Install it: npm ci --include=dev`
    : `${name} is not installed. Run: npm ci`
}
