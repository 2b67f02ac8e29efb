// A click with a modifier key opens a new tab or window. htmx 4.0.1 prevents that default on its links, and doesn't
// handle the click itself. This listener hides such clicks from htmx.
document.addEventListener(
  'click',
  (event) => {
    const opensNewTab = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
    if (opensNewTab && event.target.closest('a[hx-get]')) event.stopPropagation()
  },
  { capture: true },
)

// Opens and closes dialogs in browsers without invoker commands.
if (!('commandForElement' in HTMLButtonElement.prototype))
  document.addEventListener('click', ({ target }) => {
    const button = target.closest('[commandfor]')
    const dialog = button && document.getElementById(button.getAttribute('commandfor'))
    dialog?.[button.getAttribute('command') === 'close' ? 'close' : 'showModal']()
  })

// Closes the navigation and menus when the focus leaves them by the Tab key.
document.addEventListener('focusout', ({ target, relatedTarget: next }) => {
  const open = target.closest('.nav:popover-open, .menu:popover-open')
  if (open && next && !open.contains(next) && next.popoverTargetElement !== open) open.hidePopover()
})

// Scrolls a long navigation to the entry of the current page.
const scrollToCurrentEntry = () => {
  const nav = document.querySelector('#nav')
  const entry = nav?.querySelector('[aria-current]:not([aria-current="false"])')
  if (entry) nav.scrollTop = entry.offsetTop - nav.clientHeight / 2
}
scrollToCurrentEntry()
document.addEventListener('htmx:after:swap', scrollToCurrentEntry)
document.addEventListener('toggle', scrollToCurrentEntry, { capture: true })

// The place of the errors of a form. A form in a list has an id of its own.
const PROBLEM = ':is(#problem, [id$="-problem"])'

// Closes a message. htmx fills #problem again after the next error.
document.addEventListener('click', ({ target }) => {
  const message = target.closest('.dismiss')?.closest('.flash')
  if (message?.matches(PROBLEM)) message.replaceChildren()
  else message?.remove()
})

// Closes the choices of a filter after a click elsewhere, and by Escape.
const closeDropdowns = (isLeft) => {
  for (const dropdown of document.querySelectorAll('details.dropdown[open]'))
    if (isLeft(dropdown)) dropdown.open = false
}
document.addEventListener('click', ({ target }) => closeDropdowns((dropdown) => !dropdown.contains(target)))
document.addEventListener('keydown', ({ key, target }) => {
  if (key !== 'Escape') return
  target.closest('details.dropdown[open]')?.querySelector('summary').focus()
  closeDropdowns(() => true)
})

// Shows a password as text, until its form is sent.
const reveal = (button) => {
  const input = document.getElementById(button.getAttribute('aria-controls'))
  const isShown = input.type === 'password'
  input.type = isShown ? 'text' : 'password'
  button.setAttribute('aria-pressed', isShown)
}
document.addEventListener('click', ({ target }) => {
  const button = target.closest('.reveal')
  if (button) reveal(button)
})
document.addEventListener('submit', ({ target }) => {
  target.querySelectorAll('.reveal[aria-pressed="true"]').forEach(reveal)
})

// The URL of a search has no parameters for empty fields, and none for the choices of its filters.
document.addEventListener('htmx:config:request', ({ target, detail }) => {
  const { method, body } = detail.ctx.request
  if (method !== 'GET' || !target.matches('.search')) return
  const unneeded = [...body].filter(([name, value]) => value === '' || name.startsWith('_'))
  for (const [name] of unneeded) body.delete(name)
})

// The search of a picker sends its form to the URL of the form. Enter there searches, and doesn't save the form.
const FIND = '.picker [type="search"]'
document.addEventListener('htmx:config:request', ({ target, detail }) => {
  if (target.matches(FIND)) detail.ctx.request.action = target.form.getAttribute('action')
})
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.isComposing || !event.target.matches(FIND)) return
  event.preventDefault()
  event.target.dispatchEvent(new Event('search'))
})
// The server searches again for a text that differs from the last one. With this script it has been searched already.
document.addEventListener('input', ({ target }) => {
  const last = target.matches(FIND) && target.previousElementSibling
  if (last) last.value = target.value
})
// A choice while a search runs would be lost with its results, so that the search begins again.
document.addEventListener('change', ({ target }) => {
  const search = target.matches('.picker .choices input') && target.closest('.picker').querySelector(FIND)
  if (search && search.matches('.htmx-request')) search.dispatchEvent(new Event('search'))
})

