import type { Command } from 'commander'
import { examples } from '../../help.ts'

export function newCommand(program: Command): void {
  const command = program
    .command('new')
    .description('create an application in a folder of its own, without the development of Pergola')
    .argument('<folder>', 'a new or empty folder, whose name becomes the name in package.json')
    .option('--name <name>', 'the name in titles, in the header and in mails; defaults to that of the folder')
    .option('--without-sample', 'leave out the posts')
    .action(async (folder, options) => (await import('./create-application.ts')).newCommand(folder, options))
  examples(command, 'new ../helpdesk', 'new ../helpdesk --name "Help desk" --without-sample')
}
