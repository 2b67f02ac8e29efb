import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from '@playwright/test'
import { scriptOf, toolEnv } from './tools.ts'

const DEBIAN_CHROMIUM = '/usr/bin/chromium'

/** Returns the path of a Chromium, which Playwright or apt-get installs if none exists. Throws if that fails too. */
export function findBrowser(): string {
  const { CHROMIUM_PATH } = process.env
  if (CHROMIUM_PATH) {
    if (existsSync(CHROMIUM_PATH)) return CHROMIUM_PATH
    throw new Error(`CHROMIUM_PATH is ${CHROMIUM_PATH}, which does not exist. Correct it, or unset it.`)
  }
  const path = installed() ?? installedByPlaywright() ?? installedByApt()
  if (path !== undefined) return path
  throw new Error(
    'Found no browser for the browser tests, and could not install one. Install Chromium or Chrome, and run ' +
      'CHROMIUM_PATH=/path/to/chromium npm test',
  )
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findBrowser(),
    // Chromium's sandbox doesn't work for root, the user of most containers.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })

const installed = () => [chromium.executablePath(), DEBIAN_CHROMIUM].find((path) => existsSync(path))

function installedByPlaywright(): string | undefined {
  console.log('Found no Chromium. Running: npx playwright install chromium')
  run(process.execPath, scriptOf('playwright'), 'install', 'chromium')
  return installed()
}

// Debian's package includes the libraries that Playwright's Chromium lacks on a minimal system.
function installedByApt(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined
  console.log('That failed. Running: apt-get update && apt-get install -y chromium')
  if (run('apt-get', 'update')) run('apt-get', 'install', '-y', 'chromium')
  return installed()
}

function run(command: string, ...args: string[]): boolean {
  const env = toolEnv({ DEBIAN_FRONTEND: 'noninteractive' })
  return spawnSync(command, args, { stdio: 'inherit', env }).status === 0
}
