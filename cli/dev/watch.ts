import { relative, sep } from 'node:path'
import { watch } from 'chokidar'

// Milliseconds in which changes count as one. Editors and git write several files, or one file in several steps.
const DEBOUNCE = 60

export type Watcher = { readonly ready: Promise<void>; close(): Promise<void> }

/**
 * Calls `changed` with the path of a changed file that the running server depends on: code and configuration in app/, and
 * .env. Ignores views and public files, which are read for every request. Waits while `isWriting` returns true.
 */
export function watchCode(
  root: string,
  changed: (file: string) => void,
  isWriting: () => boolean = () => false,
): Watcher {
  const path = (file: string) => relative(root, file).replaceAll(sep, '/')
  let timer: NodeJS.Timeout | undefined
  // Watches the whole folder, because .env may not exist yet.
  const watcher = watch(root, {
    ignoreInitial: true,
    ignored: (file) => !/^($|\.env$|app($|\/))/.test(path(file)),
  })
  watcher.on('all', (_event, file) => {
    if (isCode(path(file))) debounce(path(file))
  })
  function debounce(file: string): void {
    clearTimeout(timer)
    timer = setTimeout(() => (isWriting() ? debounce(file) : changed(file)), DEBOUNCE)
  }
  watcher.on('error', (error) => console.error('Some changes may be missed:', error))
  return {
    ready: new Promise((resolve) => watcher.once('ready', resolve)),
    close: () => {
      clearTimeout(timer)
      return watcher.close()
    },
  }
}

export function isCode(path: string): boolean {
  return path === '.env' || /^app\/.*(?<!\.test)\.(ts|toml|json)$/.test(path)
}
