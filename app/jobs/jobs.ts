import type { AnyJob } from 'pergola/jobs'

/** The jobs of the application, in alphabetical order. */
export const jobs: readonly AnyJob[] = []
