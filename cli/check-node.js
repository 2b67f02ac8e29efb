// Plain JavaScript, for it is read by whatever Node the system has: TypeScript needs Node 24.
if (parseInt(process.versions.node) < 24) {
  console.error(
    `This needs Node 24, and runs on ${process.versions.node}. \`npm run dev\` installs one for development; ` +
      'for production get it from https://nodejs.org.',
  )
  process.exit(1)
}
