import { z } from 'zod'

/**
 * The name of the user whom a mail greets. Null if the address is not verified: a stranger may have chosen the name, and
 * could send text of their own to any address.
 */
export const recipientName = z.string().nullable()
