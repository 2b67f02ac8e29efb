// Shows changed files in the open page. `npm run dev` adds this script to each page that a browser opens.
/* oxlint-disable unicorn/require-post-message-target-origin -- a BroadcastChannel has no target */
const KEPT = 'reload'
let shown = document.currentScript.dataset.version
let latest = shown
let isUpdating = false

// One tab listens to the server for all, because a browser opens only six connections to a host.
const tabs = new BroadcastChannel('reload')
let isListening = false
tabs.addEventListener('message', ({ data }) => {
  if (data !== 'newest?') notice(data)
  else if (isListening) tabs.postMessage(latest)
})
tabs.postMessage('newest?')
// Only pages of localhost and of HTTPS have locks. The lock is kept until the tab is closed.
if (navigator.locks) void navigator.locks.request('reload', () => new Promise(listen))
else listen()

function listen() {
  isListening = true
  new EventSource('/_dev/reload').addEventListener('message', ({ data }) => {
    tabs.postMessage(data)
    notice(data)
  })
}

function notice(version) {
  latest = version
  if (!isUpdating) void update()
}

async function update() {
  isUpdating = true
  while (shown !== latest) {
    const version = latest
    await showAgain().catch(() => null)
    shown = version
  }
  isUpdating = false
}

/** Requests the page again. Changes what is different, so that the input, the focus and the place stay. */
async function showAgain() {
  const response = await fetch(location.href, { headers: { Accept: 'text/html', 'X-Reload': '1' } })
  const text = await response.text()
  const page = new DOMParser().parseFromString(text, 'text/html')
  // Listeners of a replaced script would stay, and an error page isn't a changed version of this page.
  const isOther = response.redirected || response.status >= 500 || scriptsOf(page) !== scriptsOf(document)
  if (isOther || !window.htmx) return openAgain()
  await replaceStyles(page)
  await htmx.swap({ text, sourceElement: document.body, target: document.body, swap: 'innerMorph' })
}

const scriptsOf = (page) =>
  [...page.querySelectorAll('script[src]:not([src^="/_dev/"])')]
    .map((script) => script.getAttribute('src'))
    .join()

const stylesOf = (page) => [...page.querySelectorAll('link[rel="stylesheet"]')]

async function replaceStyles(page) {
  const current = stylesOf(document)
  for (const [index, style] of stylesOf(page).entries()) {
    const old = current[index]
    if (old?.getAttribute('href') === style.getAttribute('href')) continue
    const loaded = new Promise((resolve) => {
      for (const event of ['load', 'error']) style.addEventListener(event, resolve)
    })
    if (old) old.after(style)
    else document.head.append(style)
    await loaded
    old?.remove()
  }
}

/** Opens the page anew. What was typed returns as soon as the page does, which can be after an error page. */
function openAgain() {
  if (window.htmx) sessionStorage.setItem(KEPT, JSON.stringify({ page: location.href, state: stateOfPage() }))
  location.reload()
}

const CHANGED_BY_USERS =
  'input:not([type="password"], [type="file"], [type="hidden"]), textarea, select, details, button, a'
const elements = () => [...document.querySelectorAll(CHANGED_BY_USERS)]

const stateOfPage = () =>
  elements().map((element) => {
    const { name, value, checked, open } = element
    return { name, value, checked, open, hasFocus: element === document.activeElement }
  })

function restoreState() {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null')
  if (kept?.page !== location.href || document.querySelector('script[src*="htmx"]') === null) return
  sessionStorage.removeItem(KEPT)
  for (const [index, element] of elements().entries()) {
    const { hasFocus, ...state } = kept.state[index] ?? {}
    if (state.name !== element.name) continue
    Object.assign(element, state)
    if (hasFocus) element.focus({ preventScroll: true })
  }
}

restoreState()
