import { Command, InvalidArgumentError } from 'commander';
import { AppError } from '../contract/errors.ts';
import { withDeps } from '../server/cli/with-deps.ts';
import { seedPassword } from './seed/members.ts';
import { seedSite } from './seed/seed.ts';

type SeedOptions = {
  posts: number;
  members: number;
  tags: number;
  comments?: number;
  likes?: number;
  randomSeed: number;
  force?: boolean;
};

/**
 * `npm run bench:seed -- --posts 1000 --members 20`: a site full of made-up content in DATA_DIR, for
 * measuring.
 */
try {
  await new Command('seed')
    .description('fill an empty site with made-up posts and members, the same for the same random seed')
    .requiredOption('--posts <number>', 'posts', count)
    .requiredOption('--members <number>', 'approved members (some pending and denied ones are added)', count)
    .option('--tags <number>', 'tags', count, 60)
    .option('--comments <number>', 'comments (default: as many as posts)', count)
    .option('--likes <number>', 'likes (default: three for each post)', count)
    .option('--random-seed <number>', 'another number makes another site', count, 1)
    .option('--force', 'also on a site that has posts (choose another random seed)')
    .action(async ({ force, ...options }: SeedOptions) => {
      const { posts, members } = options;
      const start = performance.now();
      const made = await withDeps('make', ({ db }) =>
        seedSite(db, { comments: posts, likes: 3 * posts, ...options, isForced: force === true }),
      );
      const seconds = ((performance.now() - start) / 1_000).toFixed(1);
      console.log(
        `${posts} posts, ${members} members, ${made.comments} comments and ${made.likes} likes in ${seconds} s.`,
      );
      if (members > 0) console.log(`Sign in as member1@example.com with the password ${seedPassword}.`);
    })
    .parseAsync();
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function count(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 100_000_000) throw new InvalidArgumentError('Must be a whole number.');
  return value;
}
