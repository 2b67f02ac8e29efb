import { describe, expect, it } from 'vitest'
import { outerNames } from './outer-names.ts'
import { parseJavaScript } from './syntax-tree.ts'

const namesIn = (text: string) => outerNames(parseJavaScript(`(${text})`))

describe('outerNames', () => {
  it.each([
    ['(ctx, note) => isOpen(note)', ['isOpen']],
    ['(ctx, note) => note.tags.some(isOpen)', ['isOpen']],
    ['(ctx, note) => rules.notes.isOpen(note) && rules?.other', ['rules.notes.isOpen', 'rules.other']],
    [`(ctx) => ctx.hasRole(ADMIN)`, ['ADMIN']],
    ['(ctx) => ctx[method](NAMES[0].length)', ['NAMES', 'method']],
    ['(ctx) => rules["isOpen"](ctx)', ['rules.isOpen']],
    ['(ctx) => ({ isOpen, [key]: 1, label: 2 }).isOpen', ['isOpen', 'key']],
    ['(ctx = guest, { id = first } = {}) => id', ['first', 'guest']],
    ['function show(ctx) { return this.other(ctx) || show(ctx) }', ['this.other']],
    ['class { show(ctx) { return super.show(ctx) } }', ['super.show']],
    ['async () => (await import("./rules.ts")).isOpen()', ['import of ./rules.ts']],
    ['async () => (await import(name)).isOpen()', ['import of a computed name', 'name']],
    ['() => make()(1) + `${text}`', ['make', 'text']],
    ['(ctx) => new Rule(ctx).ask() instanceof Rule', ['Rule']],
    ['() => { count = 1; total += 1 }', ['count', 'total']],
    ['(note) => tag`${note.title}`', ['tag']],
  ])('finds the names in %j', (text, names) => {
    expect(namesIn(text)).toEqual(names)
  })

  it.each([
    ['(ctx, note) => note.published || ctx.owns(note.author_id)'],
    ['({ userId: id, ...rest }, [first, , ...others]) => [id, rest, first, others]'],
    ['(notes) => { for (const note of notes) { const { id } = note; if (id) return id } }'],
    ['(notes) => { for (let i = 0; i < 9; i++) notes.at(i); for (const key in notes) notes[key] }'],
    ['() => { outer: for (;;) break outer }'],
    ['() => { try { return undefined } catch (error) { return error } }'],
    ['function () { function own() { return arguments } class A { own = 1 } return own(A) }'],
    ['(n) => { switch (n) { case 1: let own = 2; return own } }'],
    ['function () { const f = function g() { return g }; return f(new.target) }'],
  ])('finds nothing in %j', (text) => {
    expect(namesIn(text)).toEqual([])
  })

  it.each([
    ['() => { { const isOpen = () => true } return isOpen() }', ['isOpen']],
    ['(note) => [(isOpen) => isOpen, isOpen(note)]', ['isOpen']],
    ['() => { try { } catch (error) { } return error }', ['error']],
    ['(test = own) => { const own = 1; return test }', ['own']],
  ])('finds a name that is local only in another part: %j', (text, names) => {
    expect(namesIn(text)).toEqual(names)
  })
})
