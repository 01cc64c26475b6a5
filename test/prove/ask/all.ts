import type { World } from '../model/world.ts';
import {
  feedQuestion,
  personalFeedQuestions,
  podcastQuestion,
  sitemapQuestion,
  tagFeedQuestions,
} from './feeds.ts';
import { faceQuestions, fileQuestions, filesList } from './files.ts';
import { ownQuestions } from './own.ts';
import { pageQuestions, postPages, type SeenTags } from './pages.ts';
import { postQuestions } from './posts.ts';
import type { Question } from './question.ts';
import { fileRefusals, postRefusals } from './refusals.ts';
import { siteQuestions } from './site.ts';
import { transferQuestions } from './transfers.ts';
import { wayQuestions } from './ways.ts';

/** All questions about the site as it is, also about deleted posts and files. */
export function allQuestions(world: World, seen: SeenTags): Question[] {
  return [
    ...siteQuestions(world),
    ...ownQuestions(),
    ...wayQuestions(world),
    ...transferQuestions(world),
    ...pageQuestions(world, seen),
    feedQuestion(),
    podcastQuestion(),
    ...tagFeedQuestions(world),
    sitemapQuestion(),
    ...personalFeedQuestions(world),
    filesList(),
    ...faceQuestions(world),
    ...Object.values(world.posts).flatMap(post => [
      ...postQuestions(post),
      ...postPages(post, seen),
      ...postRefusals(post),
    ]),
    ...Object.values(world.files).flatMap(file => [
      ...fileQuestions(world, file, seen),
      ...fileRefusals(file),
    ]),
  ];
}
