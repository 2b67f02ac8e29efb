import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '../../../..')

/** Copies the application and its production packages to a folder, as the image does, and deletes it after the test. */
export function productionFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-production-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const isOwn = (path: string) => !path.slice(root.length).includes('/node_modules')
  for (const name of ['package.json', 'package-lock.json', 'app', 'cli', 'public', 'views'])
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: isOwn })
  for (const [path, { dev, devOptional, link, resolved }] of Object.entries(lockedPackages())) {
    const isUsed = path.includes('node_modules/') && dev !== true && devOptional !== true
    if (!isUsed || !existsSync(join(root, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    if (link === true) symlinkSync(join('..', resolved ?? ''), join(folder, path))
    else cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  return folder
}

interface LockedPackage {
  dev?: boolean
  devOptional?: boolean
  link?: boolean
  resolved?: string
}

const lockedPackages = () =>
  (
    JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, LockedPackage>
    }
  ).packages
