import { once } from 'node:events'
import { join } from 'node:path'
import { watch } from 'chokidar'
import { untilInterrupted } from '../../dev/interrupt.ts'
import { root } from '../../test/tools.ts'
import { checkViews } from './check-views.ts'

/** Prints the errors of the views and of the application. Exit code 1 if there are any. */
export async function checkCommand({ watch: repeats = false }: { watch?: boolean }): Promise<void> {
  if (repeats) await watchViews(root, untilInterrupted())
  else process.exitCode = (await report(root)) ? 0 : 1
}

/** Prints the errors. Returns false if it found any. */
export async function report(root: string): Promise<boolean> {
  const { errors, views } = await checkViews(root)
  for (const error of errors) console.log(error)
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
  console.log(`Checked ${views} views and the application: ${count}.`)
  return errors.length === 0
}

/** Checks after each change. Changes during a check cause one more. Editors recognize the first and the last line. */
export async function watchViews(root: string, signal: AbortSignal): Promise<void> {
  const watcher = watch([join(root, 'views'), join(root, 'app')], { ignoreInitial: true })
  await once(watcher, 'ready')
  let changed = Promise.withResolvers<void>()
  watcher.on('all', () => changed.resolve())
  signal.addEventListener('abort', () => changed.resolve())
  while (!signal.aborted) {
    changed = Promise.withResolvers()
    console.log('Checking the views …')
    await report(root).catch(({ message }: Error) => console.error(message))
    console.log('Watching for changes.')
    await changed.promise
  }
  await watcher.close()
}
