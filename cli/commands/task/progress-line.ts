import type { Progress } from 'pergola/tasks'

interface Terminal {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

/** Milliseconds between two updates of the bar. Without a terminal, `LINE_EVERY` is the time between two lines. */
const REDRAW = 100
const LINE_EVERY = 10_000
const WIDTH = 30

/** Shows the progress of a task: a bar on a terminal, otherwise a line every ten seconds. Use `around` for other output. */
export class ProgressLine {
  readonly #terminal: Terminal
  readonly #isBar: boolean
  #shownAt = Date.now()
  #isDrawn = false

  constructor(terminal: Terminal, isPlain = process.env['TERM'] === 'dumb') {
    this.#terminal = terminal
    this.#isBar = terminal.isTTY === true && !isPlain
    if (this.#isBar) this.#shownAt = 0
  }

  show(progress: Progress): void {
    if (Date.now() - this.#shownAt < (this.#isBar ? REDRAW : LINE_EVERY)) return
    this.#shownAt = Date.now()
    if (!this.#isBar) return void this.#terminal.write(`${words(progress)}\n`)
    this.#terminal.write(`\r\u001b[K${picture(progress).slice(0, (this.#terminal.columns || 80) - 1)}`)
    this.#isDrawn = true
  }

  /** Clears the bar and writes other output. The next progress draws the bar again. */
  around(write: () => void): void {
    this.clear()
    write()
  }

  clear(): void {
    if (this.#isDrawn) this.#terminal.write('\r\u001b[K')
    this.#isDrawn = false
  }
}

/** Formats the progress: `41%, 12,345 rows`. */
export function words({ rows, share }: Progress): string {
  const counted = `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`
  return share === null ? counted : `${Math.floor(share * 100)}%, ${counted}`
}

function picture(progress: Progress): string {
  if (progress.share === null) return words(progress)
  const filled = Math.round(progress.share * WIDTH)
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${words(progress)}`
}
