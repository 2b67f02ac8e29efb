import { Invalid } from 'pergola'

/** Returns the error of a form that belongs to none of its fields. */
export const formError = (message: string): Invalid => new Invalid([{ field: '', messages: [message] }])
