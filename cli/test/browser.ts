import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from '@playwright/test'
import { scriptOf, toolEnv } from './tools.ts'

const { ProgramFiles = '', LOCALAPPDATA = '' } = process.env
const WINDOWS = [ProgramFiles, `${ProgramFiles} (x86)`, LOCALAPPDATA]

/** Where Debian, macOS and Windows install Chromium, Chrome and Edge. The first one that exists runs the tests. */
const PLACES = [
  '/usr/bin/chromium',
  '/opt/google/chrome/chrome',
  '/opt/microsoft/msedge/msedge',
  ...['Chromium', 'Google Chrome', 'Microsoft Edge'].map(
    (app) => `/Applications/${app}.app/Contents/MacOS/${app}`,
  ),
  ...WINDOWS.map((folder) => `${folder}/Google/Chrome/Application/chrome.exe`),
  ...WINDOWS.map((folder) => `${folder}/Microsoft/Edge/Application/msedge.exe`),
]

/**
 * Returns the path of the Chromium of Playwright, or of an installed browser of its kind. If none exists, Playwright or
 * apt-get installs one. Throws if that fails too.
 */
export function findBrowser(): string {
  const { CHROMIUM_PATH } = process.env
  if (CHROMIUM_PATH) {
    if (existsSync(CHROMIUM_PATH)) return CHROMIUM_PATH
    throw new Error(`CHROMIUM_PATH is ${CHROMIUM_PATH}, which does not exist. Correct it, or unset it.`)
  }
  const path = installed() ?? installedByPlaywright() ?? installedByApt()
  if (path !== undefined) return path
  throw new Error(
    'Found no browser for the browser tests, and could not install one. Install Chrome, Edge or Chromium, and set ' +
      'CHROMIUM_PATH to its path if it is in an unusual place. If a proxy blocks the download, set HTTPS_PROXY, or ' +
      'PLAYWRIGHT_DOWNLOAD_HOST to a mirror.',
  )
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findBrowser(),
    // Chromium's sandbox doesn't work for root, the user of most containers.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })

const installed = () => [chromium.executablePath(), ...PLACES].find((path) => existsSync(path))

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
