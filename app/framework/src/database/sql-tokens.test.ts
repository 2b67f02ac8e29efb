import { describe, expect, it } from 'vitest'
import { sqlTokens } from './sql-tokens.ts'

const tokens = (sql: string) => [...sqlTokens(sql)].join(' ')

describe('sqlTokens', () => {
  it.each([
    ['SELECT count(*)\nFROM  posts_2', 'select count ( * ) from posts_2'],
    ['update/* all */posts--\nset x=1', 'update posts set x = 1'],
    ['a /* b /* c */ d */ e', 'a e'],
    [`a 'b; ''c''; d' e`, 'a e'],
    [`a "b; ""c""; d" e`, 'a e'],
    [String.raw`a 'b\' c`, 'a c'],
    [String.raw`a E'b\'; ''c' d`, 'a e d'],
    [String.raw`a e'b\\' c`, 'a e c'],
    [`a '--' b "/*" c`, 'a b c'],
    ['a -- it’s\nb', 'a b'],
    ['a $$b; $c$ d$$ e', 'a e'],
    ['a $b$ c $$ d $B$ e $b$ f', 'a f'],
    ['a$b$ c$b$', 'a$b$ c$b$'],
    ['a = $1 and b = $2', 'a = $ 1 and b = $ 2'],
    ['a 1$$; b$$ c', 'a 1 c'],
    ['größe', 'größe'],
    ['', ''],
  ])('reads %j', (sql, expected) => {
    expect(tokens(sql)).toBe(expected)
  })

  it.each([
    [`a 'b; c`, `a ' b ; c`],
    ['a "b; c', 'a " b ; c'],
    [String.raw`a e'b\'; c`, 'a e ; c'],
    ['a $b$ c', 'a $ b$ c'],
    ['a /* b /* c */', 'a / * b'],
  ])('reads what follows a quote without an end: %j', (sql, expected) => {
    expect(tokens(sql)).toBe(expected)
  })
})
