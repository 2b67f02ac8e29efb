import { pluralize, singularize } from 'inflection'

/** Words that are their own plural. */
const UNCOUNTABLE = new Set(
  (
    'advice aircraft baggage bison data deer equipment feedback fish furniture hardware homework information ' +
    'jeans knowledge luggage media metadata money moose music news offspring pokemon police research rice salmon ' +
    'series sheep shrimp software species staff traffic trout weather'
  ).split(' '),
)

/** Where the general rules err, in one direction or the other. */
const IRREGULAR: Readonly<Record<string, string>> = {
  analysis: 'analyses',
  apparatus: 'apparatuses',
  atlas: 'atlases',
  axis: 'axes',
  base: 'bases',
  blitz: 'blitzes',
  cache: 'caches',
  cactus: 'cacti',
  calf: 'calves',
  canoe: 'canoes',
  cargo: 'cargoes',
  census: 'censuses',
  child: 'children',
  cookie: 'cookies',
  corpus: 'corpora',
  database: 'databases',
  echo: 'echoes',
  embargo: 'embargoes',
  focus: 'focuses',
  gas: 'gases',
  hero: 'heroes',
  knife: 'knives',
  leaf: 'leaves',
  lens: 'lenses',
  life: 'lives',
  loaf: 'loaves',
  oasis: 'oases',
  person: 'people',
  phenomenon: 'phenomena',
  quota: 'quotas',
  radius: 'radii',
  safe: 'safes',
  scarf: 'scarves',
  shelf: 'shelves',
  shoe: 'shoes',
  stadium: 'stadiums',
  thief: 'thieves',
  toe: 'toes',
  veto: 'vetoes',
  wolf: 'wolves',
  zombie: 'zombies',
}

const SINGULARS = new Map(Object.entries(IRREGULAR).map(([one, many]) => [many, one]))

/** What a word in small letters is called when there are several of it; of some it is the same. */
export function pluralOf(word: string): string {
  if (UNCOUNTABLE.has(word)) return word
  return Object.hasOwn(IRREGULAR, word) ? (IRREGULAR[word] as string) : pluralize(word)
}

/** One of what a plural says; a word that is no plural as it is. */
export function singularOf(word: string): string {
  if (UNCOUNTABLE.has(word) || Object.hasOwn(IRREGULAR, word)) return word
  const known = SINGULARS.get(word)
  if (known !== undefined) return known
  // Status, address, basis, canvas: an s that makes no plural.
  if (/(?:[aiou]|s)s$/.test(word)) return word
  const one = singularize(word)
  return pluralOf(one) === word ? one : word
}
