import { constraintName } from 'pergola/database'
import { sqlName } from '../code/sql-names.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { typeOf } from './changed-columns.ts'

/** Returns the value of one column for another one. */
export const valueFor = (field: Field, from: Field, row = ''): string =>
  `${row}${sqlName(from.column)}${typeOf(from) === typeOf(field) ? '' : `::${typeOf(field)}`}`

/** Returns the statements that create the trigger between two columns, and those that drop it. */
export function triggerSteps({ names }: Model, from: Field, to: Field): { create: string[]; drop: string[] } {
  const [name, table] = [
    sqlName(constraintName(names.table, from.column, `to_${to.column}`)),
    sqlName(names.table),
  ]
  const [a, b] = [sqlName(from.column), sqlName(to.column)]
  const copy = `new.${a} := ${valueFor(from, to, 'new.')};`
  const isSame = typeOf(from) === typeOf(to)
  // A value that the old type can't have is NULL there.
  const back = isSame ? copy : `begin ${copy} exception when data_exception then new.${a} := null; end;`
  const body = `
    create or replace function ${name}() returns trigger language plpgsql as $$ begin
      if tg_op = 'INSERT' then
        new.${b} := coalesce(new.${b}, ${valueFor(to, from, 'new.')});
        ${back}
      elsif new.${b} is distinct from old.${b} then
        ${back}
      elsif new.${a} is distinct from old.${a} then
        new.${b} := ${valueFor(to, from, 'new.')};
      end if;
      return new;
    end $$`
  return {
    create: [
      '// The old version writes and reads the old column, and the new version the new one.',
      `await sql\`${body}\`.execute(db)`,
      `await sql\`create trigger ${name} before insert or update on ${table} for each row execute function ${name}()\`.execute(db)`,
    ],
    drop: [
      `await sql\`drop trigger if exists ${name} on ${table}\`.execute(db)`,
      `await sql\`drop function if exists ${name}()\`.execute(db)`,
    ],
  }
}
