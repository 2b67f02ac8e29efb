import { describe, expect, it } from 'vitest'
import { findBrowser } from './browser.ts'
import type { Machine } from './browser.ts'

const PLAYWRIGHTS = '/cache/chromium/chrome'

describe('findBrowser', () => {
  it('takes CHROMIUM_PATH before everything else', () => {
    const { machine } = machineWith(['/my/chrome', PLAYWRIGHTS], { env: { CHROMIUM_PATH: '/my/chrome' } })
    expect(findBrowser(machine)).toBe('/my/chrome')
  })

  it('refuses a CHROMIUM_PATH that does not exist, whatever else there is', () => {
    const { machine } = machineWith([PLAYWRIGHTS], { env: { CHROMIUM_PATH: '/my/chrome' } })
    expect(() => findBrowser(machine)).toThrow('CHROMIUM_PATH is /my/chrome, which does not exist')
  })

  it("takes Playwright's own before the one of the system", () => {
    const { machine } = machineWith(['/usr/bin/chromium', PLAYWRIGHTS])
    expect(findBrowser(machine)).toBe(PLAYWRIGHTS)
  })

  it('looks for Chrome and Chromium along the PATH', () => {
    const { machine } = machineWith(['/usr/bin/chromium', '/opt/bin/google-chrome'])
    expect(findBrowser(machine)).toBe('/opt/bin/google-chrome')
  })

  it.each([
    ['darwin', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    ['win32', 'C:\\Programs\\Google\\Chrome\\Application\\chrome.exe'],
  ] as const)('looks in the usual places of %s', (platform, path) => {
    const { machine } = machineWith([path], { platform, env: { PROGRAMFILES: 'C:\\Programs' } })
    expect(findBrowser(machine)).toBe(path)
  })

  it('passes over a browser that does not start', () => {
    const { machine } = machineWith([PLAYWRIGHTS, '/usr/bin/chromium'], {
      runs: (path) => path !== PLAYWRIGHTS,
    })
    expect(findBrowser(machine)).toBe('/usr/bin/chromium')
  })

  it('lets Playwright install one, and says so', () => {
    const { machine, said, done } = machineWith([], { playwright: () => [PLAYWRIGHTS] })
    expect(findBrowser(machine)).toBe(PLAYWRIGHTS)
    expect(done).toEqual(['playwright install chromium'])
    expect(said).toEqual([expect.stringContaining('npx playwright install chromium')])
  })

  it('as root on Debian installs the package when Playwright could not', () => {
    const { machine, said, done } = machineWith(['/usr/bin/apt-get'], {
      isRoot: true,
      apt: () => ['/usr/bin/chromium'],
    })
    expect(findBrowser(machine)).toBe('/usr/bin/chromium')
    expect(done).toEqual(['playwright install chromium', 'apt update', 'apt install -y chromium'])
    expect(said).toHaveLength(2)
  })

  it.each([
    ['not root', ['/usr/bin/apt-get'], false],
    ['not on Debian', [], true],
  ])('fails with the remedy when %s', (_case, files, isRoot) => {
    const { machine, done } = machineWith(files, { isRoot, apt: () => ['/usr/bin/chromium'] })
    expect(() => findBrowser(machine)).toThrow('CHROMIUM_PATH=/path/to/chromium npm test')
    expect(done).toEqual(['playwright install chromium'])
  })
})

type Given = Partial<Pick<Machine, 'env' | 'platform' | 'isRoot' | 'runs'>> & {
  /** The files that the installation brings. */
  playwright?: () => string[]
  apt?: () => string[]
}

function machineWith(files: string[], { playwright, apt, ...given }: Given = {}) {
  const present = new Set(files)
  const done: string[] = []
  const said: string[] = []
  const installer =
    (name: string, brings: () => string[] = () => []) =>
    (...args: string[]) => {
      done.push([name, ...args].join(' '))
      if (args[0] === 'install') for (const file of brings()) present.add(file)
      return true
    }
  const machine: Machine = {
    platform: 'linux',
    isRoot: false,
    playwrightPath: () => PLAYWRIGHTS,
    exists: (path) => present.has(path),
    runs: () => true,
    playwright: installer('playwright', playwright),
    apt: installer('apt', apt),
    say: (line) => said.push(line),
    ...given,
    env: { PATH: '/usr/bin:/opt/bin', ...given.env },
  }
  return { machine, done, said }
}
