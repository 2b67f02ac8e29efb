import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openBrowser } from '../../test/browser.ts'
import { root } from '../../test/tools.ts'
import { Front } from '../front.ts'

const HTMX = readFileSync(join(root, 'node_modules/htmx.org/dist/htmx.min.js'))
const SCRIPT = 'src="/_dev/reload.js"'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

interface Shown {
  status: number
  text: string
  color: string
  script: string
  title: string
  rows: number[]
}

const pageOf = ({ text, color, script, title, rows }: Shown) => `<!doctype html>
<html lang="en"><head><title>${text}</title>
<meta name="htmx-config" content='{"morphIgnore":["data-htmx-powered","open"]}'><link rel="stylesheet" href="/style/${color}"><script src="/script/${script}" defer></script>
<script src="/htmx.js" defer></script></head>
<body><h1>${text}</h1><details><summary>More</summary>Details</details>
${rows.map((id) => `<button name="delete" value="${id}">Delete</button>`).join('')}
<form action="/posts"><input name="title" value="${title}" autofocus><input name="done" type="checkbox"><textarea name="body"></textarea>
<select name="kind"><option>c</option><option>a b</option><option>b</option></select></form>
<p style="height: 3000px">Long</p></body></html>`

/** A server behind `npm run dev`, whose pages show the properties of `shown`. */
async function developed() {
  const shown: Shown = { status: 200, text: 'One', color: 'red', script: 'a', title: 'old', rows: [7] }
  const streams: string[] = []
  const answer = ({ url = '' }: IncomingMessage, res: ServerResponse) => {
    const [, folder, name = ''] = url.split('/')
    if (folder === 'style') res.setHeader('content-type', 'text/css').end(`h1 { color: ${name} }`)
    else if (folder === 'script') res.end(`document.documentElement.dataset.script = '${name}'`)
    else if (folder === 'htmx.js') res.end(HTMX)
    else if (folder === 'data') res.end('<head></head>')
    else if (folder === 'download')
      res
        .setHeader('content-disposition', 'attachment')
        .setHeader('content-type', 'text/html')
        .end('<head></head>')
    else if (folder === 'headless') res.setHeader('content-type', 'text/html').end('x'.repeat(200_000))
    else {
      res.setHeader('content-type', 'text/html').statusCode = shown.status
      res.end(shown.status < 500 ? pageOf(shown) : '<head></head><h1>It failed</h1>')
    }
  }
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const front = await Front.open({ host: '127.0.0.1', port: 0 })
  front.forwardTo((server.address() as AddressInfo).port)
  const context = await browser.newContext({ baseURL: `http://localhost:${front.port}` })
  onTestFinished(async () => {
    await context.close()
    front.close()
    server.closeAllConnections()
    server.close()
  })
  context.on('request', (request) => {
    if (request.url().endsWith('/_dev/reload')) streams.push(request.url())
  })
  const open = async () => {
    const page = await context.newPage()
    await page.goto('/')
    return page
  }
  const change = (changed: Partial<Shown>) => {
    Object.assign(shown, changed)
    front.pages.refresh()
  }
  return { front, context, server, streams, open, change }
}

async function typeSomething(page: Page) {
  await page.fill('[name=title]', 'typed')
  await page.check('[name=done]')
  await page.click('summary')
  await page.fill('[name=body]', 'half a sent')
  await page.evaluate('scrollTo(0, 700)')
}

const kept = async (page: Page) => ({
  title: await page.inputValue('[name=title]'),
  done: await page.isChecked('[name=done]'),
  body: await page.inputValue('[name=body]'),
  open: await page.evaluate('document.querySelector("details").open'),
  focus: await page.evaluate('document.activeElement.getAttribute("name")'),
})
const TYPED = { title: 'typed', done: true, body: 'half a sent', open: true, focus: 'body' }

/** Marks the window, because a page that is opened anew has another one. */
const mark = (page: Page) => page.evaluate('window.isMarked = true')
const isMarked = (page: Page) => page.evaluate('window.isMarked === true')

