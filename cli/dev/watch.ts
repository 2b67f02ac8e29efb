import { relative, sep } from 'node:path'
import { watch } from 'chokidar'

// An editor or a git checkout changes several files, or one file in several steps: together they count once.
const SETTLED_AFTER = 60

export type Watcher = { readonly ready: Promise<void>; close(): Promise<void> }

/**
 * Calls `changed` with the path of a file of `root` that the running server depends on: code and configuration
 * in app/, and .env. Views and public files are none: they are read afresh. Not while somebody is writing several.
 */
export function watchCode(
  root: string,
  changed: (file: string) => void,
  isWriting: () => boolean = () => false,
): Watcher {
  const path = (file: string) => relative(root, file).replaceAll(sep, '/')
  let timer: NodeJS.Timeout | undefined
  // The whole folder, not .env itself: a file that does not exist yet cannot be watched.
  const watcher = watch(root, {
    ignoreInitial: true,
    ignored: (file) => !/^($|\.env$|app($|\/))/.test(path(file)),
  })
  watcher.on('all', (_event, file) => {
    if (isCode(path(file))) settle(path(file))
  })
  function settle(file: string): void {
    clearTimeout(timer)
    timer = setTimeout(() => (isWriting() ? settle(file) : changed(file)), SETTLED_AFTER)
  }
  watcher.on('error', (error) => console.error('Not every change will be seen:', error))
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
