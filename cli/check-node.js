// Plain JavaScript, because any Node version must be able to run this file: TypeScript needs Node 24.
if (parseInt(process.versions.node) < 24) {
  console.error(
    `Node 24 is required, but this is Node ${process.versions.node}. In development, \`npm run dev\` installs one, and ` +
      '`npx cli` uses it. In production, get it from https://nodejs.org.',
  )
  process.exit(1)
}
