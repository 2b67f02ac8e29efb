import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LogDestination } from './log-destination.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'pergola-log-'))

/** A pipe whose reader reads when the test asks it to, like a disk that is full and has space again. */
function pipe() {
  const path = join(folder(), 'pipe')
  execFileSync('mkfifo', [path])
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(fd))
  const read = () => {
    try {
      const bytes = Buffer.alloc(1_000_000)
      return bytes.subarray(0, readSync(fd, bytes)).toString()
    } catch {
      return ''
    }
  }
  return { fd, read }
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `${String(index).padStart(99)}\n`)

describe('LogDestination', () => {
  it('writes all lines in their order', async () => {
    const path = join(folder(), 'log')
    const destination = new LogDestination({ fd: openSync(path, 'a'), onDropped: () => {} })
    const lines = numbered(5_000)
    for (const line of lines) destination.write(line)
    destination.flush()
    await expect.poll(() => readFileSync(path, 'utf8')).toBe(lines.join(''))
  })

  it('drops and counts lines while none can be written, and continues afterwards', async () => {
    const { fd, read } = pipe()
    const dropped: number[] = []
    const destination = new LogDestination({ fd, most: 200_000, onDropped: (count) => dropped.push(count) })
    const lines = numbered(10_000)
    for (const line of lines) destination.write(line)
    let text = ''
    await expect
      .poll(() => {
        text += read()
        destination.write('.')
        return dropped.length
      })
      .toBeGreaterThan(0)
    await expect.poll(() => (text += read()).endsWith('.')).toBe(true)
    const received = text.replace(/\.+$/, '')
    expect(received).toBe(lines.slice(0, received.length / 100).join(''))
    expect(dropped[0]).toBeGreaterThanOrEqual(10_000 - received.length / 100)
  })

  it.skipIf(process.platform !== 'linux')('lets a process run and end although its disk is full', () => {
    const module = pathToFileURL(join(import.meta.dirname, 'log-destination.ts')).href
    const program = `
      import { LogDestination } from '${module}'
      const destination = new LogDestination({ onDropped: () => {} })
      destination.write('a line\\n')
      destination.flush()
      setTimeout(() => {
        destination.flushSync()
        destination.write('another line\\n')
        console.error('runs')
      }, 100)`
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, 'runs\n'])
  })
})
