import type { Command } from 'commander'
import { examples } from '../../help.ts'

export function upgradeCommand(program: Command): void {
  const command = program
    .command('upgrade')
    .description('upgrade the files of Pergola in this application, and keep your edits')
    .argument('[version]', 'a release like 0.3.0, a branch or a commit; defaults to the newest release')
    .option('--from <place>', 'a git URL or a folder; defaults to "pergola.from" in package.json')
    .option('--base <version>', 'the commit or folder of your files, if package.json does not contain it')
    .option('--app <folder>', 'upgrade the application in this folder to the version of this command line')
    .option('-n, --dry-run', 'print the changes without writing files')
    .option('--diff', 'like --dry-run, and print the changed lines')
    .option('--markers', 'write conflict markers into the files, as git does')
    .option('--resources', 'also update the generated files of your scaffolded resources')
    .option('-f, --force', 'upgrade to an older version')
    .option('-y, --yes', 'run the new migrations without asking')
    .option('--no-migrate', 'do not run the new migrations')
    .option('--no-install', 'do not run npm install')
    .option('--json', 'print the changed files, the steps and the conflicts as JSON, and ask nothing')
    .action(async (version, options) =>
      (await import('../../upgrade/command.ts')).upgradeCommand(version, options),
    )
  examples(
    command,
    'upgrade',
    'upgrade 0.3.0 --dry-run --diff',
    'upgrade --from ../pergola',
    'upgrade --app ../my-app --base <commit>',
  )
}
