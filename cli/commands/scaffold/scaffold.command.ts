import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { changeOptions } from '../../scaffold/changes/change-options.ts'
import { fromOptions } from '../../scaffold/from-table/from-options.ts'
import { modelOptions } from '../../scaffold/read/options.ts'

export function scaffoldCommand(program: Command): void {
  const command = program
    .command('scaffold')
    .description('create a resource (table, policy, pages, API, tests), or add or change its fields')
    .argument('[model]', 'the name of one record: post, blog_post, BlogPost')
    .argument('[field...]', 'name:type with modifiers, see below')
  fromOptions(changeOptions(modelOptions(command)))
    .option('-n, --dry-run', 'print the changes without writing files')
    .option('--diff', 'like --dry-run, and print the changed lines')
    .option('-f, --force', 'overwrite edited files; with --remove and --type, lose values')
    .option('--no-migrate', 'do not run the migration')
    .option('--json', 'print JSON')
    .addHelpText('after', GRAMMAR)
    .action(async (name, fields, options) =>
      (await import('../../scaffold/scaffold-command.ts')).scaffoldCommand(name, fields, options),
    )
  examples(
    command,
    'scaffold post title:string:1..200 body:text published:boolean author:references:user',
    'scaffold ticket title:string state:enum:open,closed=open due:date:null --public-read',
    'scaffold post summary:text:null',
    'scaffold post --rename body:text',
    'scaffold post --rename-model article',
    'scaffold comment body:text post:references author:references:user --in post',
    'scaffold --from-table invoices',
  )
}

const GRAMMAR = `
Fields: name:type, followed by modifiers in any order
  :null  :unique  :index  :private       short forms of the first two: ?  ^
  :min(3)  :max(120)                     short forms: :3..120  {3..120}
  :unique(other)  :as(price*quantity)    unique within other fields; computed by Postgres
  :default(x)                            short form: =x, at the end
Types: string text markdown integer bigint decimal money float boolean date time datetime uuid json email url slug
  decimal:12,2      digits in total, and after the point
  money:EUR         an amount in euros; money(currency) in the currency of another field, currency:enum:EUR,USD
  enum:a,b          one of these values
  enum[]:a,b        some of these values; string[] for several lines of text
  states:a/b,b/c    one of these values, which only actions change: from a to b, and from b to c
  references        the model with the name of the field; another one with references:user or references:self;
                    {restrict}, {cascade} or {null} for the deletion of the referenced record
  many              several records: tags:many:tag, watchers:many:user; {restrict} refuses their deletion,
                    and with :ordered they have an order
The default type is string, and without fields a resource has name:string. Fields are required without :null.
Braces, parentheses, ?, ^ and ! need quotes in most shells; colons don't.`
