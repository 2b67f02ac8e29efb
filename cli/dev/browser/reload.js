// Shows changed files in the open page. `npm run dev` adds this script to each page that a browser opens.
/* oxlint-disable unicorn/require-post-message-target-origin -- a BroadcastChannel has no target */
import { showErrors } from './bar.js'

const NAME = 'pergola-reload'
const READ_ANEW = { headers: { Accept: 'text/html', 'X-Reload': '1' }, cache: 'no-store' }
const { version } = document.querySelector('script[src="/_dev/reload.js"]').dataset
// A restart deletes the records of requests. The page of a request would become a 404 while a developer reads it.
const isKept = location.pathname.startsWith('/_dev/requests/')
let shown = Number(version)
let latest = { version: shown }
let isUpdating = false
let isListening = false

// One tab listens to the server for all, because a browser opens only six connections to a host.
const tabs = new BroadcastChannel(NAME)
tabs.addEventListener('message', ({ data }) => {
  if (data !== 'newest?') notice(data)
  else if (isListening) tabs.postMessage(latest)
})
tabs.postMessage('newest?')
// Only pages of localhost and of HTTPS have locks. The lock is kept until the tab is closed.
const forever = new Promise(() => {})
if (navigator.locks) void navigator.locks.request(NAME, () => (listen(), forever))
else listen()

let defaults = statesOf(document, defaultState)
restoreInput()

function listen() {
  isListening = true
  new EventSource('/_dev/reload').addEventListener('message', ({ data }) => {
    const state = JSON.parse(data)
    tabs.postMessage(state)
    notice(state)
  })
}

function notice(newest) {
  latest = newest
  showErrors(newest)
  if (!isUpdating && !isKept) void update()
}

async function update() {
  isUpdating = true
  while (shown !== latest.version) {
    shown = latest.version
    try {
      await showAgain()
    } catch (error) {
      console.error(error)
      openAgain()
    }
  }
  isUpdating = false
}

/** Requests the page again, and morphs the open one: the input, the focus and the scroll position stay. */
async function showAgain() {
  const response = await fetch(location.href, READ_ANEW)
  // An error page isn't a changed version of this page.
  if (response.redirected || response.status >= 500 || !window.htmx) return openAgain()
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  // The listeners of a replaced script would stay.
  if (headOf(page) !== headOf(document)) return openAgain()
  await replaceStyles(page)
  for (const name of ['documentElement', 'body'])
    for (const attribute of page[name].attributes)
      document[name].setAttribute(attribute.name, attribute.value)
  for (const element of page.querySelectorAll('[autofocus]')) element.removeAttribute('autofocus')
  const typed = typedInput()
  const text = page.documentElement.outerHTML
  await htmx.swap({ text, sourceElement: document.body, target: document.body, swap: 'innerMorph' })
  defaults = statesOf(page, defaultState)
  for (const [key, state] of typed) setState(key, state)
}

function headOf(page) {
  const elements = page.querySelectorAll('head > :is(meta, link:not([rel="stylesheet"])), script[src]')
  return [...elements]
    .filter((element) => !element.getAttribute('src')?.startsWith('/_dev/'))
    .map(({ outerHTML }) => outerHTML)
    .join('')
}

async function replaceStyles(page) {
  const [old, now] = [document, page].map((each) => [...each.querySelectorAll('link[rel="stylesheet"]')])
  for (const [index, style] of now.entries()) {
    if (old[index]?.getAttribute('href') === style.getAttribute('href')) continue
    const loaded = new Promise((resolve) => {
      for (const event of ['load', 'error']) style.addEventListener(event, resolve)
    })
    if (old[index]) old[index].after(style)
    else document.head.append(style)
    await loaded
    old[index]?.remove()
  }
  for (const style of old.slice(now.length)) style.remove()
}

/** Opens the page anew. Its input returns as soon as the page does, which can be after an error page. */
function openAgain() {
  try {
    const [focus] = [...fieldsOf(document)].find(([, field]) => field === document.activeElement) ?? []
    const input = { href: location.href, typed: typedInput(), focus }
    if (window.htmx) sessionStorage.setItem(NAME, JSON.stringify(input))
  } finally {
    location.reload()
  }
}

function restoreInput() {
  const { href, typed, focus } = JSON.parse(sessionStorage.getItem(NAME) ?? '{}')
  // An error page has no input.
  if (!document.querySelector('script[src*="htmx"]')) return
  sessionStorage.removeItem(NAME)
  if (href !== location.href) return
  for (const [key, state] of typed) setState(key, state)
  fieldsOf(document).get(focus)?.focus({ preventScroll: true })
}

/** Returns what the user changed, also in a form that the server has sent back with errors. */
function typedInput() {
  return [...statesOf(document, currentState)].filter(
    ([key, state]) => defaults.has(key) && state !== defaults.get(key),
  )
}

function setState(key, state) {
  const field = fieldsOf(document).get(key)
  if (!field || currentState(field) === state) return
  if (field.matches('details')) field.open = state
  else if (isChoice(field)) field.checked = state
  else if (field.matches('select'))
    for (const option of field.options) option.selected = JSON.parse(state).includes(option.value)
  else field.value = state
}

function isChoice({ type }) {
  return type === 'checkbox' || type === 'radio'
}

function currentState(field) {
  if (field.matches('details')) return field.open
  if (field.matches('select')) return selected(field, 'selected')
  return isChoice(field) ? field.checked : field.value
}

function defaultState(field) {
  if (field.matches('details')) return field.open
  if (field.matches('select')) return selected(field, 'defaultSelected')
  return isChoice(field) ? field.defaultChecked : field.defaultValue
}

function selected({ options, multiple }, property) {
  const chosen = [...options].filter((option) => option[property])
  // Without a selected option, a select has its first one.
  const all = chosen.length === 0 && !multiple ? [...options].slice(0, 1) : chosen
  return JSON.stringify(all.map(({ value }) => value))
}

function statesOf(page, stateOf) {
  return new Map([...fieldsOf(page)].map(([key, field]) => [key, stateOf(field)]))
}

/** Returns the fields by their form, their name and their number. A button's value belongs to the page, not to the user. */
function fieldsOf(page) {
  const fields = page.querySelectorAll(
    'input:not([type="password"], [type="file"], [type="hidden"], [type="submit"]), textarea, select, details',
  )
  const byKey = new Map()
  for (const field of fields) {
    const { form, name, id } = field
    const parts = [form?.id, form?.getAttribute('action'), name, id, isChoice(field) ? field.value : '']
    const key = JSON.stringify(parts)
    let number = 0
    while (byKey.has(`${key}${number}`)) number += 1
    byKey.set(`${key}${number}`, field)
  }
  return byKey
}
