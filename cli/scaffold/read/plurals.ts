import { pluralize, singularize } from 'inflection'

/** Words that are their own plural. */
const UNCOUNTABLE = new Set(
  (
    'advice aircraft baggage bison data deer equipment feedback fish furniture gps hardware homework information ' +
    'jeans knowledge luggage media meta metadata money moose music news offspring pokemon police research rice salmon ' +
    'series sheep shrimp sms software species staff traffic trivia trout weather'
  ).split(' '),
)

/** Words for which the general rules are wrong. */
const IRREGULAR: Readonly<Record<string, string>> = {
  alias: 'aliases',
  analysis: 'analyses',
  apparatus: 'apparatuses',
  atlas: 'atlases',
  axis: 'axes',
  bacterium: 'bacteria',
  base: 'bases',
  bias: 'biases',
  blitz: 'blitzes',
  blouse: 'blouses',
  brownie: 'brownies',
  buzz: 'buzzes',
  cache: 'caches',
  cactus: 'cacti',
  cafe: 'cafes',
  calf: 'calves',
  canoe: 'canoes',
  canvas: 'canvases',
  cargo: 'cargoes',
  census: 'censuses',
  child: 'children',
  cookie: 'cookies',
  corpus: 'corpora',
  criterion: 'criteria',
  database: 'databases',
  delta: 'deltas',
  echo: 'echoes',
  embargo: 'embargoes',
  focus: 'focuses',
  foot: 'feet',
  gas: 'gases',
  goose: 'geese',
  hero: 'heroes',
  knife: 'knives',
  leaf: 'leaves',
  lens: 'lenses',
  life: 'lives',
  loaf: 'loaves',
  louse: 'lice',
  man: 'men',
  menu: 'menus',
  mouse: 'mice',
  oasis: 'oases',
  ox: 'oxen',
  person: 'people',
  phenomenon: 'phenomena',
  quota: 'quotas',
  radius: 'radii',
  rookie: 'rookies',
  safe: 'safes',
  scarf: 'scarves',
  selfie: 'selfies',
  shelf: 'shelves',
  shoe: 'shoes',
  slice: 'slices',
  stadium: 'stadiums',
  taxi: 'taxis',
  thief: 'thieves',
  tie: 'ties',
  toe: 'toes',
  tooth: 'teeth',
  veto: 'vetoes',
  wolf: 'wolves',
  woman: 'women',
  zombie: 'zombies',
}

const SINGULARS = new Map(Object.entries(IRREGULAR).map(([one, many]) => [many, one]))

/** Returns the plural of a word in lower case. */
export function pluralOf(word: string): string {
  if (UNCOUNTABLE.has(word)) return word
  return Object.hasOwn(IRREGULAR, word) ? (IRREGULAR[word] as string) : pluralize(word)
}

/** Returns the singular of a plural, and other words unchanged. */
export function singularOf(word: string): string {
  if (UNCOUNTABLE.has(word) || Object.hasOwn(IRREGULAR, word)) return word
  const known = SINGULARS.get(word)
  if (known !== undefined) return known
  // Words like status and address end in an s, but are not plurals.
  if (!word.endsWith('s') || /[ius]s$/.test(word)) return word
  const one = singularize(word)
  return pluralOf(one) === word ? one : word
}
