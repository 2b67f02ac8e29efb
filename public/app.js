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

// Closes a message.
document.addEventListener('click', ({ target }) => target.closest('.dismiss')?.closest('.flash')?.remove())

// If the server can't be reached, the page and the input of its form are kept.
document.addEventListener('htmx:error', ({ target, detail }) => {
  if (!detail.ctx?.request) return
  const message = document.createElement('p')
  message.textContent = 'The server can’t be reached. Check your connection, then try again.'
  const problem = target.closest('form')?.querySelector('#problem')
  if (!problem) message.className = 'flash alert'
  const place = problem ?? document.querySelector('#status')
  place?.replaceChildren(message)
  place?.scrollIntoView({ block: 'nearest' })
})
