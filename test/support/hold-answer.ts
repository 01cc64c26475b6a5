import type { Site } from './site.ts';

/** Holds back the next answer of the database to a query like this until `goOn` is called. */
export function holdAnswer({ deps }: Pick<Site, 'deps'>, like: RegExp) {
  const executor = deps.db.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  const goOn = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  executor.executeQuery = async query => {
    const answer = await execute<never>(query);
    if (like.test(query.sql)) {
      executor.executeQuery = execute;
      isHeld.resolve();
      await goOn.promise;
    }
    return answer;
  };
  return { isHeld: isHeld.promise, goOn: goOn.resolve };
}
