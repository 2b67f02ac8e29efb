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
