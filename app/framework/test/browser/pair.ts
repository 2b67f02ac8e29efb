import { type Handler, listQuery, pageRequest, policyContext, publicRoute, render, routes } from 'pergola'
import { Note, notes } from '../fixtures/note.ts'

/** A page with two lists, which htmx replaces one by one. */
const pair: Handler = async (req, res) => {
  const visible = notes.visibleTo(await policyContext(req))
  const read = async (prefix: string) => {
    const query = listQuery(req, Note, { prefix })
    return { prefix, query, page: await visible.page(pageRequest(req, { prefix }), { query }) }
  }
  await render(res, 'notes/pair', { lists: [await read('left'), await read('right')] })
}

export const pairRoutes = routes('/pair', { 'GET /': [publicRoute(), pair] })
