import { expect, test } from './support.ts'

declare global {
  interface Window {
    layoutShift: number
  }
}

/** The most bytes that a guest's first page may transfer, with its styles, scripts and icons. */
const MAX_BYTES = 45_000

for (const width of [360, 1440])
  test(`the first page of a guest at ${width} px is light and does not shift`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 })
    await page.addInitScript(() => {
      window.layoutShift = 0
      const add = (entries: PerformanceObserverEntryList) => {
        for (const entry of entries.getEntries())
          window.layoutShift += (entry as PerformanceEntry & { value: number }).value
      }
      new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true })
    })
    const client = await page.context().newCDPSession(page)
    await client.send('Network.enable')
    let bytes = 0
    client.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    await page.goto('/', { waitUntil: 'networkidle' })
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
    // Below what people notice (0.1). On a busy machine, a browser may paint before it has parsed the whole page.
    expect(await page.evaluate(() => window.layoutShift)).toBeLessThan(0.01)
  })
