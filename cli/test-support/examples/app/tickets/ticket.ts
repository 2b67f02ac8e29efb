import type { ColumnType, Generated } from 'kysely'
import { z } from 'zod'
import { field, resource, type RowOf } from 'pergola'

interface TicketTable {
  id: Generated<number>
  title: string
  body: string
  author_id: number
  due: string | null
  closed_at: string | null
  created_at: ColumnType<string, string | undefined, never>
  version: ColumnType<number, number | undefined, never>
}

declare module 'pergola' {
  interface Tables {
    tickets: TicketTable
  }
}

export const Ticket = resource('Ticket', {
  table: 'tickets',
  input: z.strictObject({ title: field.string(), body: field.text() }),
  columns: ['due', 'closed_at', 'created_at'],
  owner: 'author_id',
  version: true,
})
export type Ticket = RowOf<typeof Ticket>
