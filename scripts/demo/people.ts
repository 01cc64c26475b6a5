/** One password for every account of the demonstration. */
export const password = 'lockhouse';

export const admin = { username: 'marit', name: 'Marit Halvorsen', email: 'admin@example.com' };

type Person = {
  username: string;
  name: string;
  email: string;
  status: 'approved' | 'pending' | 'denied';
  tags: string[];
};

/** Every kind of reader, with different tags. */
export const people: Person[] = [
  {
    username: 'anders',
    name: 'Anders Halvorsen',
    email: 'anders@example.com',
    status: 'approved',
    tags: ['family', 'friends', 'travel'],
  },
  {
    username: 'edith',
    name: 'Edith Lund',
    email: 'edith@example.com',
    status: 'approved',
    tags: ['friends', 'travel'],
  },
  {
    username: 'jonas_r',
    name: 'Jonas Rask',
    email: 'jonas@example.com',
    status: 'approved',
    tags: ['friends'],
  },
  {
    username: 'noor',
    name: 'Noor Haddad',
    email: 'noor@example.com',
    status: 'approved',
    tags: ['friends', 'travel'],
  },
  { username: 'beekeeper', name: 'Tom Ashby', email: 'tom@example.com', status: 'approved', tags: [] },
  { username: 'greta', name: 'Greta Olsen', email: 'greta@example.com', status: 'pending', tags: [] },
  { username: 'piet_boats', name: 'Piet de Vries', email: 'piet@example.com', status: 'pending', tags: [] },
  { username: 'best_offers', name: 'Best Offers', email: 'offers@example.com', status: 'denied', tags: [] },
];

/** The tags that visitors may read, too. */
export const defaultTags = ['notes', 'code'];

/** Comments by the start of the post's file name, in the order they were written. */
export const comments: Record<string, [username: string, content: string][]> = {
  '2025-01-19': [
    ['jonas_r', 'The wedding party was us. Sorry.'],
    ['marit', 'I know. You are in the ledger. “Hat lost, bride laughing.”'],
    ['beekeeper', 'We have only the pencil here. It is never wrong, because nobody checks.'],
  ],
  '2025-02-16': [
    ['anders', 'There WAS a storm. You were six and asleep.'],
    ['marit', 'I was eleven and holding the torch.'],
  ],
  '2025-03-15': [
    ['noor', 'Four hundred lines to forty is the best kind of progress. Does the bell have a snooze button?'],
  ],
  '2025-04-12': [
    ['edith', 'There is no such thing as too much dill. I stand by it.'],
    ['noor', 'The view from the ladder was excellent. I will reserve it for next time.'],
    ['jonas_r', 'In defence of the accordion: it was out of tune before I touched it.'],
  ],
  '2025-05-10': [
    ['edith', 'I have two packets from the old Vienna sleeper. Shall I send them to him?'],
    ['marit', 'He would frame you. Bring them in June, I will write to the depot.'],
  ],
  '2025-06-07': [
    ['beekeeper', 'Tried it with my own honey. Cut it on Saturday. You were right about the gum.'],
    ['anders', 'Mother says it wants caraway. I am only passing this on.'],
  ],
  '2025-07-05': [
    ['edith', 'I am a “waves back” and I am not ashamed of it.'],
    ['beekeeper', 'Somebody should give that boy a job. Or a dog.'],
  ],
  '2025-08-02': [['anders', 'I have tied one more bow and put it in. You will not find out which.']],
  '2025-09-13': [['noor', 'The round turn and two half hitches was me. I was inside, buying a pear.']],
  '2025-10-11': [
    ['jonas_r', 'It does not sound like a saucepan. It sounds like a saucepan with standing.'],
    ['beekeeper', 'I have hung one up at the dry lock. Nobody has rung yet, but I listen better.'],
  ],
  '2025-11-01': [
    ['anders', 'Upper room, please, Mother and I. She brings the caraway.'],
    ['edith', 'Sofa. I am short and I curl. Dessert is settled: it has dill in it.'],
    ['jonas_r', 'Flour bin, for old times’ sake. I bring cards and deny everything.'],
  ],
};
