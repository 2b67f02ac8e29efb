import { inTurn } from '#app/db/seeding.ts'
import { posts } from '../post.repository.ts'

/** A post of the seed. `author` is an index in the list of users. */
interface SeedPost {
  title: string
  body: string
  published: boolean
  author: number
  created_at: string
}

/** Inserts a thousand posts by these users, for a longer list than the 75 posts of `post.seed.ts`. */
export async function seedThousandPosts(userIds: readonly number[]): Promise<void> {
  const rows = thousandPosts(userIds.length)
  await posts
    .asSystem('seed')
    .saveMany(rows.map(({ author, ...post }) => ({ ...post, author_id: inTurn(userIds, author) })))
}

const COUNT = 1_000
const FIRST_DAY = Date.UTC(2024, 10, 1, 6)
const TWO_YEARS = 730 * 86_400_000

/** Returns a thousand posts, oldest first, the same on each call. A third of them are drafts. */
export function thousandPosts(authors: number): SeedPost[] {
  return Array.from({ length: COUNT }, (_, index) => ({
    title: titleOf(index),
    body: bodyOf(index),
    published: index % 3 !== 1,
    author: scatter(index, 1) % authors,
    created_at: momentOf(index),
  }))
}

/** Returns a timestamp with microseconds, spread over two years with some jitter. */
function momentOf(index: number): string {
  const step = TWO_YEARS / COUNT
  const moment = new Date(FIRST_DAY + index * step + (scatter(index, 2) % (step * 0.8)))
  const microseconds = String(scatter(index, 3) % 1_000).padStart(3, '0')
  return moment.toISOString().replace('Z', `${microseconds}Z`)
}

/** Returns a pseudorandom number that depends only on the arguments. */
function scatter(index: number, salt: number): number {
  let bits = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d)
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39)
  return (bits ^ (bits >>> 15)) >>> 0
}

const pick = (words: readonly string[], index: number, salt: number) =>
  words[scatter(index, salt) % words.length] ?? ''

const PLANTS = [
  'wisteria', 'clematis', 'climbing rose', 'honeysuckle', 'grapevine', 'jasmine', 'hop', 'passion flower', 'ivy',
  'trumpet vine', 'kiwi', 'sweet pea', 'morning glory', 'climbing hydrangea', 'runner bean', 'nasturtium',
] // prettier-ignore
const PLACES = [
  'on the south wall', 'above the bench', 'along the path', 'by the kitchen door', 'over the gate', 'in a large pot',
  'beside the shed', 'at the far end', 'under the eaves', 'around the well',
] // prettier-ignore
const SEASONS = [
  'early spring',
  'late spring',
  'high summer',
  'the first frost',
  'a wet autumn',
  'a mild winter',
]
const TITLES = [
  (p: string, where: string, when: string) => `Planting ${p} ${where} in ${when}`,
  (p: string, where: string) => `How the ${p} came to grow ${where}`,
  (p: string, _: string, when: string) => `Pruning ${p} before ${when}`,
  (p: string, where: string) => `A first year with ${p} ${where}`,
  (p: string, _: string, when: string) => `What ${when} did to the ${p}`,
  (p: string, where: string) => `Moving the ${p} ${where}`,
  (p: string, where: string, when: string) => `Notes on ${p} ${where}, ${when}`,
  (p: string) => `Three mistakes with ${p}, and one that was not`,
]

function titleOf(index: number): string {
  const make = TITLES[scatter(index, 4) % TITLES.length] ?? String
  return make(pick(PLANTS, index, 5), pick(PLACES, index, 6), pick(SEASONS, index, 7))
}

const SENTENCES = [
  'The posts went in first, two feet deep, with gravel around them so that the rain runs off.',
  'By June it had reached the crossbeam, and by August it had found the next one.',
  'Nothing happened for three weeks, which turned out to be the point.',
  'Tie it loosely: a stem that can move grows stronger than one that cannot.',
  'The north side stayed bare until we thinned the leaves above it.',
  'We cut it back to two buds and felt sorry for it until May.',
  'A neighbour lent the long ladder and stayed for the coffee.',
  'Water in the morning, at the root, and less than you think.',
  'The bees came before the flowers were fully open.',
  'It needs a wire every foot, and a look at it every week.',
  'What looked dead in March was only late.',
  'Shade arrives slowly and then all at once.',
]

function bodyOf(index: number): string {
  const paragraphs = 2 + (scatter(index, 8) % 3)
  return Array.from({ length: paragraphs }, (_, part) => paragraphOf(index * 7 + part)).join('\n\n')
}

function paragraphOf(index: number): string {
  const start = scatter(index, 9)
  const length = 3 + (scatter(index, 10) % 3)
  // Five is coprime to the number of sentences, so that a paragraph contains no sentence twice.
  return Array.from({ length }, (_, part) => SENTENCES[(start + part * 5) % SENTENCES.length]).join(' ')
}
