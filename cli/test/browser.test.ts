import type * as childProcess from 'node:child_process'
import type * as fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const files = new Set<string>()
const spawned: string[] = []
let install = (_command: string): string[] => []

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof fs>()),
  existsSync: (path: string) => files.has(path),
}))
vi.mock('node:child_process', async (original) => ({
  ...(await original<typeof childProcess>()),
  spawnSync(command: string, args: string[]) {
    const line = [command === process.execPath ? 'playwright' : command, ...args.slice(-3)].join(' ')
    spawned.push(line)
    for (const path of install(line)) files.add(path)
    return { status: 0 }
  },
}))
vi.mock('@playwright/test', () => ({ chromium: { executablePath: () => '/cache/chrome' } }))
vi.stubEnv('ProgramFiles', '/c/Program Files')
const { findBrowser } = await import('./browser.ts')

beforeEach(() => {
  files.clear()
  spawned.length = 0
  install = () => []
  vi.stubEnv('CHROMIUM_PATH', '')
  vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(process, 'getuid').mockReturnValue(1000)
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe('findBrowser', () => {
  it('returns CHROMIUM_PATH if it is set', () => {
    vi.stubEnv('CHROMIUM_PATH', '/my/chrome')
    files.add('/my/chrome').add('/cache/chrome')
    expect(findBrowser()).toBe('/my/chrome')
  })

  it('throws if CHROMIUM_PATH does not exist', () => {
    vi.stubEnv('CHROMIUM_PATH', '/my/chrome')
    files.add('/cache/chrome')
    expect(findBrowser).toThrow('CHROMIUM_PATH is /my/chrome, which does not exist')
  })

  it('prefers the browser of Playwright to that of Debian', () => {
    files.add('/usr/bin/chromium')
    expect(findBrowser()).toBe('/usr/bin/chromium')
    files.add('/cache/chrome')
    expect(findBrowser()).toBe('/cache/chrome')
    expect(spawned).toEqual([])
  })

  it.each([
    '/opt/google/chrome/chrome',
    '/opt/microsoft/msedge/msedge',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    '/c/Program Files/Google/Chrome/Application/chrome.exe',
    '/c/Program Files (x86)/Microsoft/Edge/Application/msedge.exe',
  ])('uses the installed %s and installs nothing', (path) => {
    files.add(path)
    expect(findBrowser()).toBe(path)
    expect(spawned).toEqual([])
  })

  it('installs a browser with Playwright', () => {
    install = (line) => (line.startsWith('playwright') ? ['/cache/chrome'] : [])
    expect(findBrowser()).toBe('/cache/chrome')
    expect(spawned).toHaveLength(1)
  })

  it('installs the package of Debian as root if Playwright fails', () => {
    vi.spyOn(process, 'getuid').mockReturnValue(0)
    files.add('/usr/bin/apt-get')
    install = (line) => (line === 'apt-get install -y chromium' ? ['/usr/bin/chromium'] : [])
    expect(findBrowser()).toBe('/usr/bin/chromium')
    expect(spawned.slice(1)).toEqual(['apt-get update', 'apt-get install -y chromium'])
  })

  it('throws with the fix if no browser can be installed', () => {
    files.add('/usr/bin/apt-get')
    expect(findBrowser).toThrow(/set CHROMIUM_PATH to its path.*proxy.*HTTPS_PROXY/)
    expect(spawned).toHaveLength(1)
  })
})
