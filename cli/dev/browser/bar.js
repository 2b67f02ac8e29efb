// Shows the time and the statements of the last request at the foot of the page, with a link to all that it did.
// `npm run dev` adds this script to each page. The server sends the numbers in the header Server-Timing.
const bar = document.createElement('a')
Object.assign(bar.style, {
  position: 'fixed',
  insetBlockEnd: '0',
  insetInlineEnd: '0',
  zIndex: '99',
  padding: '2px 8px',
  borderStartStartRadius: '6px',
  font: '12px/1.5 ui-monospace, monospace',
  color: '#fff',
  background: '#1c2030',
  textDecoration: 'none',
})

function show({ serverTiming }) {
  const { request, statements, repeated } = Object.fromEntries(serverTiming.map((part) => [part.name, part]))
  if (!request) return
  const number = Number(statements.description)
  bar.href = `/_dev/requests/${request.description}`
  bar.textContent = [
    `${Math.round(request.duration)} ms`,
    number === 1 ? '1 statement' : `${number} statements`,
    ...(repeated.description === '0' ? [] : ['N+1']),
  ].join(' · ')
  bar.style.background = repeated.description === '0' ? '#1c2030' : '#a32020'
  // Outside of the body, which htmx replaces.
  document.documentElement.append(bar)
}

for (const type of ['navigation', 'resource'])
  new PerformanceObserver((list) => list.getEntries().forEach(show)).observe({ type, buffered: true })
