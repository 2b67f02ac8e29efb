import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'
import type { Machine } from './browser.ts'
import { scriptOf, toolEnv } from './tools.ts'

const linux = process.platform === 'linux'

/** This machine, as the search for a browser sees it. */
export const thisMachine: Machine = {
  env: process.env,
  platform: process.platform,
  isRoot: process.getuid?.() === 0,
  playwrightPath,
  exists: existsSync,
  // Elsewhere a browser that is installed is complete, and on Windows --version would open its window.
  runs: (path) => !linux || spawnSync(path, ['--version'], { timeout: 30_000 }).status === 0,
  playwright: (...args) => inSight(process.execPath, [scriptOf('playwright'), ...args]),
  apt: (...args) => inSight('apt-get', args),
  say: console.log,
}

function playwrightPath(): string {
  try {
    return chromium.executablePath()
  } catch {
    // There is none for this platform.
    return ''
  }
}

function inSight(command: string, args: string[]): boolean {
  const env = toolEnv({ DEBIAN_FRONTEND: 'noninteractive' })
  return spawnSync(command, args, { stdio: 'inherit', env }).status === 0
}
