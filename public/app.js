// A click with a key held down asks the browser for a new tab or window. htmx 4.0.1 takes that away from its links, and
// then does nothing itself: it doesn't hear of such a click.
document.addEventListener(
  'click',
  (event) => {
    const asksForAnother = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
    if (asksForAnother && event.target.closest('a[hx-get]')) event.stopPropagation()
  },
  { capture: true },
)