// Moves a chosen record of an ordered list. Without this script, the server does.
document.addEventListener('click', (event) => {
  const button = event.target.closest('[name="_move"]')
  if (!button) return
  event.preventDefault()
  const list = button.closest('.choices')
  const chosen = [...list.children].filter((choice) => choice.querySelector(':checked'))
  const choice = button.closest('.choice')
  const isUp = button.value.startsWith('up:')
  const place = chosen.indexOf(choice) + (isUp ? -1 : 1)
  chosen[place]?.[isUp ? 'before' : 'after'](choice)
  button.focus()
  choice.scrollIntoView({ block: 'nearest' })
  if (!chosen[place]) return
  choice.querySelector('input').dispatchEvent(new Event('change', { bubbles: true }))
  const label = choice.querySelector('label').textContent.trim()
  list.nextElementSibling.textContent = `${label}: ${place + 1} of ${chosen.length}`
})

// Back on a list that loads more items, it has the items and the place that it had.
const growing = new Set()
const noteGrowing = () => {
  for (const { parentElement } of document.querySelectorAll('.more')) growing.add(parentElement)
}
noteGrowing()
document.addEventListener('htmx:after:swap', noteGrowing)
const placeKey = () => `place:${location.href}`
addEventListener('pagehide', () => {
  const lists = [...growing].filter((list) => list.isConnected)
  const counts = lists.map(({ id, children }) => [id, children.length])
  if (lists.length > 0) sessionStorage.setItem(placeKey(), JSON.stringify({ counts, top: scrollY }))
})
const place = sessionStorage.getItem(placeKey())
if (growing.size > 0 && place && performance.getEntriesByType('navigation')[0]?.type === 'back_forward')
  void restorePlace(JSON.parse(place))

async function restorePlace({ counts, top }) {
  // The list must not load items by itself meanwhile.
  document.addEventListener('htmx:config:request', cancelMore)
  for (const [id, count] of counts) await loadItems(document.getElementById(id), count)
  document.removeEventListener('htmx:config:request', cancelMore)
  scrollTo(0, top)
  htmx.process(document.body)
}

function cancelMore(event) {
  if (event.target.closest('.more')) event.preventDefault()
}

async function loadItems(list, count) {
  const link = list?.querySelector(':scope > .more a')
  if (!link || list.children.length >= count) return
  const response = await fetch(link.href).catch(() => null)
  const page = new DOMParser().parseFromString((await response?.text()) ?? '', 'text/html')
  const loaded = page.getElementById(list.id)
  if (!loaded) return
  link.closest('.more').replaceWith(...loaded.children)
  await loadItems(list, count)
}

// If the server can't be reached, the page and the input of its form are kept.
document.addEventListener('htmx:error', ({ target, detail }) => {
  if (detail.ctx?.request)
    showProblem(target, 'The server can’t be reached. Check your connection, then try again.')
})

// If the session has ended, a form keeps its input instead of redirecting to the sign-in page.
document.addEventListener('htmx:before:response', (event) => {
  const { request, response, hx } = event.detail.ctx
  if (response.status !== 401 || !hx.redirect || request.method === 'GET') return
  event.preventDefault()
  const link = Object.assign(document.createElement('a'), {
    href: hx.redirect,
    target: '_blank',
    textContent: 'Sign in (opens a new tab)',
  })
  showProblem(event.target, 'You are signed out. ', link, ', then try again.')
})

// An error of a proxy is a page without the text that htmx selects. After a swap of the form, the target is the document.
document.addEventListener('htmx:finally:request', ({ target, detail }) => {
  const status = detail.ctx.response?.status
  const found = target.closest?.('.picker')?.querySelector('[aria-live]')
  const place = found ?? target.closest?.('form')?.querySelector(PROBLEM)
  if (status >= 400 && place?.matches(':empty'))
    showProblem(
      target,
      `The request failed (error ${status}). Your input is still here. Try again in a moment.`,
    )
})

// A button loses the focus while its form waits for the response. If the response replaces the button, the one with
// the same id gets the focus.
document.addEventListener('htmx:finally:request', ({ detail }) => {
  const { submitter } = detail.ctx.request
  // htmx enables the button after this event.
  setTimeout(() => {
    if (!submitter || document.activeElement !== document.body) return
    const button = submitter.isConnected || !submitter.id ? submitter : document.getElementById(submitter.id)
    button?.focus({ preventScroll: true })
  })
})

/** Shows a message above the button of the form, or above the page. */
function showProblem(source, ...content) {
  const text = document.createElement('p')
  text.append(...content)
  const problem = source.closest('form')?.querySelector(PROBLEM) ?? document.querySelector('#problem')
  const message = problem ?? Object.assign(document.createElement('div'), { className: 'flash alert' })
  message.replaceChildren(text, dismissButton())
  if (!problem) document.querySelector('#status')?.replaceChildren(message)
  message.scrollIntoView({ block: 'nearest' })
}

const dismissButton = () =>
  Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'quiet icon dismiss',
    ariaLabel: 'Dismiss',
    innerHTML:
      '<svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18"/></svg>',
  })
