import type { NewRowOf } from 'pergola'
import type { Ticket } from './ticket.ts'

export declare function makeTicket(values: Partial<NewRowOf<typeof Ticket>>): Promise<Ticket>
