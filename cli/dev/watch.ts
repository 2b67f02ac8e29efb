import { relative, sep } from 'node:path'
import { watch } from 'chokidar'

// Milliseconds in which changes count as one. Editors and git write several files, or one file in several steps.
const DEBOUNCE = 60

// Milliseconds that a view and its partials, or a style, are collected: a browser requests them again only once.
const DEBOUNCE_VIEWS = 20

export type Watcher = {
  readonly ready: Promise<void>
  /** Resolves when no code has changed for a moment, and no command writes files. */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface Watched {
  /**
   * Receives the path of each changed file that the running server depends on: code and configuration in app/, and .env.
   * Called at once, or after the last change while `isWriting` returns true.
   */
  readonly code: (file: string) => void
  /** Called after changes of views and public files, which are read for every request. */
  readonly pages: () => void
  /** Whether a command is writing files. */
  readonly isWriting: () => boolean
}

/** Watches the files that the pages of `npm run dev` depend on. */
export function watchFiles(root: string, { code, pages, isWriting }: Watched): Watcher {
  const path = (file: string) => relative(root, file).replaceAll(sep, '/')
  let timer: NodeJS.Timeout | undefined
  let timerOfPages: NodeJS.Timeout | undefined
  let changing: PromiseWithResolvers<void> | null = null
  const unreported = new Set<string>()
  // Watches the whole folder, because .env may not exist yet.
  const watcher = watch(root, {
    ignoreInitial: true,
    ignored: (file) => !/^($|\.env$|(app|views|public)($|\/))/.test(path(file)),
  })
  watcher.on('all', (_event, file) => {
    if (isCode(path(file))) codeChanged(path(file))
    else if (isOfPages(path(file))) pagesChanged()
  })

  function codeChanged(file: string): void {
    changing ??= Promise.withResolvers()
    if (isWriting()) unreported.add(file)
    // Requests wait from now on, so that no page is made of old code and new views.
    else code(file)
    waitForOthers()
  }

  function waitForOthers(): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (isWriting()) return waitForOthers()
      unreported.forEach(code)
      unreported.clear()
      changing?.resolve()
      changing = null
    }, DEBOUNCE)
  }

  function pagesChanged(): void {
    clearTimeout(timerOfPages)
    timerOfPages = setTimeout(() => (isWriting() ? pagesChanged() : pages()), DEBOUNCE_VIEWS)
  }
  watcher.on('error', (error) => console.error('Some changes may be missed:', error))
  return {
    ready: new Promise((resolve) => watcher.once('ready', resolve)),
    settled: () => Promise.resolve(changing?.promise),
    close: () => {
      clearTimeout(timer)
      clearTimeout(timerOfPages)
      changing?.resolve()
      return watcher.close()
    },
  }
}

export function isCode(path: string): boolean {
  return path === '.env' || /^app\/.*(?<!\.test)\.(ts|toml|json)$/.test(path)
}

/** Returns whether a page shows the file, and the server reads it again for each page. */
export function isOfPages(path: string): boolean {
  return /^(?:app\/.*\.eta$|views\/.*\.eta$|public\/)/.test(path)
}
