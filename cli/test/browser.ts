/** What the search for a browser asks of the machine, and does to it. */
export type Machine = {
  env: NodeJS.ProcessEnv
  platform: NodeJS.Platform
  isRoot: boolean
  /** Where Playwright keeps its own Chromium, whether or not it is there. */
  playwrightPath: () => string
  exists: (path: string) => boolean
  /** Whether it starts: a stub that only tells how to install a package doesn't, nor one that lacks libraries. */
  runs: (path: string) => boolean
  /** Both run in sight; false when they fail. */
  playwright: (...args: string[]) => boolean
  apt: (...args: string[]) => boolean
  say: (line: string) => void
}

/** The path of a Chromium or Chrome, installed if need be. Throws a sentence with the remedy when there is none. */
export function findBrowser(machine: Machine): string {
  const { CHROMIUM_PATH } = machine.env
  if (CHROMIUM_PATH) {
    if (machine.exists(CHROMIUM_PATH)) return CHROMIUM_PATH
    throw new Error(`CHROMIUM_PATH is ${CHROMIUM_PATH}, which does not exist. Correct it, or unset it.`)
  }
  const path = present(machine) ?? installedByPlaywright(machine) ?? installedByApt(machine)
  if (path !== undefined) return path
  throw new Error(
    'The browser tests found no browser, and none could be installed. Install Chrome or Chromium, ' +
      'or say where it is: CHROMIUM_PATH=/path/to/chromium npm test',
  )
}

function present(machine: Machine): string | undefined {
  const own = machine.playwrightPath()
  return [own, ...usualPlaces(machine)].find((path) => machine.exists(path) && machine.runs(path))
}

const names = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser', 'microsoft-edge']

function usualPlaces({ platform, env }: Machine): string[] {
  if (platform === 'darwin') {
    return ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
      (app) => `/Applications/${app}.app/Contents/MacOS/${app}`,
    )
  }
  if (platform === 'win32') {
    return [env['PROGRAMFILES'], env['PROGRAMFILES(X86)'], env['LOCALAPPDATA']]
      .filter((folder) => folder !== undefined)
      .flatMap((folder) => [
        `${folder}\\Google\\Chrome\\Application\\chrome.exe`,
        `${folder}\\Microsoft\\Edge\\Application\\msedge.exe`,
      ])
  }
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => folder !== '')
  return names.flatMap((name) => folders.map((folder) => `${folder}/${name}`))
}

function installedByPlaywright(machine: Machine): string | undefined {
  machine.say('No Chrome or Chromium was found. Running: npx playwright install chromium')
  machine.playwright('install', 'chromium')
  return present(machine)
}

// Debian's package brings the libraries too, which Playwright's Chromium lacks on a bare system.
function installedByApt(machine: Machine): string | undefined {
  if (!machine.isRoot || !machine.exists('/usr/bin/apt-get')) return undefined
  machine.say('That was not enough. Running: apt-get update && apt-get install -y chromium')
  if (machine.apt('update')) machine.apt('install', '-y', 'chromium')
  return present(machine)
}
