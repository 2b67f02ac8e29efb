import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

const BODY = 'Nothing happened for three weeks, ""which"" turned out to be the point.\n'.repeat(6)

/** Writes a file of about so many megabytes for `import-posts`; gives how many posts are in it, all of them different. */
export async function writeManyPosts(path: string, megabytes: number, author: string): Promise<number> {
  const out = createWriteStream(path)
  out.write('title,body,published,author\n')
  let posts = 0
  for (let bytes = 0; bytes < megabytes * 1e6; posts++) {
    const line = `"Post ${posts + 1}, imported","${BODY}",true,${author}\n`
    bytes += Buffer.byteLength(line)
    if (!out.write(line)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
  return posts
}