describe('the reload of an open page', () => {
  it('changes what is different, and keeps the input, the focus and the place', async () => {
    const { open, change } = await developed()
    const page = await open()
    await typeSomething(page)
    await mark(page)
    change({ text: 'Two' })
    await page.waitForSelector('h1:text-is("Two")')
    expect([await page.title(), await isMarked(page), await page.evaluate('scrollY')]).toEqual([
      'Two',
      true,
      700,
    ])
    expect(await kept(page)).toEqual(TYPED)
  })

  it('replaces a style sheet', async () => {
    const { open, change } = await developed()
    const page = await open()
    await mark(page)
    change({ color: 'green' })
    const color = () => page.evaluate('getComputedStyle(document.querySelector("h1")).color')
    await expect.poll(color).toBe('rgb(0, 128, 0)')
    await expect.poll(() => page.locator('link').count()).toBe(1)
    expect(await isMarked(page)).toBe(true)
  })

  it('opens the page anew for a changed script, and restores the input', async () => {
    const { open, change } = await developed()
    const page = await open()
    await typeSomething(page)
    change({ script: 'b' })
    await page.waitForSelector('[data-script=b]')
    await expect.poll(() => kept(page)).toEqual(TYPED)
  })

  it('restores only what the user changed, into the same fields', async () => {
    const { open, change } = await developed()
    const page = await open()
    await page.fill('[name=body]', 'half a sent')
    await page.selectOption('[name=kind]', 'a b')
    change({ script: 'b', title: 'new', rows: [9, 7] })
    await page.waitForSelector('[data-script=b]')
    await expect.poll(() => page.inputValue('[name=body]')).toBe('half a sent')
    const values = 'Array.from(document.querySelectorAll("button"), ({ value }) => value).join()'
    expect([
      await page.inputValue('[name=title]'),
      await page.inputValue('[name=kind]'),
      await page.evaluate(values),
    ]).toEqual(['new', 'a b', '9,7'])
  })

  it('keeps the input of a form that the server sent back', async () => {
    const { open, change } = await developed()
    const page = await open()
    await page.evaluate('document.querySelector("[name=title]").setAttribute("value", "refused")')
    change({ text: 'Two' })
    await page.waitForSelector('h1:text-is("Two")')
    await expect.poll(() => page.inputValue('[name=title]')).toBe('refused')
  })

  it('shows an error, and restores the input after it', async () => {
    const { open, change } = await developed()
    const page = await open()
    await typeSomething(page)
    change({ status: 500 })
    await page.waitForSelector('text=It failed')
    change({ status: 200, text: 'Mended' })
    await page.waitForSelector('h1:text-is("Mended")')
    await expect.poll(() => kept(page)).toEqual(TYPED)
  })

  it('notices a change between the response and the start of the script', async () => {
    const { open, change, server } = await developed()
    // The script waits for the style sheet.
    server.prependListener('request', ({ url }) => {
      if (url === '/style/red') change({ text: 'Two', color: 'blue' })
    })
    const page = await open()
    await expect.poll(() => page.textContent('h1')).toBe('Two')
  })

  it('uses one stream for all tabs, which another tab continues', async () => {
    const { open, change, streams } = await developed()
    const first = await open()
    const second = await open()
    change({ text: 'Two' })
    for (const page of [first, second]) await page.waitForSelector('h1:text-is("Two")')
    expect(streams).toHaveLength(1)
    await first.close()
    await expect.poll(() => streams.length).toBe(2)
    change({ text: 'Three' })
    await second.waitForSelector('h1:text-is("Three")')
  })
})

describe('the errors of types', () => {
  const [view, code] = [
    "views/posts/show.eta(1,5): error TS2339: 'titel' is not in the <b>data</b>.",
    'app/app.ts(3,1): error TS1: Wrong.',
  ]

  it('are counted at the foot of each open page, with a link to the page that lists them', async () => {
    const { front, open } = await developed()
    const pages = [await open(), await open()] as const
    const links = pages.map((page) => page.getByRole('link', { name: /type error/ }))
    const [list] = pages
    for (const link of links) expect(await link.count()).toBe(0)
    await Promise.all(pages.map(mark))
    front.pages.showErrors([view, code])
    for (const link of links) await expect.poll(() => link.textContent()).toBe('2 type errors')
    expect(await Promise.all(pages.map(isMarked))).toEqual([true, true])
    await list.getByRole('link', { name: '2 type errors' }).click()
    await list.waitForSelector('strong:text-is("\'titel\' is not in the <b>data</b>.")')
    expect(await list.textContent('h1')).toBe('2 type errors')
    expect(await list.getByRole('link', { name: 'views/posts/show.eta:1' }).getAttribute('href')).toMatch(
      /^vscode:\/\/.+\/views\/posts\/show\.eta:1$/,
    )
    expect(await list.textContent('pre')).toContain('▸ 1  <%')
  })

  it('follow the checks on the page that lists them', async () => {
    const { front, context } = await developed()
    front.pages.showErrors([view, code])
    const page = await context.newPage()
    await page.goto('/_dev/types')
    front.pages.showErrors([code])
    await page.waitForSelector('h1:text-is("1 type error")')
    await expect.poll(() => page.getByRole('link', { name: '1 type error' }).count()).toBe(1)
    front.pages.showErrors([])
    await page.waitForSelector('h1:text-is("0 type errors")')
    await expect.poll(() => page.getByRole('link', { name: /type error/ }).count()).toBe(0)
  })
})

describe('the scripts of a page', () => {
  const HTML = { accept: 'text/html,*/*', connection: 'close' }

  it.each([
    ['a page', '/', HTML, true],
    ['a file that the browser opens', '/data', HTML, false],
    ['a download', '/download', HTML, false],
    ['a page without a head', '/headless', HTML, false],
    ['a frame', '/', { ...HTML, 'sec-fetch-dest': 'iframe' }, false],
    ['a part of a page', '/', { ...HTML, 'hx-request': 'true' }, false],
    ['a response for a program', '/', { connection: 'close' }, false],
  ])('are added: %s', async (_name, path, headers, isAdded) => {
    const { front } = await developed()
    const response = await fetch(`http://127.0.0.1:${front.port}${path}`, { headers })
    const text = await response.text()
    expect(text.includes(SCRIPT)).toBe(isAdded)
  })

  it('are not added to the page of a POST, which can’t be requested again', async () => {
    const { front } = await developed()
    const response = await fetch(`http://127.0.0.1:${front.port}/`, { method: 'POST', headers: HTML })
    expect(await response.text()).not.toContain(SCRIPT)
  })
})
