import { policy, repository, routes, scope, secured } from 'pergola'
import { Ticket } from './ticket.ts'

export const ticketPolicy = policy(Ticket, { canShow: () => true, canClose: () => true })
export const ticketScope = scope(Ticket, { where: (_ctx, is) => is.lit(true) })
export const tickets = repository(Ticket, { policy: ticketPolicy, scope: ticketScope, updatedBy: ['close'] })
export const ticketRoutes = routes('/tickets', { 'GET /:id': [secured(), () => {}] })
