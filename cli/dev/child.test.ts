import { expect, it, onTestFinished } from 'vitest'
import { startChild } from './child.ts'

const CODE = `
  process.on('SIGTERM', () => process.exit(1))
  process.on('disconnect', () => process.exit(2))
  process.send({ port: 1 })
  setInterval(() => {}, 1000)`

it.each([
  ['linux', 1],
  ['win32', 2],
] as const)('stops a child in order, on %s with exit code %i', async (platform, code) => {
  const real = process.platform
  Object.defineProperty(process, 'platform', { value: platform })
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: real }))
  const child = startChild({ command: process.execPath, args: ['-e', CODE], env: () => process.env })
  await child.listening
  await child.stop()
  expect(await child.ended).toMatchObject({ code, signal: null })
})
