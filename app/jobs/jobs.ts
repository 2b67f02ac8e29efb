import type { AnyJob } from 'pergola/jobs'
import { sendMail } from 'pergola/mail'

/** The jobs of the application, in alphabetical order. */
export const jobs: readonly AnyJob[] = [sendMail]
