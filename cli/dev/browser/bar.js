// Shows the time and the statements of the last request at the foot of the page, with a link to all that it did.
// The server sends the numbers in the header Server-Timing. Other links show that there are errors of types, and notices.
const bar = document.createElement('div')
Object.assign(bar.style, {
  position: 'fixed',
  insetBlockEnd: '0',
  insetInlineEnd: '0',
  zIndex: '99',
  borderStartStartRadius: '6px',
  overflow: 'hidden',
  font: '12px/1.5 ui-monospace, monospace',
})
// Outside of the body, which htmx replaces.
document.documentElement.append(bar)
const noticesLink = addLink('#7a4a00')
const errorsLink = addLink('#a32020')
const requestLink = addLink('#1c2030')
noticesLink.href = '/_dev'
errorsLink.href = '/_dev/types'

function addLink(background) {
  const link = document.createElement('a')
  Object.assign(link.style, {
    display: 'none',
    padding: '2px 8px',
    color: '#fff',
    textDecoration: 'none',
    background,
  })
  bar.append(link)
  return link
}

function showLink(link, text) {
  link.textContent = text
  link.style.display = text ? 'inline-block' : 'none'
}

const counted = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`

/** Shows the number of errors of the last check. The page that lists the errors of another check is opened anew. */
export function showErrors({ check, errors }) {
  const listed = document.querySelector('[data-check]')
  if (listed && Number(listed.dataset.check) !== check) location.reload()
  showLink(errorsLink, errors && counted(errors, 'type error'))
}

function showRequest({ serverTiming }) {
  const { request, statements, repeated, notices } = Object.fromEntries(
    serverTiming.map((part) => [part.name, part]),
  )
  if (!request) return
  const isRepeated = repeated.description !== '0'
  requestLink.href = `/_dev/requests/${request.description}`
  requestLink.style.background = isRepeated ? '#a32020' : '#1c2030'
  const [numberOfNotices, numberOfStatements] = [notices, statements].map(({ description }) =>
    Number(description),
  )
  showLink(noticesLink, numberOfNotices && counted(numberOfNotices, 'notice'))
  const [ms, sent] = [Math.round(request.duration), counted(numberOfStatements, 'statement')]
  showLink(requestLink, [`${ms} ms`, sent, ...(isRepeated ? ['N+1'] : [])].join(' · '))
}

for (const type of ['navigation', 'resource'])
  new PerformanceObserver((list) => list.getEntries().forEach(showRequest)).observe({ type, buffered: true })
