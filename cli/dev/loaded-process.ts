import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'
import { type Child, type Command, observeChild, spawnChild, startChild } from './child.ts'

interface LoadedOptions extends Command {
  /** A script that loads packages, and then runs the command when it gets a message with the environment. */
  readonly loader: string
  /** The file that `npm install` changes. */
  readonly installed: string
}

/**
 * Starts a process in half of the time: while one runs, the next one has already loaded the packages, which a restart doesn't
 * change.
 */
export class LoadedProcess {
  readonly #options: LoadedOptions
  #next: { readonly child: ChildProcess; readonly installedAt: number } | null = null

  constructor(options: LoadedOptions) {
    this.#options = options
  }

  start(): Child {
    const { env, command } = this.#options
    const next = this.#next
    this.#next = null
    if (next === null || !isWaiting(next.child) || next.installedAt !== this.#installedAt()) {
      next?.child.kill('SIGKILL')
      return startChild(this.#options)
    }
    next.child.send(env())
    return observeChild(next.child, { command })
  }

  /** Prepares the next start. Call it when the process has started. */
  prepare(): void {
    if (this.#next !== null) return
    const child = spawnChild({ ...this.#options, args: [this.#options.loader] })
    // `start` checks whether the process still runs.
    child.on('error', () => {})
    this.#next = { child, installedAt: this.#installedAt() }
  }

  /** Ends the prepared process. Call it when a package that it has loaded changes. */
  discard(): void {
    this.#next?.child.kill('SIGKILL')
    this.#next = null
  }

  #installedAt(): number {
    return statSync(this.#options.installed, { throwIfNoEntry: false })?.mtimeMs ?? 0
  }
}

const isWaiting = ({ connected, exitCode, signalCode }: ChildProcess): boolean =>
  connected && exitCode === null && signalCode === null
