import { publish, shortPost } from '../support/factories.ts';
import type { Person, Site } from '../support/site.ts';

/** A site with a post X for `friends` and `secret`, and everybody who may not read it. */
export async function openScene(s: Site) {
  const admin = await s.admin();
  await publish(s, admin, ...Array.from({ length: 11 }, (_, index) => shortPost(`open ${index}`, ['open'])));
  await s.setDefaultTags(['open']);
  const strangers: Record<string, Person> = {
    V: null,
    P: await s.signUp(),
    D: await s.denied(),
    W: await s.member(),
    'U without secret': await s.member(['friends']),
  };
  return { admin, strangers, insider: await s.member(['friends', 'secret']) };
}
