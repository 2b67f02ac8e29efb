import { setTimeout as sleep } from 'node:timers/promises'
import { TestClient } from '../../testing/test-client.ts'

// Creates and deletes notes with the API, until the parent process disconnects. The parent receives a message after
// the first note.
process.once('disconnect', () => process.exit())
const client = new TestClient(process.argv[2] ?? '')
await client.post('/login', { form: { email: 'alice@example.test' } })
const json = { title: 'Written meanwhile', body: 'By another process.', published: true }
const ids: number[] = []

for (;;) {
  const { status, json: body } = await client.post('/api/notes', { json })
  if (status !== 201) throw new Error(`The server answered ${status} to a note.`)
  if (ids.push((body() as { id: number }).id) === 1) process.send?.('writing')
  // Ten of these notes remain. Older notes are deleted while the browser may show them.
  if (ids.length > 10) await client.delete(`/api/notes/${ids.shift()}`)
  await sleep(10)
}
