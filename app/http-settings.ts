import { fileURLToPath } from 'node:url'
import { assets } from 'pergola/app'
import type { Config } from './config.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** The folder of the views. */
export const views = path('../views')

export const staticFiles = ({ profile, server }: Config) =>
  assets({
    folder: path('../public'),
    files: {
      'htmx.js': path('../node_modules/htmx.org/dist/htmx.min.js'),
    },
    development: profile === 'development',
    compress: server.compress,
  })

export const pageSettings = ({ profile, server, session }: Config) => ({
  development: profile === 'development',
  https: server.base_url?.startsWith('https:') ?? false,
  secret: session.secret,
  sessionLifetime: session.lifetime_hours * 3_600,
})

export const limits = ({ security }: Config) => ({
  writes: { requests: security.writes_per_minute, seconds: 60 },
  searches: { requests: security.searches_per_minute, seconds: 60 },
})
