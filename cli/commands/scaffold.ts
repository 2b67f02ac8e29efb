import type { Command } from 'commander'
import { examples } from '../help.ts'
import { modelOptions } from '../scaffold/read/options.ts'

export function scaffoldCommand(program: Command): void {
  const command = program
    .command('scaffold')
    .description('make a resource: table, rules, pages, API, tests; or let one grow')
    .argument('<model>', 'what one record is called: post, blog_post, BlogPost')
    .argument('[field...]', 'name:type and what else there is to say of it')
  modelOptions(command)
    .option('-n, --dry-run', 'say what would be written, and write nothing')
    .option('--diff', 'the same, with every line')
    .option('-f, --force', 'overwrite files that were edited by hand')
    .option('--no-migrate', 'leave the migration for later')
    .option('--json', 'as JSON')
    .addHelpText('after', GRAMMAR)
    .action(async (name, fields, options) =>
      (await import('../scaffold/command.ts')).scaffoldCommand(name, fields, options),
    )
  examples(
    command,
    'scaffold post title:string:1..200 body:text published:boolean author:references:user',
    'scaffold ticket title:string state:enum:open,closed=open due:date:null --public-read',
    'scaffold post summary:text:null',
  )
}

const GRAMMAR = `
Fields: name:type, then in any order
  :null  :unique  :index  :private       or  ?  ^  for the first two
  :min(3)  :max(120)                     or  :3..120  {3..120}
  :default(x)                            or  =x, last
Types: string text integer bigint decimal float boolean date time datetime uuid json email url slug
  decimal:12,2      digits, and how many of them behind the point
  enum:a,b          one of these words
  references        the model that the field is called like; references:user, references:self for another,
                    {restrict}, {cascade} or {null} for what becomes of it when that is deleted
No type is string, no field at all name:string. Nothing is null unless it says so.
Braces, parentheses, ?, ^ and ! need quotes in most shells; colons don't.`
