// Writes and deletes posts through the API, one after the other, until it is told to end or has done so often enough.
// Says how many it wrote when the first one stands. Called by concurrent.spec.ts with the address and a session's cookie.
const [base, cookie, limit] = process.argv.slice(2)
const headers = { cookie, 'content-type': 'application/json' }
const body = JSON.stringify({ title: 'Written meanwhile', body: 'By another process.', published: true })
const mine = []

for (let count = 0; count < Number(limit); count++) {
  const answer = await fetch(`${base}/api/posts`, { method: 'POST', headers, body })
  if (answer.status !== 201) throw new Error(`A post was answered with ${answer.status}.`)
  mine.push((await answer.json()).id)
  if (count === 0) process.stdout.write('writing\n')
  // A few stay, the others go again while somebody may be looking at them.
  if (mine.length > 10) await fetch(`${base}/api/posts/${mine.shift()}`, { method: 'DELETE', headers })
  await new Promise((resolve) => setTimeout(resolve, 10))
}
